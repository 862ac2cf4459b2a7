// Bounds the guessing of pairing codes: whoever tries codes that no screen shows is soon told to wait.
import type { Clock } from "../../base/clock.ts";
import { ProblemError } from "../http/problem.ts";
import { addressKey, RateLimit, tooManyRequests } from "../http/rate-limit.ts";

/** Who tries a code. */
export interface Guesser {
  userId: string;
  teamId: string;
  address: string;
}

/** Wrong codes that a guesser may try in a minute. */
export const maxWrongGuessesPerMinute = 5;
const minuteMs = 60_000;

/**
 * Wrong guesses: five a minute for a user, over all their tokens, and five for an address and team, over all its users. Of an
 * IPv6 address its /64 counts. A refused attempt tells nothing: even a right code is refused then.
 *
 * The arithmetic. A code is 8 of 20 letters, drawn evenly: one guess hits a given code with 20⁻⁸ = 2⁻³⁴·⁵⁸. A code is open for
 * 15 minutes. In any 60 s at most 5 guesses are wrong, so in 15 minutes at most 15 · 5, and 5 more when both ends count: 80.
 * Their odds of hitting a given open code are at most 80 · 20⁻⁸ = 2⁻²⁸·²⁵, below 2⁻²⁸, which 95 guesses would reach. A restart
 * forgets up to 5 guesses; three restarts within the life of one code still leave 95 · 20⁻⁸ < 2⁻²⁸. Nobody can cause a restart by
 * guessing, so the counts need not be kept on the disk.
 *
 * The bound is for one guesser and one code: with n codes open and k users at k addresses it grows by n · k. Each try is one
 * after the other, so that many at once are no way around the count.
 */
export class GuessLimiter {
  readonly #byUser: RateLimit;
  readonly #byAddress: RateLimit;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#byUser = new RateLimit(maxWrongGuessesPerMinute, minuteMs, clock);
    this.#byAddress = new RateLimit(maxWrongGuessesPerMinute, minuteMs, clock);
  }

  /** Runs `claim` in its turn unless the guesser has to wait. @throws Refusal 429, and whatever `claim` throws. */
  attempt<T>({ userId, teamId, address }: Guesser, claim: () => Promise<T>): Promise<T> {
    const from = `${addressKey(address)} ${teamId}`;
    const turn = this.#turn.then(async () => {
      const waitMs = Math.max(this.#byUser.waitMs(userId), this.#byAddress.waitMs(from));
      if (waitMs > 0) throw tooManyRequests("Too many wrong codes", waitMs);
      try {
        return await claim();
      } catch (error) {
        if (error instanceof ProblemError && error.kind === "unknown-code") {
          this.#byUser.record(userId);
          this.#byAddress.record(from);
        }
        throw error;
      }
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}
