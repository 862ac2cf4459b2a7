// One run of a soak part: its amount, its seed, the results so far, and the waits that Ctrl+C ends.
import { setTimeout as pause } from "node:timers/promises";
import { percentiles } from "../../bench/lib.ts";
import { waitUntil } from "../../test/support/polling.ts";
import type { Random } from "./random.ts";

/** A part of the soak. */
export interface SoakPart {
  about: string;
  /** What the amount counts, such as `kills`. */
  unit: string;
  /** The amount unless another one is given. */
  usual: number;
  /** @returns why this machine cannot run the part; null after it ran. */
  run(run: SoakRun): Promise<string | null>;
}

type About = Record<string, number | string | boolean | null>;

export class SoakRun {
  readonly part: string;
  readonly amount: number;
  readonly random: Random;
  /** Aborts by Ctrl+C. */
  readonly signal: AbortSignal;
  readonly violations: string[] = [];
  #tries = 0;
  #survived = 0;
  #rejected = 0;
  readonly #survivedMs: number[] = [];

  readonly #suite: string;

  /** @param suite names the kind of run in each line. */
  constructor(part: string, amount: number, random: Random, signal: AbortSignal, suite = "soak") {
    this.#suite = suite;
    this.part = part;
    this.amount = amount;
    this.random = random;
    this.signal = signal;
  }

  /** Prints the progress as a JSON line. */
  print(about: About): void {
    process.stdout.write(`${JSON.stringify({ [this.#suite]: this.part, ...about })}\n`);
  }

  /** Records something that must never happen. */
  violate(what: string): void {
    this.violations.push(what);
    this.print({ violation: what });
  }

  /**
   * Makes one try, or `count` of them together. They survive unless `attempt` rejects or records a violation.
   * @param attempt resolves to its time in ms.
   */
  async try(about: About, attempt: () => Promise<number>, count = 1): Promise<void> {
    this.signal.throwIfAborted();
    this.#tries += count;
    // Other tries may run at the same time: their rejections are not this one's.
    const before = this.violations.length - this.#rejected;
    const tried = { try: this.#tries, of: this.amount, ...about };
    try {
      const tookMs = Math.round(await attempt());
      if (this.violations.length - this.#rejected > before) return this.print({ ...tried, survived: false });
      this.#survivedMs.push(tookMs);
      this.#survived += count;
      this.print({ ...tried, survived: true, ms: tookMs });
    } catch (error) {
      if (this.signal.aborted) {
        // It was neither survived nor lost.
        this.#tries -= count;
        throw error;
      }
      this.#rejected += 1;
      this.violate(`${JSON.stringify(tried)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Polls until `condition` holds. @throws Error naming `what` after `limitMs`; the signal's reason on Ctrl+C. */
  until(what: string, condition: () => boolean | Promise<boolean>, limitMs: number): Promise<void> {
    const check = (): boolean | Promise<boolean> => {
      this.signal.throwIfAborted();
      return condition();
    };
    return waitUntil(what, check, limitMs);
  }

  pause(ms: number): Promise<void> {
    return pause(ms, undefined, { signal: this.signal });
  }

  /** The last line of the run. */
  summary(): About {
    const times = this.#survivedMs.length === 0 ? null : percentiles(this.#survivedMs);
    return {
      tries: this.#tries,
      survived: this.#survived,
      violations: this.violations.length,
      p50_ms: times?.p50 ?? null,
      p99_ms: times?.p99 ?? null,
      worst_ms: times?.max ?? null,
      seed: this.random.seed,
    };
  }
}
