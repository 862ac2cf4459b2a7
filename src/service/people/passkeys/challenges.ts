// The challenges that passkeys sign: each for one purpose, once, for five minutes.
import { minuteMs } from "../../../base/time.ts";
import type { Db } from "../../store/store.ts";
import { OneTimeSecrets } from "../one-time/one-time-secrets.ts";
import type { SecretKeys } from "../one-time/secret-keys.ts";

/** How long a person has time to answer. */
export const challengeMs = 5 * minuteMs;

/** The action that a challenge is for. */
export type ChallengePurpose = { is: "sign-in" } | { is: "registration" | "proof"; sessionId: string };

export class PasskeyChallenges {
  readonly #secrets: OneTimeSecrets;

  constructor(keys: SecretKeys) {
    this.#secrets = new OneTimeSecrets(keys, "passkey challenges", challengeMs);
  }

  create(purpose: ChallengePurpose): string {
    return this.#secrets.create("", nameOf(purpose));
  }

  /** True if a challenge was made for this purpose, is not too old and was not used. */
  async isValid(challenge: string, purpose: ChallengePurpose): Promise<boolean> {
    return this.#secrets.read(challenge, nameOf(purpose)) !== null && !(await this.#secrets.isUsed(challenge));
  }

  /** Uses a valid challenge up. @returns false if it was used meanwhile */
  use(challenge: string): Promise<boolean> {
    return this.#secrets.use(challenge);
  }

  /** Like {@link use}, by a transaction. @returns a function to call after its commit; null: it was used meanwhile */
  useIn(db: Db, challenge: string): Promise<(() => void) | null> {
    return this.#secrets.useIn(db, challenge);
  }
}

function nameOf(purpose: ChallengePurpose): string {
  return purpose.is === "sign-in" ? purpose.is : `${purpose.is} ${purpose.sessionId}`;
}
