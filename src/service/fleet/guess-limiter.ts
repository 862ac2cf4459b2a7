// Limits guesses of pairing codes: after a few wrong codes in a minute, a caller has to wait.
import type { Clock } from "../../base/clock.ts";
import { ProblemError } from "../http/problem.ts";
import { addressKey, RateLimit, tooManyRequests } from "../http/rate-limit.ts";

/** The caller who tries a code. */
export interface Guesser {
  userId: string;
  teamId: string;
  address: string;
}

export const maxWrongGuessesPerMinute = 5;
const minuteMs = 60_000;

/**
 * Allows five wrong guesses a minute to a user, over all their tokens, and five to an address within a team, over all its users. All
 * addresses of an IPv6 /64 count as one. A rejected attempt reveals nothing: even a correct code is rejected then.
 *
 * Probability. A code has 8 of 20 letters, uniformly distributed: one guess hits a given code with 20⁻⁸ = 2⁻³⁴·⁵⁸. A code is valid
 * for 15 minutes. In any 60 s at most 5 guesses are wrong, so in 15 minutes at most 15 · 5, and 5 more if both ends count: 80.
 * They hit a given code with at most 80 · 20⁻⁸ = 2⁻²⁸·²⁵, which is below 2⁻²⁸; 95 guesses would reach 2⁻²⁸. A restart of the
 * service forgets up to 5 guesses; three restarts within the life of a code still give 95 · 20⁻⁸ < 2⁻²⁸. Guessing cannot cause a
 * restart, so the counts need not be stored.
 *
 * The bound is for one guesser and one code: with n valid codes and k users at k addresses it grows by n · k. Guesses run one after
 * the other, so concurrent requests cannot evade the count.
 */
export class GuessLimiter {
  readonly #byUser: RateLimit;
  readonly #byAddress: RateLimit;
  #lastGuess: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#byUser = new RateLimit(maxWrongGuessesPerMinute, minuteMs, clock);
    this.#byAddress = new RateLimit(maxWrongGuessesPerMinute, minuteMs, clock);
  }

  /** Runs `claim` after earlier guesses, unless the guesser has to wait. @throws ProblemError 429, or any error of `claim`. */
  attempt<T>({ userId, teamId, address }: Guesser, claim: () => Promise<T>): Promise<T> {
    const addressAndTeam = `${addressKey(address)} ${teamId}`;
    const guess = this.#lastGuess.then(async () => {
      const waitMs = Math.max(this.#byUser.waitMs(userId), this.#byAddress.waitMs(addressAndTeam));
      if (waitMs > 0) throw tooManyRequests("Too many wrong codes", waitMs);
      try {
        return await claim();
      } catch (error) {
        if (error instanceof ProblemError && error.kind === "unknown-code") {
          this.#byUser.record(userId);
          this.#byAddress.record(addressAndTeam);
        }
        throw error;
      }
    });
    this.#lastGuess = guess.catch(() => undefined);
    return guess;
  }
}
