// The player's request to its launcher: at most one at a time, taken back when it no longer applies, and repeated if it had no effect.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { hourMs, minuteMs } from "../../base/time.ts";
import type { InstallRequest, LauncherStatus } from "../../protocol/device/updates.ts";
import { type DiskHealth, removals } from "../storage/disk-health.ts";
import type { LauncherFiles } from "./launcher-files.ts";
import type { UpdatePlan } from "./plan-update.ts";

// Unpacking a bundle takes a minute or two on a slow memory card. After that the launcher restarts the player.
const effectMs = 15 * minuteMs;
// A browser that was refused, or whose relaunch had no effect.
const askAgainMs = hourMs;

/** The version that the player should run, and the requests that are allowed now. */
interface Wish {
  /** The wanted version; null: the one that runs. */
  version: string | null;
  /** False: it is not known yet which version is wanted, so a request of an earlier run stays. */
  isKnown: boolean;
  /** True if the installed browser may replace the running one now. */
  mayRelaunch: boolean;
}

type Outcome = Pick<UpdatePlan, "is" | "detail">;

export class SwitchRequests {
  readonly #files: LauncherFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #disk: DiskHealth;
  /** The request on the disk, or the last one that was answered, and since when (monotonic ms); null: none. */
  #last: { request: InstallRequest; since: number } | null;
  #isOnDisk: boolean;
  /** When the browser's relaunch was asked for last, monotonic ms. */
  #browserAt = Number.NEGATIVE_INFINITY;

  private constructor(files: LauncherFiles, clock: Clock, log: Log, disk: DiskHealth, found: InstallRequest | null) {
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    this.#disk = disk;
    this.#last = found === null ? null : { request: found, since: clock.monotonic() };
    this.#isOnDisk = found !== null;
  }

  /** Reads the request that an earlier run of the player has left. */
  static async open(files: LauncherFiles, clock: Clock, log: Log, disk: DiskHealth): Promise<SwitchRequests> {
    let found: InstallRequest | null = null;
    await disk.attempt("update", async () => (found = await files.readRequest()));
    return new SwitchRequests(files, clock, log, disk, found);
  }

  /** Asks again at once, even if the last request had no effect. */
  forget(): void {
    if (!this.#isOnDisk) this.#last = null;
  }

  /**
   * Requests first a new browser, if `mayRelaunch`, so that a failure tells which of the two is the cause; then the wanted version, if the
   * plan allows it. Takes back a request that no longer applies. @returns the outcome for the player's report.
   */
  async settle(status: LauncherStatus, plan: UpdatePlan, { version, isKnown, mayRelaunch }: Wish): Promise<Outcome> {
    const now = this.#clock.monotonic();
    if (this.#isOnDisk && status.answered === this.#last?.request.id) await this.#remove();
    const before = this.#last;
    if (mayRelaunch && !(this.#isOnDisk && before?.request.what === "program")) {
      if (now - this.#browserAt >= askAgainMs && (await this.#ask("browser", status.version))) this.#browserAt = now;
      const isUnderWay = this.#last?.request.what === "browser" && now - this.#last.since < effectMs;
      if (isUnderWay) return plan.mayRequest ? { is: "waiting", detail: "waits until the new browser has been started" } : plan;
    }
    if (!plan.mayRequest || version === null) {
      if (this.#isOnDisk && isKnown) await this.#remove();
      return plan;
    }
    const last = this.#last;
    const isAsked = last !== null && last.request.what === "program" && last.request.version === version;
    if (isAsked && now - last.since < effectMs) return plan;
    if (isAsked && this.#isOnDisk) {
      return {
        is: "blocked",
        detail: "the launcher does not answer the request to install it. Check it with: systemctl status signage-launcher",
      };
    }
    return (await this.#ask("program", version))
      ? plan
      : { is: "blocked", detail: "the disk failed: the request to the launcher cannot be written" };
  }

  /** Resolves with whether the request is on the disk. */
  async #ask(what: InstallRequest["what"], version: string): Promise<boolean> {
    return this.#disk.attempt("update", async () => {
      const request = await this.#files.writeRequest(what, version, this.#clock.now());
      this.#last = { request, since: this.#clock.monotonic() };
      this.#isOnDisk = true;
    });
  }

  async #remove(): Promise<void> {
    const isRemoved = await this.#disk.attempt(removals, () => this.#files.removeRequest());
    if (!isRemoved) return;
    this.#isOnDisk = false;
    this.#log.debug({ id: this.#last?.request.id }, "removed a request to the launcher");
  }
}
