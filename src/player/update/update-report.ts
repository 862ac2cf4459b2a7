// The player's report about its program's version: the heartbeat's `update`, and the problems about it.
import { createProblem, type PlayerProblem } from "../../protocol/device/player-problems.ts";
import type { LauncherStatus, UpdateState } from "../../protocol/device/updates.ts";
import type { UpdatePlan } from "./plan-update.ts";
import type { Preparation } from "./preparation.ts";

const longestDetail = 500;

/** The heartbeat's `update`. @param wanted the version that it should run; null: the one that it runs. */
export function describeUpdate(
  status: LauncherStatus,
  wanted: string | null,
  plan: Pick<UpdatePlan, "is" | "detail">,
  preparation: Preparation | null,
): UpdateState {
  return {
    is: plan.is,
    wanted_version: wanted,
    slot: status.slot,
    reason: status.reason,
    previous_version: status.previous_version,
    launcher_version: status.launcher_version,
    ready_bytes: preparation?.readyBytes ?? 0,
    total_bytes: preparation?.totalBytes ?? null,
    detail: plan.detail?.slice(0, longestDetail) ?? null,
    last_attempt: status.last_attempt,
  };
}

/** The problems that the update is or had. @param now corrected wall time, ms. */
export function updateProblems(update: UpdateState, now: number): PlayerProblem[] {
  const problems: PlayerProblem[] = [];
  const attempt = update.last_attempt;
  // It ends when another version is wanted. A browser's ends with the next attempt.
  const matters = attempt !== null && (attempt.what === "browser" || attempt.version === update.wanted_version);
  if (attempt?.outcome === "rolled-back" && matters) {
    const name = attempt.what === "browser" ? `the browser ${attempt.version}` : attempt.version;
    const about = { detail: `${name}: ${attempt.detail ?? "no reason is known"}${controlText(attempt.control)}` };
    problems.push(createProblem("update-failed", Date.parse(attempt.at), about));
  }
  if (update.is === "blocked") problems.push(createProblem("update-blocked", now, update.detail === null ? {} : { detail: update.detail }));
  return problems;
}

/** How the version before did in the same test. */
function controlText(control: NonNullable<LauncherStatus["last_attempt"]>["control"]): string {
  if (control === null) return "";
  const results = {
    pending: "is being tested in the same way",
    passed: "passed the same test",
    failed: "failed the same test too",
  };
  return `. The version before ${results[control]}`;
}
