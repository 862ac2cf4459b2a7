// Everything that a session does with pictures of its screen: on command, at an interval, and live.
import type { Watchable } from "../../base/async/observable.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { rotationOf } from "../../protocol/content/orientation.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { CommandModule } from "../commands/command-module.ts";
import { screenshotModule } from "../commands/modules/screenshot.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { Camera, type CameraDependencies } from "./camera.ts";
import { CpuUsage } from "./cpu-usage.ts";
import type { PictureRules } from "./finish-picture.ts";
import { IntervalPictures } from "./interval.ts";
import { Live, type SendLiveFrame } from "./live.ts";

/** How the session's pictures are taken. */
export type PictureSource = Pick<CameraDependencies, "capture" | "displayPower" | "fault">;

export interface PicturesDependencies {
  source: PictureSource;
  playerId: string;
  desired: Watchable<DesiredState | null>;
  /** The state that plays. */
  applied: () => DesiredState | null;
  outbox: Outbox;
  clock: Clock;
  log: Log;
}

export class Pictures {
  /** The commands `screenshot` and `live`. */
  readonly modules: readonly CommandModule[];
  readonly #interval: IntervalPictures;
  readonly #live: Live;

  constructor({ source, playerId, desired, applied, outbox, clock, log }: PicturesDependencies) {
    const camera = new Camera({ ...source, clock, rules: () => rulesOf(desired.value, applied()) });
    const cpu = new CpuUsage();
    this.#interval = new IntervalPictures({ playerId, desired, camera, outbox, clock, log });
    this.#live = new Live({ camera, isBusy: () => cpu.isBusy(), clock, log });
    this.modules = [screenshotModule({ camera, outbox }), this.#live.module];
  }

  /** Sets how frames of live views reach the service. */
  connect(sendLiveFrame: SendLiveFrame): void {
    this.#live.connect(sendLiveFrame);
  }

  /** Takes the pictures at an interval until `signal` aborts (rejects with an AbortError then). */
  run(signal: AbortSignal): Promise<never> {
    return this.#interval.run(signal);
  }
}

/** The rules for pictures while `desired` is wanted and `applied` still plays: a picture shows nothing that either of them hides. */
export function rulesOf(desired: DesiredState | null, applied: DesiredState | null): PictureRules {
  const orientation = (applied ?? desired)?.player.orientation ?? "landscape";
  const states = new Set([desired, applied]);
  return { rotation: rotationOf(orientation), redact: [...states].flatMap((state) => state?.player.screenshots?.redact ?? []) };
}
