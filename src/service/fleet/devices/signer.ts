// The service's Ed25519 key. Devices pin it; it signs commands and revocations.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../../base/files/durable-file.ts";
import { createKeyPair, signJws, type KeyPair } from "../../../base/jws.ts";
import { commandJwsType, revocationJwsType, type SignedCommand, type SignedRevocation } from "../../../protocol/device/commands.ts";

const StoredKeys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** The file in a data folder that contains the key. */
export function serviceKeyFile(folder: string): DurableFile<KeyPair> {
  return new DurableFile(join(folder, "service-key.json"), (json) => StoredKeys.parse(json));
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

  /** Raw Ed25519 public key, base64url. */
  get publicKey(): string {
    return this.#keys.publicKey;
  }

  signCommand(payload: SignedCommand): string {
    return signJws(commandJwsType, payload, this.#keys);
  }

  signRevocation(payload: SignedRevocation): string {
    return signJws(revocationJwsType, payload, this.#keys);
  }
}
