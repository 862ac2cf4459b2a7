// Keeps the player's page on the display: detects when no frames are presented, and takes the steps of the recovery ladder.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import { type BrowserEngine, describeEngine, type Host, type HostPage } from "../host.ts";
import type { Machine } from "../machine.ts";
import { Display, type DisplayState } from "./display.ts";
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

// How long a browser draws without the GPU. A new one that is needed after that uses the GPU again.
const withoutGpuMs = hourMs;
// Time for all steps of the ladder.
const recoveryLimitMs = 10 * minuteMs;

/** The content on the display, which the recovery may exchange for the content before it. */
export interface RevertibleContent {
  /** True if the newest content may be the cause of crashes and there is content before it to play. */
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
  /** True if the display is off because the player was asked to switch it off. */
  isOffOnPurpose: () => boolean;
  restarts: Restarts;
  clock: Clock;
  log: Log;
}

export class Recovery {
  readonly #dependencies: RecoveryDependencies;
  readonly #frames: FrameWatch;
  readonly #display: Display;
  #attempts: readonly RecoveryAttempt[] = [];
  #pendingFault: DisplayFault | null = null;
  #fault: DisplayFault["is"] | null = null;
  readonly #faultReported = new Signal();
  #recoveredAt: number;
  /** Since when faults have followed each other, and the last one, monotonic ms. */
  #trouble = { since: Number.NEGATIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  #engine: BrowserEngine | null = null;
  /** When the browser failed recently, monotonic ms. */
  #failures: number[] = [];
  /** Until when a new browser draws without the GPU, monotonic ms. */
  #withoutGpuUntil = 0;
  /** Since when the running browser draws without the GPU, monotonic ms; null: it uses the GPU if the machine has one. */
  #withoutGpuSince: number | null = null;

  constructor(dependencies: RecoveryDependencies) {
    const { surface, clock, restarts } = dependencies;
    this.#dependencies = dependencies;
    this.#display = new Display(clock);
    this.#frames = new FrameWatch({ ...dependencies, page: surface.page });
    this.#recoveredAt = clock.monotonic();
    // A restart continues the trouble that it was to end.
    const last = restarts.attempts.at(-1);
    if (last === undefined) return;
    this.#trouble = { since: last.at, last: last.at };
    this.#failures = Array.from({ length: last.failures }, () => last.at);
  }

  get display(): Watchable<DisplayState> {
    return this.#display.state;
  }

  /** The last failure, while no frame has been presented since; null: none. */
  get fault(): DisplayFault["is"] | null {
    return this.#fault;
  }

  /** The running browser; null before the first one has started. */
  get engine(): BrowserEngine | null {
    return this.#engine;
  }

  /** The heartbeat's share of the browser. */
  report(): Pick<Heartbeat, "engine"> {
    return { engine: describeEngine(this.#engine) };
  }

  /** False if no frame has been presented for ten minutes although one was needed: no step has helped. */
  get isHopeful(): boolean {
    return this.#dependencies.clock.monotonic() - this.#frames.lastGoodAt < recoveryLimitMs;
  }

  /** The content that is withheld or shown again on trial; null if there is none. */
  get withheld(): WithheldContent | null {
    return this.#display.withheld;
  }

  /** For how long the browser has drawn without the GPU because it failed with it, ms; null: it does not. */
  get withoutGpuMs(): number | null {
    return this.#withoutGpuSince === null ? null : this.#dependencies.clock.monotonic() - this.#withoutGpuSince;
  }

  /** Reloads the page because an operator asked for it. This does not count as a recovery attempt. */
  async reload(signal: AbortSignal): Promise<void> {
    await this.#dependencies.host.reload(signal);
  }

  /** Shows content again that is withheld, because other content plays now. */
  release(): void {
    this.#display.release();
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
    this.#fault = fault.is;
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
    if (!hasFrame(page)) return;
    this.#fault = null;
    this.#display.framePresented();
  }

  async #recoverFrom(fault: DisplayFault, page: HostPage, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#dependencies;
    const now = clock.monotonic();
    this.#failures = [...this.#failures.filter((at) => now - at < failureMemoryMs), now];
    const action = await this.#chooseAction(fault, now);
    if (!isRestart(action)) this.#attempts = addAttempt(this.#attempts, action, now, this.#frames.lastGoodAt);
    log.warn({ action }, "recovering the display");
    if (action === "withhold") this.#display.withhold(fault.detail, this.#failures.length, signal);
    else this.#display.recover(fault.detail);
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
    const { host, restarts, content } = this.#dependencies;
    const since = now - this.#trouble.last < failureMemoryMs ? this.#trouble.since : now;
    this.#trouble = { since, last: now };
    const action = nextAction(fault.is, {
      now,
      attempts: [...restarts.attempts, ...this.#attempts],
      lastFrameAt: this.#frames.lastGoodAt,
      troubleSince: since,
      canRevertContent: content()?.canRevert ?? false,
      canDrawWithoutGpu: host.canDrawWithoutGpu && now >= this.#withoutGpuUntil,
      canRestartMachine: restarts.canRestartMachine,
    });
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

  async #open(page: HostPage, signal: AbortSignal): Promise<void> {
    const { host, clock } = this.#dependencies;
    const now = clock.monotonic();
    const withoutGpu = now < this.#withoutGpuUntil;
    this.#withoutGpuSince = withoutGpu ? (this.#withoutGpuSince ?? now) : null;
    this.#engine = await host.open(page, signal, { withoutGpu });
  }
}
