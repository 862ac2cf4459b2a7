// Takes all pictures of the screen, one at a time: each within five seconds, or with the reason why there is none.
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort, isFault, type FaultCode } from "../../base/fault.ts";
import type { Host, HostFault } from "../host.ts";
import { captureFor, finishPicture, type Picture, type PictureRequest, type PictureRules } from "./finish-picture.ts";

export interface CameraDependencies {
  capture: Host["capture"];
  /** The power of the player's displays; null: unknown. */
  displayPower: () => Promise<"on" | "off" | null>;
  /** The failure that the player repairs now; null: none. */
  fault: () => string | null;
  /** The rules for pictures that are taken now. */
  rules: () => PictureRules;
  clock: Clock;
}

/** A picture, with the time at which it was taken and how long the browser took. */
export interface TakenPicture extends Picture {
  /** Corrected wall time, ms. */
  capturedAt: number;
  captureMs: number;
}

/** Above this, something is wrong that waiting does not mend. */
export const pictureLimitMs = 5_000;

const whileRecovering = "The screen is already repairing it: send the command again in half a minute";
const faults: Readonly<Record<HostFault["is"], [code: FaultCode, detail: string]>> = {
  "page-crashed": ["page-crashed", `There is no picture, because the screen's page has crashed. ${whileRecovering}`],
  "page-hung": ["page-hung", `There is no picture, because the screen's page does not respond. ${whileRecovering}`],
  "browser-exited": ["browser-gone", `There is no picture, because the browser has ended. ${whileRecovering}`],
};
/** The codes of failed captures. */
const ofBrowser: ReadonlySet<FaultCode> = new Set(["page-dead", "page-hung", "browser-failed", "browser-missing", "timeout"]);
const tooSlow = `There was no picture within ${pictureLimitMs / 1_000} s: the device may be overloaded. Try again`;
const displayOff =
  "There is no picture, because the display is switched off: people see nothing on it. Switch it on with display.power, or look at its opening hours";

export class Camera {
  readonly #dependencies: CameraDependencies;
  /** Settles when the picture before has been taken. */
  #last: Promise<void> = Promise.resolve();

  constructor(dependencies: CameraDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Takes a picture, after those that others have asked for.
   * @throws Fault `display-off`, `page-crashed`, `page-hung`, `browser-gone`, `not-redacted` or `timeout`; AbortError.
   */
  async take(request: PictureRequest, signal: AbortSignal): Promise<TakenPicture> {
    const { clock } = this.#dependencies;
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    const end = new AbortController();
    const limit = AbortSignal.any([signal, end.signal]);
    const deadline = clock.wait(pictureLimitMs, limit).then(() => {
      throw this.#reasonOf(new Fault("timeout", tooSlow));
    });
    try {
      return await Promise.race([before.then(() => this.#take(request, limit)), deadline]);
    } finally {
      end.abort();
      turn.resolve();
    }
  }

  async #take(request: PictureRequest, signal: AbortSignal): Promise<TakenPicture> {
    const { capture, clock, displayPower, rules: currentRules } = this.#dependencies;
    signal.throwIfAborted();
    if ((await displayPower()) === "off") throw new Fault("display-off", displayOff);
    const rules = currentRules();
    const startedAt = clock.monotonic();
    try {
      const captured = await capture(signal, captureFor(request, rules));
      const captureMs = clock.monotonic() - startedAt;
      const capturedAt = clock.now();
      signal.throwIfAborted();
      return { ...(await finishPicture(captured, request, rules)), capturedAt, captureMs };
    } catch (error) {
      throw isAbort(error) ? error : this.#reasonOf(error);
    }
  }

  /** The fault that the recovery of the browser reports, because it explains more than the failed capture. */
  #reasonOf(error: unknown): unknown {
    if (!isFault(error) || !ofBrowser.has(error.code)) return error;
    const known = this.#dependencies.fault() ?? (error.code === "page-hung" ? "page-hung" : null);
    const [code, detail] = faults[known as HostFault["is"]] ?? (error.code === "timeout" ? ["timeout", tooSlow] : faults["browser-exited"]);
    return new Fault(code, detail, { cause: error });
  }
}
