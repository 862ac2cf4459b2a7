// The service's Ed25519 key. Devices pin it; it signs commands and revocations.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../../base/files/durable-file.ts";
import { createKeyPair, signJws, type KeyPair } from "../../../base/jws.ts";
import { metaKeys, readOrCreateMeta } from "../../store/meta.ts";
import type { Db } from "../../store/store.ts";
import { commandJwsType, revocationJwsType, type SignedCommand, type SignedRevocation } from "../../../protocol/device/commands.ts";

const StoredKeys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** The file in a data folder that contains the key. */
export function serviceKeyFile(folder: string): DurableFile<KeyPair> {
  return new DurableFile(join(folder, "service-key.json"), (json) => StoredKeys.parse(json));
}

/** The key in the database of several nodes; null: there is none yet. */
async function readSharedKey(db: Db): Promise<KeyPair | null> {
  const row = await db.selectFrom("meta").select("value").where("key", "=", metaKeys.serviceKey).executeTakeFirst();
  return row === undefined ? null : StoredKeys.parse(JSON.parse(row.value));
}

export class Signer {
  readonly #keys: KeyPair;

  private constructor(keys: KeyPair) {
    this.#keys = keys;
  }

  /** Reads the key in `folder`, or creates it. @throws Fault `file-corrupt`: with a new key no player would trust the service. */
  static async open(folder: string): Promise<Signer> {
    const file = serviceKeyFile(folder);
    const read = await file.read();
    if (read.is === "found") return new Signer(read.value);
    const keys = createKeyPair();
    await file.write(keys);
    return new Signer(keys);
  }

  /**
   * Reads the key in the database of several nodes. The first node that opens the database stores it: the key in its `folder`, with which
   * a service of one process came here, or a new one.
   */
  static async openShared(db: Db, folder: string): Promise<Signer> {
    const stored = await readSharedKey(db);
    if (stored !== null) return new Signer(stored);
    const own = await serviceKeyFile(folder).read();
    const { publicKey, privateKey } = own.is === "found" ? own.value : createKeyPair();
    const agreed = await readOrCreateMeta(db, metaKeys.serviceKey, JSON.stringify({ publicKey, privateKey }));
    return new Signer(StoredKeys.parse(JSON.parse(agreed)));
  }

  /** Raw Ed25519 public key, base64url. */
  get publicKey(): string {
    return this.#keys.publicKey;
  }

  signCommand(payload: SignedCommand): Promise<string> {
    return signJws(commandJwsType, payload, this.#keys);
  }

  signRevocation(payload: SignedRevocation): Promise<string> {
    return signJws(revocationJwsType, payload, this.#keys);
  }
}
