// Secrets that are valid once and for a time, which the service recognizes without storing them: only used ones are remembered.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Db } from "../../store/store.ts";
import type { SecretKeys } from "./secret-keys.ts";
import type { UsedSecrets } from "./used-secrets.ts";

const randomLength = 16;
const headLength = randomLength + 8;
const signatureLength = 32;

/**
 * Strangers who ask for many fill no memory. A secret consists of 16 random bytes, the time of its end (8 bytes), its content, and the
 * HMAC-SHA256 of all these and of the thing or action that it is for.
 */
export class OneTimeSecrets {
  readonly #keys: SecretKeys;
  readonly #key: Buffer;
  readonly #used: UsedSecrets;
  readonly #lifetimeMs: number;

  /** @param purpose the kind of these secrets: those of one purpose are not valid for another */
  constructor(keys: SecretKeys, purpose: string, lifetimeMs: number) {
    this.#keys = keys;
    this.#key = keys.keyFor(purpose);
    this.#used = keys.usedFor(purpose);
    this.#lifetimeMs = lifetimeMs;
  }

  /** @param content readable to whoever has the secret @param about the thing or action that it is for; not part of it */
  create(content = "", about = ""): string {
    const end = Buffer.alloc(8);
    end.writeDoubleBE(this.#keys.now() + this.#lifetimeMs);
    const signed = Buffer.concat([randomBytes(randomLength), end, Buffer.from(content)]);
    return Buffer.concat([signed, this.#sign(signed, about)]).toString("base64url");
  }

  /** The content of a secret that was made about this and has not expired, also a used one; null: it is none. */
  read(secret: string, about = ""): string | null {
    const bytes = Buffer.from(secret, "base64url");
    // The text must be the one that was made: decoding ignores characters that are not base64url.
    if (bytes.length < headLength + signatureLength || bytes.toString("base64url") !== secret) return null;
    const signed = bytes.subarray(0, -signatureLength);
    if (!timingSafeEqual(bytes.subarray(-signatureLength), this.#sign(signed, about))) return null;
    return endOf(bytes) > this.#keys.now() ? signed.subarray(headLength).toString() : null;
  }

  /** True if a secret that {@link read} accepts was used. */
  isUsed(secret: string): Promise<boolean> {
    return this.#used.isUsed(secret);
  }

  /** Uses up a secret that {@link read} accepts. @returns false if it was used meanwhile */
  use(secret: string): Promise<boolean> {
    return this.#used.use(secret, endOf(Buffer.from(secret, "base64url")));
  }

  /** Like {@link use}, by a transaction. @returns a function to call after its commit; null: the secret was used meanwhile */
  useIn(db: Db, secret: string): Promise<(() => void) | null> {
    return this.#used.useIn(db, secret, endOf(Buffer.from(secret, "base64url")));
  }

  #sign(signed: Buffer, about: string): Buffer {
    return createHmac("sha256", this.#key).update(`${about.length} ${about} `).update(signed).digest();
  }
}

function endOf(bytes: Buffer): number {
  return bytes.readDoubleBE(randomLength);
}
