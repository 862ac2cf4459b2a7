// The challenges that passkeys sign: each for one purpose, once, for five minutes.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";

/** How long a person has time to answer. */
export const challengeMs = 5 * 60_000;

/** What a challenge is for. */
export type ChallengePurpose = { is: "sign-in" } | { is: "registration" | "proof"; sessionId: string };

/**
 * Challenges that the service recognizes without storing them: strangers who ask for many fill no memory. Only used ones are
 * remembered until they expire. The key is new at each start of the service, which ends all challenges.
 *
 * A challenge consists of 16 random bytes, the time of its end (8 bytes), and the HMAC-SHA256 of both and of its purpose.
 */
export class PasskeyChallenges {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  readonly #used = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  create(purpose: ChallengePurpose): string {
    const end = Buffer.alloc(8);
    end.writeDoubleBE(this.#clock.monotonic() + challengeMs);
    const content = Buffer.concat([randomBytes(16), end]);
    return Buffer.concat([content, this.#signature(content, purpose)]).toString("base64url");
  }

  /** Whether a challenge was made for this purpose, is not too old and was not used. */
  isValid(challenge: string, purpose: ChallengePurpose): boolean {
    const bytes = Buffer.from(challenge, "base64url");
    // The text must be the one that was made: decoding ignores characters that are not base64url.
    if (bytes.length !== 56 || bytes.toString("base64url") !== challenge) return false;
    const content = bytes.subarray(0, 24);
    if (!timingSafeEqual(bytes.subarray(24), this.#signature(content, purpose))) return false;
    return content.readDoubleBE(16) > this.#clock.monotonic() && !this.#used.has(challenge);
  }

  /** Uses a valid challenge up. @returns false if it was used meanwhile */
  use(challenge: string): boolean {
    const now = this.#clock.monotonic();
    for (const [other, until] of this.#used) {
      // In the order in which they were used: whatever follows expires later.
      if (until > now) break;
      this.#used.delete(other);
    }
    if (this.#used.has(challenge)) return false;
    this.#used.set(challenge, now + challengeMs);
    return true;
  }

  #signature(content: Buffer, purpose: ChallengePurpose): Buffer {
    const about = purpose.is === "sign-in" ? purpose.is : `${purpose.is} ${purpose.sessionId}`;
    return createHmac("sha256", this.#key).update(content).update(about).digest();
  }
}
