// The state of the screen, as the recovery changes it: it starts, shows, recovers, or withholds content that made the browser fail.
import { isAbort } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import { failureMemoryMs } from "./recovery-ladder.ts";
import type { WithheldContent } from "./withheld-content.ts";

/** `withholding`: content is withheld until `until` (monotonic ms), because showing it made the browser fail repeatedly. */
export type DisplayState =
  | { is: "starting" }
  | { is: "showing" }
  | { is: "recovering"; fault: string }
  | { is: "withholding"; fault: string; until: number };

const withholdMs = 60_000;

/** While content is withheld, no fault and no frame changes that: it ends by time, or because other content plays. */
export class Display {
  readonly #clock: Clock;
  readonly #state = new Observable<DisplayState>({ is: "starting" });
  /** The last time that content was withheld, in monotonic ms. */
  #withheld: Omit<WithheldContent, "isNow"> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get state(): Watchable<DisplayState> {
    return this.#state;
  }

  /** The content that is withheld or shown again on trial; null if there is none. */
  get withheld(): WithheldContent | null {
    if (this.#withheld === null || this.#isTrialOver(this.#withheld.until)) return null;
    const toWallTime = (monotonic: number): number => this.#clock.now() + monotonic - this.#clock.monotonic();
    const { since, until, ...rest } = this.#withheld;
    return { ...rest, isNow: this.#isWithholding, since: toWallTime(since), until: toWallTime(until) };
  }

  /** A frame was presented. */
  framePresented(): void {
    if (!this.#isWithholding) this.#state.set({ is: "showing" });
  }

  /** The browser failed, and the recovery takes a step. */
  recover(fault: string): void {
    if (!this.#isWithholding) this.#state.set({ is: "recovering", fault });
    else if (this.#withheld !== null) this.#withheld.hasFailed = true;
  }

  /** Withholds content for a minute, so that the screen can at least show the problem. @param failures how often the browser failed. */
  withhold(fault: string, failures: number, signal: AbortSignal): void {
    const now = this.#clock.monotonic();
    const before = this.#withheld;
    const since = before === null || this.#isTrialOver(before.until) ? now : before.since;
    const until = now + withholdMs;
    this.#withheld = { hasFailed: this.#isWithholding, fault, failures, since, until };
    this.#state.set({ is: "withholding", fault, until });
    void this.#endWithholding(until, signal);
  }

  /** Shows content again that is withheld, because other content plays now. */
  release(): void {
    if (!this.#isWithholding) return;
    this.#withheld = null;
    this.#state.set({ is: "starting" });
  }

  get #isWithholding(): boolean {
    return this.#state.value.is === "withholding";
  }

  /** Content that has been shown for this long is not the cause of a later failure. */
  #isTrialOver(until: number): boolean {
    return this.#clock.monotonic() > until + failureMemoryMs;
  }

  async #endWithholding(until: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.wait(until - this.#clock.monotonic(), signal);
    } catch (error) {
      if (isAbort(error)) return;
      throw error;
    }
    const state = this.#state.value;
    if (state.is === "withholding" && state.until === until) this.#state.set({ is: "starting" });
  }
}
