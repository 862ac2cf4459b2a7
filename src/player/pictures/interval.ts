// Takes the pictures that the player sends by itself: at an interval, and only when the screen looks different.
import { createHash } from "node:crypto";
import type { Watchable } from "../../base/async/observable.ts";
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { ScreenshotSettings } from "../../protocol/device/screenshot-settings.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { appearanceOf, looksSame, type Appearance } from "./appearance.ts";
import type { Camera } from "./camera.ts";
import { storePicture } from "./store-picture.ts";

export interface IntervalPicturesDependencies {
  playerId: string;
  desired: Watchable<DesiredState | null>;
  camera: Camera;
  outbox: Outbox;
  clock: Clock;
  log: Log;
}

export class IntervalPictures {
  readonly #dependencies: IntervalPicturesDependencies;
  /** How the last picture that was queued looks. */
  #last: Appearance | null = null;
  /** Why the last picture was not taken; null: it was. Logged when it changes. */
  #trouble: string | null = null;

  constructor(dependencies: IntervalPicturesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes pictures as the desired state says, on the monotonic clock, until `signal` aborts (rejects with an AbortError then). */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, desired, playerId } = this.#dependencies;
    const changed = new Signal();
    desired.watch(() => changed.notify(), signal);
    let everyMs: number | null = null;
    let dueAt = Number.POSITIVE_INFINITY;
    for (;;) {
      const settings = this.#settings;
      const wantedMs = settings?.every_s == null ? null : settings.every_s * 1_000;
      const now = clock.monotonic();
      if (wantedMs !== everyMs) {
        everyMs = wantedMs;
        // Players whose interval is set at once, or that start at once, must not send at once.
        dueAt = wantedMs === null ? Number.POSITIVE_INFINITY : now + phaseOf(playerId) * wantedMs;
      }
      if (dueAt > now) {
        await changed.wait(clock, dueAt - now, signal);
        continue;
      }
      // A picture that took longer than the interval leaves the next one out: never two for one due time.
      while (dueAt <= now) dueAt += everyMs!;
      await this.#take(settings!, signal);
    }
  }

  get #settings(): ScreenshotSettings | null {
    return this.#dependencies.desired.value?.player.screenshots ?? null;
  }

  async #take({ format, quality, max_width: maxWidth, only_changed: onlyChanged }: ScreenshotSettings, signal: AbortSignal): Promise<void> {
    const { camera, outbox, log } = this.#dependencies;
    try {
      const picture = await camera.take({ format, quality, maxWidth }, signal);
      const appearance = onlyChanged ? await appearanceOf(picture.bytes) : null;
      const isSame = appearance !== null && this.#last !== null && looksSame(appearance, this.#last);
      if (!isSame) {
        await storePicture(outbox, picture, null);
        this.#last = appearance;
      }
      this.#trouble = null;
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      const reason = isFault(error) ? error.code : reasonOf(error);
      if (reason === this.#trouble) return;
      this.#trouble = reason;
      // A display that is off on purpose is no trouble.
      const isOff = isFault(error, "display-off");
      log[isOff ? "info" : "warn"]({ reason: reasonOf(error) }, "no picture at the interval");
    }
  }
}

/** A share of the interval, from 0 to 1, that differs between players and stays the same for each. */
function phaseOf(playerId: string): number {
  return createHash("sha256").update(playerId).digest().readUInt32BE() / 2 ** 32;
}
