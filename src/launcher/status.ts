// Publishes the running version and the reason for it, for the player's heartbeat and for people.
import { minuteMs } from "../base/time.ts";
import { LauncherStatus, type SlotName } from "../protocol/device/updates.ts";
import type { z } from "zod";
import { publish, type Launcher } from "./launcher-parts.ts";
import { checkSlot } from "./slots.ts";
import type { UnitStart, State } from "./state.ts";
import { probationMs } from "./transitions.ts";

type Status = z.infer<typeof LauncherStatus>;

/** Writes status.json. @param passedMs how long the version under test has been healthy, if that is newer than the state. */
export async function publishStatus(launcher: Launcher, state: State, unitStart: UnitStart, passedMs?: number): Promise<void> {
  const { trial } = state;
  const back = await returnSlot(launcher, state, unitStart.version);
  const status: Status = {
    launcher_version: launcher.version,
    slot: unitStart.slot,
    version: unitStart.version,
    reason: state.reason,
    previous_version: back?.version ?? null,
    probation:
      trial?.is === "probation"
        ? { what: trial.what, version: trial.version, passed_ms: Math.round(passedMs ?? trial.passedMs), needed_ms: probationMs }
        : null,
    last_attempt: state.attempt,
    failed: state.failed,
    answered: state.answered,
  };
  await publish(launcher.folders.status, LauncherStatus, status);
}

/** The slot with the version that people can return to without a download: another one than `running` that has not failed. */
export async function returnSlot(
  { folders }: Launcher,
  { slot: current, previous, failed: failure }: State,
  running: string,
): Promise<{ slot: SlotName; version: string } | null> {
  for (const slot of new Set([previous, "a", "b", "package"] as const)) {
    if (slot === null || slot === current) continue;
    const check = await checkSlot(folders, slot);
    if (check.is === "startable" && check.version !== running && check.version !== failure?.version)
      return { slot, version: check.version };
  }
  return null;
}

/** The status in lines for people. */
export function describeStatus(status: Status): string {
  const { last_attempt: last, probation, failed: failure } = status;
  const lines = [
    `version     ${status.version} in slot ${status.slot}: ${status.reason}`,
    `launcher    ${status.launcher_version}`,
    `previous    ${status.previous_version ?? "none"}`,
  ];
  if (probation !== null) {
    const minutes = (ms: number): string => (ms / minuteMs).toFixed(1);
    lines.push(
      `probation   ${probation.what} ${probation.version}: ${minutes(probation.passed_ms)} of ${minutes(probation.needed_ms)} minutes`,
    );
  }
  if (last !== null) {
    lines.push(`last try    ${last.what} ${last.version} at ${last.at}: ${last.outcome}${last.detail === null ? "" : `, ${last.detail}`}`);
    if (last.control !== null) lines.push(`same test   of the version before: ${last.control}`);
  }
  if (failure !== null) lines.push(`failed      ${failure.version}, ${failure.tries} times; next try ${failure.retry_at ?? "at any time"}`);
  return lines.join("\n");
}
