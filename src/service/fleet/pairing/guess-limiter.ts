// Limits guesses of pairing codes: after a few wrong codes in a minute, a caller has to wait.
import { minuteMs } from "../../../base/time.ts";
import { ProblemError } from "../../http/problem.ts";
import { takeAll, type AttemptLimit, type MakeLimit } from "../../http/limits/attempt-limit.ts";
import { addressKey, tooManyRequests } from "../../http/limits/rate-limit.ts";

/** The caller who tries a code. */
export interface Guesser {
  userId: string;
  teamId: string;
  address: string;
}

export const maxWrongGuessesPerMinute = 5;

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
 * The bound is for one guesser and one code: with n valid codes and k users at k addresses it grows by n · k. Guesses at one node run
 * one after the other, and a guess counts from its beginning, so concurrent requests cannot evade the count. Several nodes count together.
 */
export class GuessLimiter {
  readonly #byUser: AttemptLimit;
  readonly #byAddress: AttemptLimit;
  #lastGuess: Promise<unknown> = Promise.resolve();

  constructor(makeLimit: MakeLimit) {
    this.#byUser = makeLimit("pairing-code-user", maxWrongGuessesPerMinute, minuteMs);
    this.#byAddress = makeLimit("pairing-code-address", maxWrongGuessesPerMinute, minuteMs);
  }

  /** Runs `claim` after earlier guesses, unless the guesser has to wait. @throws ProblemError 429, or any error of `claim`. */
  attempt<T>({ userId, teamId, address }: Guesser, claim: () => Promise<T>): Promise<T> {
    const addressAndTeam = `${addressKey(address)} ${teamId}`;
    const guess = this.#lastGuess.then(async () => {
      // It counts before it is checked, so that concurrent guesses at several nodes do not evade the limit.
      const { waitMs, takeBack } = await takeAll([
        [this.#byUser, userId],
        [this.#byAddress, addressAndTeam],
      ]);
      if (waitMs > 0) throw tooManyRequests("Too many wrong codes", waitMs);
      try {
        const claimed = await claim();
        await takeBack();
        return claimed;
      } catch (error) {
        if (!(error instanceof ProblemError && error.kind === "unknown-code")) await takeBack();
        throw error;
      }
    });
    this.#lastGuess = guess.catch(() => undefined);
    return guess;
  }
}
