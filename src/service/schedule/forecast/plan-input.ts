// The input of a screen's plan, for forecasts.
import type { DesiredState } from "../../../protocol/device/desired-state.ts";
import type { LastingIntervention } from "../../../schedule/interventions.ts";
import type { PlayableContent } from "../../../schedule/playable-content.ts";

export interface PlanInput {
  desired: DesiredState;
  interventions: readonly LastingIntervention[];
  /** The time zone of the device, for a screen without one of its own. */
  deviceTimeZone: string;
}

/** The content of a player that has every file of its desired state. */
export function withAllFiles(desired: DesiredState): PlayableContent {
  return { desired, files: new Map(desired.assets.map(({ id, sha256 }) => [id, sha256])) };
}
