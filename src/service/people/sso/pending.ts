// A sign-in that waits for the provider. It is sealed into a cookie, so that strangers who begin many cost the service no memory.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { minuteMs } from "../../../base/time.ts";
import type { SecretKeys } from "../one-time/secret-keys.ts";
import type { UsedSecrets } from "../one-time/used-secrets.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** How long a person may take at the provider. */
export const pendingMs = 10 * minuteMs;

const Pending = z.strictObject({
  /** The answer to a request for one purpose cannot be used for another. */
  purpose: z.enum(["sign-in", "proof", "link"]),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Where the provider leads the browser back to. */
  redirectUri: z.string(),
  /** The secret of an invitation that is accepted by it. */
  invitation: z.string().nullable(),
  startedAt: z.number(),
});
export type Pending = z.infer<typeof Pending>;

export class PendingSignIns {
  readonly #clock: Clock;
  // On a single process a restart makes the sign-ins that wait invalid: people begin again.
  readonly #key: Buffer;
  readonly #used: UsedSecrets;

  constructor(clock: Clock, keys: SecretKeys) {
    this.#clock = clock;
    this.#key = keys.keyFor("single sign-on");
    this.#used = keys.usedFor("single sign-on");
  }

  /** The sealed form, which only this service can read and nobody can change. */
  seal(pending: Pending): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(pending)), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Opens and uses up a sealed sign-in with this state; null: it was not begun here, is for something else, too old, or was used. */
  async take(sealed: string | undefined, purpose: Pending["purpose"], state: string | null): Promise<Pending | null> {
    const pending = this.#open(sealed);
    const now = this.#clock.now();
    if (pending === null || pending.purpose !== purpose || pending.state !== state) return null;
    if (pending.startedAt <= now - pendingMs) return null;
    return (await this.#used.use(pending.state, pending.startedAt + pendingMs)) ? pending : null;
  }

  #open(sealed: string | undefined): Pending | null {
    const bytes = Buffer.from(sealed ?? "", "base64url");
    if (bytes.length <= nonceBytes + tagBytes) return null;
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString();
      return Pending.parse(JSON.parse(text));
    } catch {
      // Sealed with another key, such as that of an earlier start.
      return null;
    }
  }
}
