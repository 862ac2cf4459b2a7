// Limits guesses of passwords per account and per address, so that strangers cannot lock a person out.
import type { Clock } from "../../../base/clock.ts";
import { addressKey, RateLimit, tooManyRequests } from "../../http/rate-limit.ts";

const minuteMs = 60_000;
const windowMs = 15 * minuteMs;
export const maxGuesses = 10;
const maxGuessesPerDay = 100;
const maxGuessesPerAddress = 30;

/** Who guesses the password of which account. */
export interface Guess {
  /** Of the account, whether it exists or not. */
  email: string;
  address: string;
  /** Identifies a browser in which the person has signed in before; null: it is unknown. */
  browser: string | null;
}

/**
 * Allows strangers 10 wrong guesses of an account in 15 minutes and 100 a day, and 30 in 15 minutes to an address, whose accounts may
 * differ. All addresses of an IPv6 /64 count as one. A browser in which the person has signed in before has an allowance of its own,
 * 10 in 15 minutes, and is not affected by the guesses of strangers: nobody can lock a person out of the browsers that they use.
 *
 * A guess counts before it is checked, so that concurrent ones do not evade the limit, and is taken back if it was right.
 */
export class Guesses {
  readonly #clock: Clock;
  readonly #byAccount: RateLimit;
  readonly #byAccountAndDay: RateLimit;
  readonly #byAddress: RateLimit;
  readonly #byBrowser: RateLimit;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#byAccount = new RateLimit(maxGuesses, windowMs, clock);
    this.#byAccountAndDay = new RateLimit(maxGuessesPerDay, 24 * 60 * minuteMs, clock);
    this.#byAddress = new RateLimit(maxGuessesPerAddress, windowMs, clock);
    this.#byBrowser = new RateLimit(maxGuesses, windowMs, clock);
  }

  /** Runs `isRight`, unless the guesser has to wait. @throws ProblemError 429, or any error of `isRight`. */
  async attempt(guess: Guess, isRight: () => Promise<boolean>): Promise<boolean> {
    const limits = this.#limitsOf(guess);
    const waitMs = Math.max(...limits.map(([limit, key]) => limit.waitMs(key)));
    if (waitMs > 0) throw tooManyRequests("Too many wrong passwords", waitMs);
    const at = this.#clock.monotonic();
    for (const [limit, key] of limits) limit.record(key);
    const takeBack = (): void => {
      for (const [limit, key] of limits) limit.takeBack(key, at);
    };
    try {
      const right = await isRight();
      if (right) takeBack();
      return right;
    } catch (error) {
      // Nothing was compared, so nothing was guessed.
      takeBack();
      throw error;
    }
  }

  #limitsOf({ email, address, browser }: Guess): readonly (readonly [RateLimit, string])[] {
    if (browser !== null) return [[this.#byBrowser, browser]];
    return [
      [this.#byAccount, email],
      [this.#byAccountAndDay, email],
      [this.#byAddress, addressKey(address)],
    ];
  }
}
