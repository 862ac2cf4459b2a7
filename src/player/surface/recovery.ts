// Keeps the player's page on the display: detects when no frames are presented, and takes the steps of the recovery ladder.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { BrowserEngine, Host, HostPage } from "../host.ts";
import type { Machine } from "../machine.ts";
import { FrameWatch, hasFrame } from "./frame-watch.ts";
import type { PageState } from "./page-state.ts";
import {
  addAttempt,
  type DisplayFault,
  failureMemoryMs,
  isRestart,
  nextAction,
  type RecoveryAction,
  type RecoveryAttempt,
} from "./recovery-ladder.ts";
import type { Restarts } from "./restarts.ts";
import type { Surface } from "./surface.ts";
import type { WithheldContent } from "./withheld-content.ts";

/** `withholding`: content is withheld until `until` (monotonic ms), because showing it made the browser fail repeatedly. */
export type DisplayState =
  | { is: "starting" }
  | { is: "showing" }
  | { is: "recovering"; fault: string }
  | { is: "withholding"; fault: string; until: number };

const withholdMs = 60_000;
// How long a browser draws without the GPU. A new one that is needed after that uses the GPU again.
const withoutGpuMs = 3_600_000;
// Time for all steps of the ladder.
const recoveryLimitMs = 600_000;

/** The content on the display, which the recovery may exchange for the content before it. */
export interface RevertibleContent {
  /** Whether the newest content may be the cause of crashes and there is content before it to play. */
  readonly canRevert: boolean;
  /** Plays the content before the newest. */
  revert(fault: string): Promise<void>;
}

export interface RecoveryDependencies {
  host: Host;
  surface: Surface;
  /** Returns null while there is no content. */
  content: () => RevertibleContent | null;
  machine: Machine;
  restarts: Restarts;
  clock: Clock;
  log: Log;
}

export class Recovery {
  readonly #dependencies: RecoveryDependencies;
  readonly #frames: FrameWatch;
  readonly #display = new Observable<DisplayState>({ is: "starting" });
  #attempts: readonly RecoveryAttempt[] = [];
  #pendingFault: DisplayFault | null = null;
  readonly #faultReported = new Signal();
  #recoveredAt: number;
  /** Since when faults have followed each other, and the last one, monotonic ms. */
  #trouble = { since: Number.NEGATIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  #engine: BrowserEngine | null = null;
  /** When the browser failed recently, monotonic ms. */
  #failures: number[] = [];
  /** Until when a new browser draws without the GPU, monotonic ms. */
  #withoutGpuUntil = 0;
  /** The last time that content was withheld, in monotonic ms. */
  #withheld: Omit<WithheldContent, "isNow"> | null = null;

  constructor(dependencies: RecoveryDependencies) {
    const { surface, clock, restarts } = dependencies;
    this.#dependencies = dependencies;
    this.#frames = new FrameWatch({ ...dependencies, page: surface.page });
    this.#recoveredAt = clock.monotonic();
    // A restart continues the trouble that it was to end.
    const last = restarts.attempts.at(-1);
    if (last === undefined) return;
    this.#trouble = { since: last.at, last: last.at };
    this.#failures = Array.from({ length: last.failures }, () => last.at);
  }

  get display(): Watchable<DisplayState> {
    return this.#display;
  }

  /** The running browser; null before the first one has started. */
  get engine(): BrowserEngine | null {
    return this.#engine;
  }

  /** False if no frame has been presented for ten minutes although one was needed: no step has helped. */
  get isHopeful(): boolean {
    return this.#dependencies.clock.monotonic() - this.#frames.lastGoodAt < recoveryLimitMs;
  }

