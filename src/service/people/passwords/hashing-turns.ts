// Lets a bounded number of passwords be hashed at a time, so that many sign-ins cannot exhaust the memory or all threads.
import { ProblemError } from "../../http/problem.ts";

/** Whose password it is: that of a person whose browser is known here, or of anyone. Strangers wait for known ones. */
export type Lane = "known" | "stranger";

// Each takes 19 MiB and one of the four threads that also read and write files.
const maxRunning = 2;
const maxWaiting = 20;

export class HashingTurns {
  #running = 0;
  readonly #waiting: Record<Lane, (() => void)[]> = { known: [], stranger: [] };

  /** Runs `task` when it is its turn. @throws ProblemError 429 when too many wait. */
  async run<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running += 1;
    else await this.#wait(lane);
    try {
      return await task();
    } finally {
      const next = this.#waiting.known.shift() ?? this.#waiting.stranger.shift();
      // The turn passes to the next one, so the number stays the same.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #wait(lane: Lane): Promise<void> {
    const waiting = this.#waiting[lane];
    if (waiting.length >= maxWaiting) {
      throw new ProblemError("too-many", "Many people are signing in at the moment: try again in 5 s", { headers: { "Retry-After": "5" } });
    }
    return new Promise((resolve) => void waiting.push(resolve));
  }
}
