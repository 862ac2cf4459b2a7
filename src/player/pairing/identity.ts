// The device's identity: an Ed25519 key that is created here and never sent, and the pairing made with it.
import { join } from "node:path";
import { z } from "zod";
import { isFault } from "../../base/fault.ts";
import { MirroredFile } from "../../base/files/mirrored-file.ts";
import { createKeyPair, thumbprint, type KeyPair } from "../../base/jws.ts";
import type { Log } from "../../base/log.ts";
import { DiskHealth } from "../storage/disk-health.ts";
import { StoredValue } from "../storage/stored-value.ts";

const StoredKeys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** The result of a pairing. `serviceKey` is pinned: the player trusts only data that this key signed. */
export const Pairing = z.object({
  server: z.string(),
  playerId: z.string(),
  playerName: z.string(),
  serviceKey: z.string(),
});
export type Pairing = z.infer<typeof Pairing>;

/** The device's key and its pairing. Losing either means a visit to the screen, so each has two files. */
export class Identity {
  readonly keys: KeyPair;
  /** RFC 7638 thumbprint of the public key. Signed commands name it. */
  readonly thumbprint: string;
  readonly #keys: StoredValue<KeyPair> | null;
  readonly #pairing: StoredValue<Pairing> | null;

  private constructor(keys: KeyPair, storedKeys: StoredValue<KeyPair> | null, pairing: StoredValue<Pairing> | null) {
    this.keys = keys;
    this.thumbprint = thumbprint(keys.publicKey);
    this.#keys = storedKeys;
    this.#pairing = pairing;
  }

  /**
   * Reads the identity stored in `folder` or creates one. If the key is lost, a new one is created and must be paired.
   * @throws the system's error when the disk fails to read it: a new key would replace one that may be whole.
   */
  static async open(folder: string, log: Log, disk = new DiskHealth(log)): Promise<Identity> {
    const keyFile = new MirroredFile<KeyPair>(join(folder, "identity.json"), (json) => StoredKeys.parse(json));
    const pairingFile = pairingFileIn(folder);
    const keys = await StoredValue.read(keyFile, disk, "the device gets a new key: pair the screen again");
    const pairing = await StoredValue.read(pairingFile, disk, "pair the screen again");
    if (keys.value !== null) return new Identity(keys.value, keys, pairing);
    const created = createKeyPair();
    await keys.set(created);
    // The pairing belongs to the lost key.
    if (pairing.value !== null) await pairing.set(null);
    return new Identity(created, keys, pairing);
  }

  /** A key that is never stored, for a player that waits for its disk. */
  static temporary(): Identity {
    return new Identity(createKeyPair(), null, null);
  }

  /** The server of the pairing stored in `folder`; null if there is none. @throws the system's error when the disk fails to read it. */
  static async pairedServer(folder: string): Promise<string | null> {
    try {
      const read = await pairingFileIn(folder).read();
      return read.is === "found" ? read.value.server : null;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      return null; // open() reports it
    }
  }

  /** Null before pairing and after revocation. */
  get pairing(): Pairing | null {
    return this.#pairing?.value ?? null;
  }

  /** Stores a pairing. It is durable once this resolves, unless the disk cannot be written. */
  async pair(pairing: Pairing): Promise<void> {
    await this.#pairing?.set(pairing);
  }

  /** Removes the pairing. Call only after a revocation that the pinned key signed. */
  async unpair(): Promise<void> {
    await this.#pairing?.set(null);
  }

  /** Writes files that a failing disk refused earlier or that were deleted from the disk. */
  async save(): Promise<void> {
    await this.#keys?.save();
    await this.#pairing?.save();
  }
}

function pairingFileIn(folder: string): MirroredFile<Pairing> {
  return new MirroredFile(join(folder, "pairing.json"), (json) => Pairing.parse(json));
}
