// The device's identity: an Ed25519 key that is created here and never sent, and the pairing made with it.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../base/files/durable-file.ts";
import { isFault } from "../../base/fault.ts";
import { createKeyPair, thumbprint, type KeyPair } from "../../base/jws.ts";
import type { Log } from "../../base/log.ts";

const StoredKeys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** The result of a pairing. `serviceKey` is pinned: the player trusts only what this key signed. */
export const Pairing = z.object({
  server: z.string(),
  playerId: z.string(),
  playerName: z.string(),
  serviceKey: z.string(),
});
export type Pairing = z.infer<typeof Pairing>;

/** The device's key and its pairing, both in durable files. */
export class Identity {
  readonly keys: KeyPair;
  /** RFC 7638 thumbprint of the public key. Signed commands name it. */
  readonly thumbprint: string;
  #pairing: Pairing | null;
  readonly #pairingFile: DurableFile<Pairing>;

  private constructor(keys: KeyPair, pairing: Pairing | null, pairingFile: DurableFile<Pairing>) {
    this.keys = keys;
    this.thumbprint = thumbprint(keys.publicKey);
    this.#pairing = pairing;
    this.#pairingFile = pairingFile;
  }

  /** Reads the identity stored in `folder` or creates one. If the key is damaged, a new one is created and must be paired. */
  static async open(folder: string, log: Log): Promise<Identity> {
    const keyFile = new DurableFile(join(folder, "identity.json"), (json) => StoredKeys.parse(json));
    const pairingFile = new DurableFile(join(folder, "pairing.json"), (json) => Pairing.parse(json));
    const keys = await readOrNull(keyFile, log, "the device's key is damaged: creating a new one; pair the player again");
    const pairing = await readOrNull(pairingFile, log, "the pairing is damaged: pair the player again");
    if (keys !== null) return new Identity(keys, pairing, pairingFile);
    const created = createKeyPair();
    await keyFile.write(created);
    // The pairing belongs to the lost key.
    if (pairing !== null) await pairingFile.remove();
    return new Identity(created, null, pairingFile);
  }

  /** Null before pairing and after revocation. */
  get pairing(): Pairing | null {
    return this.#pairing;
  }

  /** Stores a pairing. It is durable once this resolves. */
  async pair(pairing: Pairing): Promise<void> {
    await this.#pairingFile.write(pairing);
    this.#pairing = pairing;
  }

  /** Removes the pairing. Call only after a revocation that the pinned key signed. */
  async unpair(): Promise<void> {
    await this.#pairingFile.remove();
    this.#pairing = null;
  }
}

async function readOrNull<T>(file: DurableFile<T>, log: Log, damageMessage: string): Promise<T | null> {
  try {
    const read = await file.read();
    if (read.is === "absent") return null;
    if (read.recovered) log.warn({ path: file.path }, "a file is damaged: using its previous version");
    return read.value;
  } catch (error) {
    if (!isFault(error, "file-corrupt")) throw error;
    log.error({ err: error, path: file.path }, damageMessage);
    return null;
  }
}
