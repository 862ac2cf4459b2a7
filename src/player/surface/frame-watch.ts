// Judges from the page's reports whether its frames are missing, and whether that is a fault: a display that is off needs none.
import type { Watchable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hourMs } from "../../base/time.ts";
import type { Machine } from "../machine.ts";
import type { PageState } from "./page-state.ts";
import type { DisplayFault } from "./recovery-ladder.ts";

// The page reports frames every three seconds. A page that decodes 4K video on a Raspberry Pi may miss a few reports.
const silentPageMs = 15_000;
const pageLoadLimitMs = 30_000;
// A page that reports so often has had the time to present a frame.
const reportsToTrust = 3;
// How long missing frames are accepted after `wait`.
const waitMs = hourMs;

export interface FrameWatchDependencies {
  page: Watchable<PageState>;
  machine: Machine;
  /** True if the display is off because the player was asked to switch it off. */
  isOffOnPurpose: () => boolean;
  clock: Clock;
  log: Log;
}

/** Times in monotonic ms. */
export class FrameWatch {
  readonly #dependencies: FrameWatchDependencies;
  /** When a frame was last presented, or last known not to be needed. */
  #lastGoodAt: number;
  #lastReportAt: number;
  #excusedAt = Number.NEGATIVE_INFINITY;
  #waitUntil = Number.NEGATIVE_INFINITY;
  #isDisplayOff = false;
  /** True if the display was off on purpose at the last check of the page. */
  #wasOffOnPurpose = false;

  constructor(dependencies: FrameWatchDependencies) {
    this.#dependencies = dependencies;
    this.#lastGoodAt = dependencies.clock.monotonic();
    this.#lastReportAt = this.#lastGoodAt;
  }

  /** When a frame was last presented, or last known not to be needed because the display is off or its state is unknown. */
  get lastGoodAt(): number {
    return this.#lastGoodAt;
  }

  /** Follows the page's frames until `signal` aborts. */
  follow(signal: AbortSignal): void {
    const { clock, page: pageState } = this.#dependencies;
    pageState.watch((page) => {
      this.#lastReportAt = clock.monotonic();
      if (!hasFrame(page)) return;
      this.#lastGoodAt = this.#lastReportAt;
      this.#waitUntil = Number.NEGATIVE_INFINITY;
    }, signal);
  }

  /** When the page has to be judged unless it presents a frame before. @param startedAt when it was loaded or reloaded. */
  deadline(startedAt: number): number {
    const page = this.#dependencies.page.value;
    const due = page.is === "away" ? page.since + pageLoadLimitMs : (page.lastFrameAt ?? page.since) + silentPageMs;
    return Math.max(due, startedAt + pageLoadLimitMs, this.#excusedAt + silentPageMs);
  }

  /** The fault of a page whose deadline has passed; null if it may be without frames. @param isHeadless whether there is no display. */
  async judge(isHeadless: boolean): Promise<DisplayFault | null> {
    const page = this.#dependencies.page.value;
    if (page.is === "away") return { is: "page-hung", detail: "the page did not connect" };
    if (this.#isExcused()) return null;
    const isSilent = this.#dependencies.clock.monotonic() - this.#lastReportAt >= silentPageMs;
    if (isSilent || page.reportsWithoutFrame < reportsToTrust) return { is: "page-hung", detail: "the page stopped reporting" };
    const power = isHeadless ? "on" : await this.#dependencies.machine.displayPower();
    const now = this.#dependencies.clock.monotonic();
    this.#logPower(power);
    const detail = "the page responds, but no frame was presented";
    if (power === "on") return { is: "no-frames", detail };
    if (power === null && now >= this.#waitUntil) return { is: "no-frames-unexplained", detail: `${detail}; the display may be off` };
    this.#excusedAt = now;
    this.#lastGoodAt = now;
    return null;
  }

  /**
   * True if missing frames and reports are no fault because the display is off on purpose. A browser may stop drawing, and even its
   * timers, for a display that is off. When it is on again, the page gets the time to present a frame anew.
   */
  #isExcused(): boolean {
    const isOff = this.#dependencies.isOffOnPurpose();
    const isExcused = isOff || this.#wasOffOnPurpose;
    this.#wasOffOnPurpose = isOff;
    if (isExcused) this.#excusedAt = this.#lastGoodAt = this.#dependencies.clock.monotonic();
    return isExcused;
  }

  /** Accepts for an hour that a page presents no frames, unless the display is known to be on. */
  wait(): void {
    this.#waitUntil = this.#dependencies.clock.monotonic() + waitMs;
  }

  #logPower(power: "on" | "off" | null): void {
    const isOff = power === "off";
    if (isOff && !this.#isDisplayOff) this.#dependencies.log.info("no frames are presented, because the display is switched off");
    this.#isDisplayOff = isOff;
  }
}

/** True if the page's newest report says that it presented a frame. */
export function hasFrame(page: PageState): boolean {
  return page.is === "here" && page.lastFrameAt !== null && page.reportsWithoutFrame === 0;
}
