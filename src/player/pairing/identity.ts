// Who this device is: an Ed25519 key made here and never sent, and what it was paired as.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../base/files/durable-file.ts";
import { isFault } from "../../base/fault.ts";
import { createKeyPair, thumbprint, type KeyPair } from "../../base/jws.ts";
import type { Log } from "../../base/log.ts";

const StoredKeys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** The result of a pairing. `serviceKey` is pinned: only what it signed is obeyed. */
export const Pairing = z.object({
  server: z.string(),
  playerId: z.string(),
  playerName: z.string(),
  serviceKey: z.string(),
});
export type Pairing = z.infer<typeof Pairing>;

/** The device's key and its pairing, both durable (mode 0600). */
export class Identity {
  readonly keys: KeyPair;
  /** RFC 7638 thumbprint of the public key: what signed commands are bound to. */
  readonly thumbprint: string;
  #pairing: Pairing | null;
  readonly #pairingFile: DurableFile<Pairing>;

  private constructor(keys: KeyPair, pairing: Pairing | null, pairingFile: DurableFile<Pairing>) {
    this.keys = keys;
    this.thumbprint = thumbprint(keys.publicKey);
    this.#pairing = pairing;
    this.#pairingFile = pairingFile;
  }

  /** Reads the identity kept in `folder`, or makes one. A damaged key cannot be repaired: a new one pairs anew. */
  static async open(folder: string, log: Log): Promise<Identity> {
    const keyFile = new DurableFile(join(folder, "identity.json"), (json) => StoredKeys.parse(json));
    const pairingFile = new DurableFile(join(folder, "pairing.json"), (json) => Pairing.parse(json));
    const keys = await readOr(keyFile, log, "the device's key is damaged: a new one is made and the player must be paired again");
    const pairing = await readOr(pairingFile, log, "the pairing is damaged: the player must be paired again");
    if (keys !== null) return new Identity(keys, pairing, pairingFile);
    const fresh = createKeyPair();
    await keyFile.write(fresh);
    // A pairing belongs to the key it was made with.
    if (pairing !== null) await pairingFile.remove();
    return new Identity(fresh, null, pairingFile);
  }

  /** What the device is paired as; null before pairing and after revocation. */
  get pairing(): Pairing | null {
    return this.#pairing;
  }

  /** Keeps a pairing. It is durable once this resolves. */
  async pair(pairing: Pairing): Promise<void> {
    await this.#pairingFile.write(pairing);
    this.#pairing = pairing;
  }

  /** Forgets the pairing: after a revocation proven by the pinned key, and never otherwise. */
  async unpair(): Promise<void> {
    await this.#pairingFile.remove();
    this.#pairing = null;
  }
}

async function readOr<T>(file: DurableFile<T>, log: Log, complaint: string): Promise<T | null> {
  try {
    const read = await file.read();
    if (read.is === "absent") return null;
    if (read.recovered) log.warn({ path: file.path }, "took the previous generation of a damaged file");
    return read.value;
  } catch (error) {
    if (!isFault(error, "file-corrupt")) throw error;
    log.error({ err: error, path: file.path }, complaint);
    return null;
  }
}
