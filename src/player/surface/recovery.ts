// Keeps the player's page on the display: detects when no frames are presented, and takes the steps of the recovery ladder.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { BrowserEngine, Host, HostPage } from "../host.ts";
import type { PageState } from "./page-state.ts";
import {
  addAttempt,
  type DisplayFault,
  failureMemoryMs,
  nextAction,
  type RecoveryAction,
  type RecoveryAttempt,
} from "./recovery-ladder.ts";
import type { Surface } from "./surface.ts";
import type { WithheldContent } from "./withheld-content.ts";

/** `withholding`: content is withheld until `until` (monotonic ms), because showing it made the browser fail repeatedly. */
export type DisplayState =
  | { is: "starting" }
  | { is: "showing" }
  | { is: "recovering"; fault: string }
  | { is: "withholding"; fault: string; until: number };

const withholdMs = 60_000;
// The page reports frames every three seconds. A page that decodes 4K video on a Raspberry Pi may miss a few reports.
const silentPageMs = 15_000;
const pageLoadLimitMs = 30_000;
// A page that reports so often has had the time to present a frame.
const reportsToTrust = 3;
// How long a browser draws without the GPU. A new one that is needed after that uses the GPU again.
const withoutGpuMs = 3_600_000;

export interface RecoveryDependencies {
  host: Host;
  surface: Surface;
  clock: Clock;
  log: Log;
}

export class Recovery {
  readonly #dependencies: RecoveryDependencies;
  readonly #display = new Observable<DisplayState>({ is: "starting" });
  #attempts: readonly RecoveryAttempt[] = [];
  #pendingFault: DisplayFault | null = null;
  readonly #faultReported = new Signal();
  #recoveredAt: number;
  #engine: BrowserEngine | null = null;
  /** When the browser failed recently, monotonic ms. */
  #failures: number[] = [];
  /** Until when a new browser draws without the GPU, monotonic ms. */
  #withoutGpuUntil = 0;
  /** The last time that content was withheld, in monotonic ms. */
  #withheld: Omit<WithheldContent, "isNow"> | null = null;

  constructor(dependencies: RecoveryDependencies) {
    this.#dependencies = dependencies;
    this.#recoveredAt = dependencies.clock.monotonic();
  }

  get display(): Watchable<DisplayState> {
    return this.#display;
  }

  /** The running browser; null before the first one has started. */
  get engine(): BrowserEngine | null {
    return this.#engine;
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
    const { surface, clock } = this.#dependencies;
    for (;;) {
      const pending = this.#pendingFault;
      this.#pendingFault = null;
      if (pending !== null) return pending;
      // A page that was just reloaded gets the time that it needs to load.
      const deadline = Math.max(frameDeadlineOf(surface.page.value), this.#recoveredAt + pageLoadLimitMs);
      if (clock.monotonic() >= deadline) return faultOf(surface.page.value);
      await this.#faultReported.wait(clock, deadline - clock.monotonic(), signal);
    }
  }

  #onPageState(page: PageState): void {
    if (page.is === "here" && page.lastFrameAt !== null && page.reportsWithoutFrame === 0) this.#setDisplay({ is: "showing" });
  }

  async #recoverFrom(fault: DisplayFault, page: HostPage, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#dependencies;
    const now = clock.monotonic();
    const action = nextAction(fault.is, this.#attempts, now);
    this.#failures = [...this.#failures.filter((at) => now - at < failureMemoryMs), now];
    this.#attempts = addAttempt(this.#attempts, action, now);
    log.warn({ action }, "recovering the display");
    if (action === "withhold") this.#withhold(fault.detail, now, signal);
    else this.#setDisplay({ is: "recovering", fault: fault.detail });
    if (action === "relaunch-without-gpu") this.#withoutGpuUntil = now + withoutGpuMs;
    try {
      await this.#take(action, page, signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      log.error({ reason: reasonOf(error), action }, "the recovery failed");
      this.#report({ is: "browser-exited", detail: reasonOf(error) });
      // Start a browser that fails at once no more than once a second.
      await clock.wait(1_000, signal);
    }
  }

  async #take(action: RecoveryAction, page: HostPage, signal: AbortSignal): Promise<void> {
    const { host } = this.#dependencies;
    if (action === "reload") return await host.reload(signal);
    await host.close();
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
    this.#withheld = { fault, failures: this.#failures.length, since, until };
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

/** The fault of a page that has presented no frame for too long. */
function faultOf(page: PageState): DisplayFault {
  if (page.is === "here" && page.reportsWithoutFrame >= reportsToTrust)
    return { is: "no-frames", detail: "the page responds, but no frame was presented" };
  return { is: "page-hung", detail: page.is === "here" ? "the page stopped reporting" : "the page did not connect" };
}

/** When a page in this state counts as hung, monotonic ms. */
function frameDeadlineOf(page: PageState): number {
  if (page.is === "away") return page.since + pageLoadLimitMs;
  return (page.lastFrameAt ?? page.since) + silentPageMs;
}