  /** The content that is withheld or shown again on trial; null if there is none. */
  get withheld(): WithheldContent | null {
    if (this.#withheld === null || this.#isTrialOver(this.#withheld.until)) return null;
    const { clock } = this.#dependencies;
    const toWallTime = (monotonic: number): number => clock.now() + monotonic - clock.monotonic();
    const { since, until, ...rest } = this.#withheld;
    return { ...rest, isNow: this.#display.value.is === "withholding", since: toWallTime(since), until: toWallTime(until) };
  }

  /** Reloads the page because an operator asked for it. This does not count as a recovery attempt. */
  async reload(signal: AbortSignal): Promise<void> {
    await this.#dependencies.host.reload(signal);
  }

  /** Shows content again that is withheld, because other content plays now. */
  release(): void {
    if (this.#display.value.is !== "withholding") return;
    this.#withheld = null;
    this.#display.set({ is: "starting" });
  }

  /** Opens the page and recovers from faults until `signal` aborts. @throws Fault `browser-missing`. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, host, surface, log } = this.#dependencies;
    host.onFault((fault) => this.#report(fault), signal);
    this.#frames.follow(signal);
    surface.page.watch((page) => this.#onPageState(page), signal);
    await this.#open(surface.hostPage, signal).catch((error: unknown) => {
      if (signal.aborted || isFault(error, "browser-missing")) throw error;
      // An unattended screen must keep trying although its first start failed.
      this.#report({ is: "browser-exited", detail: reasonOf(error) });
    });
    this.#recoveredAt = clock.monotonic();
    for (;;) {
      const fault = await this.#nextFault(signal);
      log.error({ fault: fault.is, detail: fault.detail }, "rendering failed");
      await this.#recoverFrom(fault, surface.hostPage, signal);
      this.#recoveredAt = clock.monotonic();
    }
  }

  #report(fault: DisplayFault): void {
    this.#pendingFault ??= fault;
    this.#faultReported.notify();
  }

  /** Waits until the host reports a fault or the page stops presenting frames. */
  async #nextFault(signal: AbortSignal): Promise<DisplayFault> {
    const { clock } = this.#dependencies;
    for (;;) {
      const pending = this.#pendingFault;
      this.#pendingFault = null;
      if (pending !== null) return pending;
      // A page that was just reloaded gets the time that it needs to load.
      const leftMs = this.#frames.deadline(this.#recoveredAt) - clock.monotonic();
      if (leftMs > 0) {
        await this.#faultReported.wait(clock, leftMs, signal);
        continue;
      }
      const fault = await this.#frames.judge(this.#engine?.headless === true);
      if (fault !== null) return fault;
    }
  }

  #onPageState(page: PageState): void {
    if (hasFrame(page)) this.#setDisplay({ is: "showing" });
  }

  async #recoverFrom(fault: DisplayFault, page: HostPage, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#dependencies;
    const now = clock.monotonic();
    this.#failures = [...this.#failures.filter((at) => now - at < failureMemoryMs), now];
    if (this.#display.value.is === "withholding" && this.#withheld !== null) this.#withheld.hasFailed = true;
    const action = await this.#chooseAction(fault, now);
    if (!isRestart(action)) this.#attempts = addAttempt(this.#attempts, action, now);
    log.warn({ action }, "recovering the display");
    if (action === "withhold") this.#withhold(fault.detail, now, signal);
    else this.#setDisplay({ is: "recovering", fault: fault.detail });
    if (action === "relaunch-without-gpu") this.#withoutGpuUntil = now + withoutGpuMs;
    try {
      await this.#take(action, fault, page, signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      log.error({ reason: reasonOf(error), action }, "the recovery failed");
      this.#report({ is: "browser-exited", detail: reasonOf(error) });
      // Start a browser that fails at once no more than once a second.
      await clock.wait(1_000, signal);
    }
  }

  async #chooseAction(fault: DisplayFault, now: number): Promise<RecoveryAction> {
    const { restarts, content } = this.#dependencies;
    const since = now - this.#trouble.last < failureMemoryMs ? this.#trouble.since : now;
    this.#trouble = { since, last: now };
    const attempts = [...restarts.attempts, ...this.#attempts];
    const { canRestartMachine } = restarts;
    const canRevertContent = content()?.canRevert ?? false;
    const action = nextAction(fault.is, { now, attempts, troubleSince: since, canRevertContent, canRestartMachine });
    // A restart that the disk cannot record could be repeated without end.
    return isRestart(action) && !(await restarts.record(action, this.#failures.length)) ? "withhold" : action;
  }

  async #take(action: RecoveryAction, fault: DisplayFault, page: HostPage, signal: AbortSignal): Promise<void> {
    const { host, restarts, content } = this.#dependencies;
    if (action === "wait") return this.#frames.wait();
    if (isRestart(action)) return await restarts.begin(action, signal);
    if (action === "reload") return await host.reload(signal);
    await host.close();
    if (action === "revert-content") await content()?.revert(fault.detail);
    // Faults that the old browser reported while it closed no longer matter.
    this.#pendingFault = null;
    await this.#open(page, signal);
  }

  /** Changes what the display does. While content is withheld, no fault and no frame changes that; it ends by time. */
  #setDisplay(display: DisplayState): void {
    if (this.#display.value.is !== "withholding") this.#display.set(display);
  }

  /** Withholds content, so that the screen can at least say what is wrong. */
  #withhold(fault: string, now: number, signal: AbortSignal): void {
    const before = this.#withheld;
    const since = before === null || this.#isTrialOver(before.until) ? now : before.since;
    const until = now + withholdMs;
    const hasFailed = this.#display.value.is === "withholding";
    this.#withheld = { hasFailed, fault, failures: this.#failures.length, since, until };
    this.#display.set({ is: "withholding", fault, until });
    void this.#endWithholding(until, signal);
  }

  /** Content that has been shown for this long is not the cause of a later failure. */
  #isTrialOver(until: number): boolean {
    return this.#dependencies.clock.monotonic() > until + failureMemoryMs;
  }

  async #open(page: HostPage, signal: AbortSignal): Promise<void> {
    const { host, clock } = this.#dependencies;
    this.#engine = await host.open(page, signal, { withoutGpu: clock.monotonic() < this.#withoutGpuUntil });
  }

  async #endWithholding(until: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies;
    try {
      await clock.wait(until - clock.monotonic(), signal);
    } catch (error) {
      if (isAbort(error)) return;
      throw error;
    }
    const display = this.#display.value;
    if (display.is === "withholding" && display.until === until) this.#display.set({ is: "starting" });
  }
}
