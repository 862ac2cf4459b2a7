// Fault to action: what is done when the glass no longer shows frames. Reload, relaunch, and in the end a safe screen.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import type { BrowserEngine, Host, HostFault, HostPage } from "../host.ts";
import type { PageState, Surface } from "./surface.ts";

/** How the glass is. `safe`: content is withheld until `until` (monotonic ms), because showing it killed the browser again and again. */
export type DisplayState =
  | { is: "starting" }
  | { is: "showing" }
  | { is: "mending"; fault: string }
  | { is: "safe"; fault: string; until: number };

/** Content that is kept off the screen because showing it made the browser fail. Wall times, ms. */
export interface WithheldContent {
  /** False: it was, and is on trial on the screen. */
  isNow: boolean;
  fault: string;
  /** How often the browser failed within five minutes. */
  failures: number;
  /** When it was withheld first, trials in between not counted. */
  since: number;
  until: number;
}

/** What has been tried lately, oldest first; monotonic ms. */
export interface RecoveryAttempts {
  reloads: readonly number[];
  relaunches: readonly number[];
}

export type RecoveryAction = "reload" | "relaunch" | "safe";

// A page that came up well for this long has earned a fresh start of the ladder.
const memoryMs = 300_000;
const reloadsBeforeRelaunch = 3;
const relaunchesBeforeSafe = 4;
const safeMs = 60_000;
// The page beats every three seconds; a page busy with a 4K decode on a Pi may miss a few.
const silentPageMs = 15_000;
const arrivalLimitMs = 30_000;

/** The next action of the ladder. Pure. A browser that is gone cannot be reloaded. */
export function nextAction(fault: HostFault["is"], attempts: RecoveryAttempts, now: number): RecoveryAction {
  const recent = (times: readonly number[]): number => times.filter((at) => now - at < memoryMs).length;
  if (recent(attempts.relaunches) >= relaunchesBeforeSafe) return "safe";
  if (fault === "browser-exited") return "relaunch";
  return recent(attempts.reloads) < reloadsBeforeRelaunch ? "reload" : "relaunch";
}

export interface RecoveryDependencies {
  host: Host;
  surface: Surface;
  clock: Clock;
  log: Log;
}

/** Keeps the page on the glass for as long as it runs. */
export class Recovery {
  readonly #parts: RecoveryDependencies;
  readonly #glass = new Observable<DisplayState>({ is: "starting" });
  #attempts: RecoveryAttempts = { reloads: [], relaunches: [] };
  #asked: HostFault | null = null;
  readonly #bell = new Signal();
  #mendedAt: number;
  #engine: BrowserEngine | null = null;
  /** When the browser failed lately, monotonic ms. */
  #failures: number[] = [];
  /** The last time that content was withheld; instants on the monotonic clock. */
  #withheld: Omit<WithheldContent, "isNow"> | null = null;

  constructor(parts: RecoveryDependencies) {
    this.#parts = parts;
    this.#mendedAt = parts.clock.monotonic();
  }

  get display(): Watchable<DisplayState> {
    return this.#glass;
  }

  /** The browser that runs; null before the first has started. */
  get engine(): BrowserEngine | null {
    return this.#engine;
  }

