// The service's own Ed25519 key: what devices pin, and what commands and revocations are signed with.
import { join } from "node:path";
import { z } from "zod";
import { DurableFile } from "../../../base/files/durable-file.ts";
import { createKeyPair, signJws, type KeyPair } from "../../../base/jws.ts";
import { commandJwsType, revocationJwsType, type SignedCommand, type SignedRevocation } from "../../../protocol/device/commands.ts";

const StoredKeys = z.object({ publicKey: z.string(), privateKey: z.string() });

/** The file of the key in a data folder. */
export function serviceKeyFile(folder: string): DurableFile<KeyPair> {
  return new DurableFile(join(folder, "service-key.json"), (json) => StoredKeys.parse(json));
}

/** Signs for devices. */
export class Signer {
  readonly #keys: KeyPair;

  private constructor(keys: KeyPair) {
    this.#keys = keys;
  }

  /** Reads the key in `folder`, or makes it. @throws Fault `file-corrupt`: a new key would orphan every player. */
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
