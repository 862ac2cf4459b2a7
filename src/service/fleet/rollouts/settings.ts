// The rings and limits of a rollout, as its row stores them.
import type { DesiredRelease } from "../../../protocol/device/updates.ts";
import type { NewRollout } from "../../../protocol/operator/rollouts.ts";
import type { RolloutRow } from "../../store/tables/fleet.ts";

/** The stored JSON. */
export type RolloutSettings = Omit<NewRollout, "version" | "name" | "replace"> & {
  /** When the players of an aborted rollout go back. */
  return_install?: DesiredRelease["install"] | undefined;
};

const parsed = new WeakMap<RolloutRow, RolloutSettings>();

/** The settings of a rollout. */
export function settingsOf(row: RolloutRow): RolloutSettings {
  const known = parsed.get(row) ?? (JSON.parse(row.settings) as RolloutSettings);
  parsed.set(row, known);
  return known;
}

/** The release that the players of a rollout get: its version, or another one with its windows. */
export function releaseOf(row: RolloutRow, version = row.version): DesiredRelease {
  const { install, windows, return_install } = settingsOf(row);
  const when = version === row.version ? install : (return_install ?? install);
  return { version, install: when, ...(windows === undefined ? {} : { windows }) };
}

/** True if a rollout is in progress. */
export function isInProgress({ status }: Pick<RolloutRow, "status">): boolean {
  return status === "running" || status === "paused" || status === "halted";
}