  /** Whether content is withheld, or was until lately and is on trial; null when neither. */
  get withheld(): WithheldContent | null {
    if (this.#withheld === null || this.#isTrialOver(this.#withheld.until)) return null;
    const { clock } = this.#parts;
    const wallAt = (at: number): number => clock.now() + at - clock.monotonic();
    const { since, until, ...about } = this.#withheld;
    return { ...about, isNow: this.#glass.value.is === "safe", since: wallAt(since), until: wallAt(until) };
  }

  /** Loads the page anew, by an operator's wish: counts for nothing on the ladder. */
  async reload(signal: AbortSignal): Promise<void> {
    await this.#parts.host.reload(signal);
  }

  /** Opens the page and mends what breaks until `signal` aborts. @throws Fault `browser-missing`. */
  async run(signal: AbortSignal): Promise<never> {
    const { host, surface, log } = this.#parts;
    host.onFault((fault) => this.#report(fault), signal);
    surface.page.watch((page) => this.#note(page), signal);
    await this.#open(surface.hostPage, signal).catch((error: unknown) => {
      if (signal.aborted || isFault(error, "browser-missing")) throw error;
      // An unattended screen is not given up because its first start failed: the ladder goes on.
      this.#report({ is: "browser-exited", detail: reasonOf(error) });
    });
    this.#mendedAt = this.#parts.clock.monotonic();
    for (;;) {
      const fault = await this.#nextFault(signal);
      log.error({ fault: fault.is, detail: fault.detail }, "the glass has failed");
      await this.#mend(fault, surface.hostPage, signal);
      this.#mendedAt = this.#parts.clock.monotonic();
    }
  }

  #report(fault: HostFault): void {
    this.#asked ??= fault;
    this.#bell.notify();
  }

  /** Waits for a fault that the host tells, or for a page that has fallen silent. */
  async #nextFault(signal: AbortSignal): Promise<HostFault> {
    const { surface, clock } = this.#parts;
    for (;;) {
      const asked = this.#asked;
      this.#asked = null;
      if (asked !== null) return asked;
      // A page just mended is given the time that a fresh one takes to come up.
      const silentAt = Math.max(silentSince(surface.page.value), this.#mendedAt + arrivalLimitMs);
      if (clock.monotonic() >= silentAt) return { is: "page-hung", detail: "no frame was presented" };
      await this.#bell.wait(clock, silentAt - clock.monotonic(), signal);
    }
  }

  #note(page: PageState): void {
    if (page.is === "here" && page.lastFrameAt !== null && this.#glass.value.is !== "safe") this.#glass.set({ is: "showing" });
  }

  async #mend(fault: HostFault, page: HostPage, signal: AbortSignal): Promise<void> {
    const { host, clock, log } = this.#parts;
    const now = clock.monotonic();
    const action = nextAction(fault.is, this.#attempts, now);
    this.#failures = [...this.#failures.filter((at) => now - at < memoryMs), now];
    log.warn({ action }, "mending the glass");
    try {
      if (action === "reload") {
        this.#glass.set({ is: "mending", fault: fault.detail });
        this.#attempts = { ...this.#attempts, reloads: [...this.#attempts.reloads.slice(-9), now] };
        await host.reload(signal);
        return;
      }
      // Too many in too short a time: the next start shows no content, so that the screen can at least say what is wrong.
      if (action === "safe") this.#withhold(fault.detail, now);
      else this.#glass.set({ is: "mending", fault: fault.detail });
      this.#attempts = {
        reloads: [],
        relaunches: action === "safe" ? [] : [...this.#attempts.relaunches.slice(-9), now],
      };
      await host.close();
      // What the old browser complained of while it ended is over.
      this.#asked = null;
      await this.#open(page, signal);
      if (action === "safe") void this.#leaveSafe(now + safeMs, signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      log.error({ reason: reasonOf(error), action }, "mending failed");
      this.#report({ is: "browser-exited", detail: reasonOf(error) });
      // A browser that cannot even be started is not asked for more than once a second.
      await clock.wait(1_000, signal);
    }
  }

  #withhold(fault: string, now: number): void {
    const before = this.#withheld;
    const since = before === null || this.#isTrialOver(before.until) ? now : before.since;
    const until = now + safeMs;
    this.#withheld = { fault, failures: this.#failures.length, since, until };
    this.#glass.set({ is: "safe", fault, until });
  }

  /** Content that has been shown for so long is not to blame any more. */
  #isTrialOver(until: number): boolean {
    return this.#parts.clock.monotonic() > until + memoryMs;
  }

  async #open(page: HostPage, signal: AbortSignal): Promise<void> {
    this.#engine = await this.#parts.host.open(page, signal);
  }

  async #leaveSafe(until: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    try {
      await clock.wait(until - clock.monotonic(), signal);
    } catch (error) {
      if (isAbort(error)) return;
      throw error;
    }
    const glass = this.#glass.value;
    if (glass.is === "safe" && glass.until === until) this.#glass.set({ is: "starting" });
  }
}

/** When a page in this state counts as hung, monotonic ms. */
function silentSince(page: PageState): number {
  if (page.is === "away") return page.since + arrivalLimitMs;
  return (page.lastFrameAt ?? page.since) + silentPageMs;
}
