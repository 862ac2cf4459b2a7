// Waits for a disk that fails to read the player's identity, with a screen that says so. A new identity could replace one that is whole.
import { retry } from "../base/async/retry.ts";
import type { Clock } from "../base/clock.ts";
import { reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { ScreenContext } from "./playback/screen.ts";

export interface DiskWaitDependencies {
  /** Why the disk could not be read. */
  error: unknown;
  /** Repeats the read that failed; rejects as long as the disk fails. */
  read: () => Promise<unknown>;
  /** Ends the player, so that it starts again with the data on the disk. */
  restart: () => void;
  /** Called when the screen has changed. */
  onChange: () => void;
  clock: Clock;
  log: Log;
}

const backoffBounds = { firstMs: 1_000, longestMs: 30_000 };

/** Runs in place of the pairing. */
export class DiskWait {
  readonly #dependencies: DiskWaitDependencies;
  #reason: string;
  #retryAt: number | null = null;

  constructor(dependencies: DiskWaitDependencies) {
    this.#dependencies = dependencies;
    this.#reason = reasonOf(dependencies.error);
  }

  get phase(): ScreenContext["phase"] {
    return { is: "disk-unreadable", reason: this.#reason, retryAt: this.#retryAt };
  }

  /** Runs until `signal` aborts; asks for a restart once everything can be read. */
  async run(signal: AbortSignal): Promise<never> {
    const { read, restart, onChange, clock, log } = this.#dependencies;
    log.error({ reason: this.#reason }, "the disk cannot be read: waiting for it, and keeping what is there as it is");
    const onFailure = (error: unknown, retryInMs: number): void => {
      this.#reason = reasonOf(error);
      this.#retryAt = clock.now() + retryInMs;
      onChange();
    };
    await retry(async () => void (await read()), { clock, bounds: backoffBounds, onFailure, signal });
    log.info({}, "the disk can be read again: starting from what it has");
    restart();
    for (;;) await clock.wait(Number.POSITIVE_INFINITY, signal);
  }
}
