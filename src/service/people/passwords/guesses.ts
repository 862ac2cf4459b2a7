// Limits guesses of passwords per account and per address, so that strangers cannot lock a person out.
import { dayMs, minuteMs } from "../../../base/time.ts";
import { takeAll, type AttemptLimit, type MakeLimit } from "../../http/limits/attempt-limit.ts";
import { addressKey, tooManyRequests } from "../../http/limits/rate-limit.ts";

const windowMs = 15 * minuteMs;
const maxGuesses = 10;
const maxGuessesPerDay = 100;
const maxGuessesPerAddress = 30;

/** One guess at a password: the account and the sender. */
export interface Guess {
  /** The email of the accounts; there may be none that carries it. */
  email: string;
  /** Null: whose guesses are limited otherwise. */
  address: string | null;
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
  readonly #byAccount: AttemptLimit;
  readonly #byAccountAndDay: AttemptLimit;
  readonly #byAddress: AttemptLimit;
  readonly #byBrowser: AttemptLimit;

  constructor(makeLimit: MakeLimit) {
    this.#byAccount = makeLimit("password-account", maxGuesses, windowMs);
    this.#byAccountAndDay = makeLimit("password-account-day", maxGuessesPerDay, dayMs);
    this.#byAddress = makeLimit("password-address", maxGuessesPerAddress, windowMs);
    this.#byBrowser = makeLimit("password-browser", maxGuesses, windowMs);
  }

  /** Runs `isRight`, unless the guesser has to wait. @throws ProblemError 429, or any error of `isRight`. */
  async attempt(guess: Guess, isRight: () => Promise<boolean>): Promise<boolean> {
    return this.#attempt(guess, isRight, (waitMs) => {
      throw tooManyRequests("Too many wrong passwords", waitMs);
    });
  }

  /** The same, but a guess of somebody who has to wait is wrong. */
  async attemptIfAllowed(guess: Guess, isRight: () => Promise<boolean>): Promise<boolean> {
    return this.#attempt(guess, isRight, () => false);
  }

  async #attempt(guess: Guess, isRight: () => Promise<boolean>, mustWait: (waitMs: number) => false): Promise<boolean> {
    const { waitMs, takeBack } = await takeAll(this.#limitsOf(guess));
    if (waitMs > 0) return mustWait(waitMs);
    try {
      const right = await isRight();
      if (right) await takeBack();
      return right;
    } catch (error) {
      // Nothing was compared, so nothing was guessed.
      await takeBack();
      throw error;
    }
  }

  #limitsOf({ email, address, browser }: Guess): readonly (readonly [AttemptLimit, string])[] {
    if (browser !== null) return [[this.#byBrowser, browser]];
    return [
      [this.#byAccount, email],
      [this.#byAccountAndDay, email],
      ...(address === null ? [] : [[this.#byAddress, addressKey(address)] as const]),
    ];
  }
}
