// Keeps the player's page on the display: detects when no frames are presented, then reloads, relaunches or withholds the content.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { BrowserEngine, Host, HostFault, HostPage } from "../host.ts";
import type { PageState } from "./page-state.ts";
import { failureMemoryMs, nextAction, type RecoveryAttempts } from "./recovery-action.ts";
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
const maxRememberedAttempts = 10;

export interface RecoveryDependencies {
  host: Host;
  surface: Surface;
  clock: Clock;
  log: Log;
}

export class Recovery {
  readonly #dependencies: RecoveryDependencies;
  readonly #display = new Observable<DisplayState>({ is: "starting" });
  #attempts: RecoveryAttempts = { reloads: [], relaunches: [] };
  #pendingFault: HostFault | null = null;
  readonly #faultReported = new Signal();
  #recoveredAt: number;
  #engine: BrowserEngine | null = null;
  /** When the browser failed recently, monotonic ms. */
  #failures: number[] = [];
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

  #report(fault: HostFault): void {
    this.#pendingFault ??= fault;
    this.#faultReported.notify();
  }

  /** Waits until the host reports a fault or the page stops presenting frames. */
  async #nextFault(signal: AbortSignal): Promise<HostFault> {
    const { surface, clock } = this.#dependencies;
    for (;;) {
      const pending = this.#pendingFault;
      this.#pendingFault = null;
      if (pending !== null) return pending;
      // A page that was just reloaded gets the time that it needs to load.
      const deadline = Math.max(frameDeadlineOf(surface.page.value), this.#recoveredAt + pageLoadLimitMs);
      if (clock.monotonic() >= deadline) return { is: "page-hung", detail: "no frame was presented" };
      await this.#faultReported.wait(clock, deadline - clock.monotonic(), signal);
    }
  }

  #onPageState(page: PageState): void {
    if (page.is === "here" && page.lastFrameAt !== null && this.#display.value.is !== "withholding") {
      this.#display.set({ is: "showing" });
    }
  }

  async #recoverFrom(fault: HostFault, page: HostPage, signal: AbortSignal): Promise<void> {
    const { host, clock, log } = this.#dependencies;
    const now = clock.monotonic();
    const action = nextAction(fault.is, this.#attempts, now);
    this.#failures = [...this.#failures.filter((at) => now - at < failureMemoryMs), now];
    const { reloads, relaunches } = this.#attempts;
    log.warn({ action }, "recovering the display");
    try {
      if (action === "reload") {
        this.#display.set({ is: "recovering", fault: fault.detail });
        this.#attempts = { relaunches, reloads: remember(reloads, now) };
        await host.reload(signal);
        return;
      }
      // After too many failures the browser starts without content, so that the screen can at least say what is wrong.
      if (action === "withhold") this.#withhold(fault.detail, now);
      else this.#display.set({ is: "recovering", fault: fault.detail });
      this.#attempts = { reloads: [], relaunches: action === "withhold" ? [] : remember(relaunches, now) };
      await host.close();
      // Faults that the old browser reported while it closed no longer matter.
      this.#pendingFault = null;
      await this.#open(page, signal);
      if (action === "withhold") void this.#endWithholding(now + withholdMs, signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      log.error({ reason: reasonOf(error), action }, "the recovery failed");
      this.#report({ is: "browser-exited", detail: reasonOf(error) });
      // Start a browser that fails at once no more than once a second.
      await clock.wait(1_000, signal);
    }
  }

  #withhold(fault: string, now: number): void {
    const before = this.#withheld;
    const since = before === null || this.#isTrialOver(before.until) ? now : before.since;
    const until = now + withholdMs;
    this.#withheld = { fault, failures: this.#failures.length, since, until };
    this.#display.set({ is: "withholding", fault, until });
  }

  /** Content that has been shown for this long is not the cause of a later failure. */
  #isTrialOver(until: number): boolean {
    return this.#dependencies.clock.monotonic() > until + failureMemoryMs;
  }

  async #open(page: HostPage, signal: AbortSignal): Promise<void> {
    this.#engine = await this.#dependencies.host.open(page, signal);
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

function remember(attempts: readonly number[], now: number): number[] {
  return [...attempts.slice(1 - maxRememberedAttempts), now];
}

/** When a page in this state counts as hung, monotonic ms. */
function frameDeadlineOf(page: PageState): number {
  if (page.is === "away") return page.since + pageLoadLimitMs;
  return (page.lastFrameAt ?? page.since) + silentPageMs;
}
