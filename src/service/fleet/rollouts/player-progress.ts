// Decides from a heartbeat how far a player is with the version of its rollout. Pure.
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { UpdateAttempt, UpdateState } from "../../../protocol/device/updates.ts";
import type { RolloutPlayerState } from "../../../protocol/operator/rollouts.ts";

/** The progress that a heartbeat reports. */
export interface PlayerProgress {
  state: RolloutPlayerState;
  /** For people. */
  detail: string | null;
  /** When the attempt began that the state is about. */
  attempt_at: string | null;
}

/** The version that a rollout wants on a player. */
export interface Wanted {
  version: string;
  /** An attempt from before, which does not count. */
  ignored_attempt_at: string | null;
}

/** States in which a player has not begun with the version: it can still be withdrawn. */
export const notBegunStates: readonly RolloutPlayerState[] = [
  "waiting",
  "downloading",
  "blocked",
  "failed",
  "control-failed",
  "unsupported",
];

export function progressOf(wanted: Wanted, { player_version, update }: Pick<Heartbeat, "player_version" | "update">): PlayerProgress {
  if (update === undefined) return { state: "unsupported", detail: "It was not started by a launcher", attempt_at: null };
  const attempt = attemptOf(wanted, update);
  const about = (state: RolloutPlayerState, detail: string | null = update.detail): PlayerProgress => ({
    state,
    detail,
    attempt_at: attempt?.at ?? null,
  });
  if (attempt !== null) {
    const ofAttempt = attempt.detail ?? update.detail;
    switch (attempt.outcome) {
      case "probation":
        return about("probation");
      case "refused":
        return about("failed", ofAttempt);
      case "rolled-back":
        // Until the version before has had the same test, nothing is decided.
        if (attempt.control === "pending") return about("probation", ofAttempt);
        return about(attempt.control === "failed" ? "control-failed" : "failed", ofAttempt);
      case "kept":
        if (player_version === wanted.version) return about("kept", null);
    }
  }
  if (player_version === wanted.version) return about(update.is === "probation" ? "probation" : "kept", null);
  // The player has not applied the newest state yet, or it has nothing to do with this version.
  if (update.wanted_version !== wanted.version || update.is === "current") return about("waiting");
  // A failure from before the assignment: the launcher tries the version again.
  if (update.is === "failed" && isIgnored(wanted, update)) return about("waiting");
  return about(update.is);
}

/** The attempt to run the wanted version that counts; null: none. */
function attemptOf(wanted: Wanted, { last_attempt: last }: UpdateState): UpdateAttempt | null {
  if (last === null || last.what !== "program" || last.version !== wanted.version) return null;
  return last.at === wanted.ignored_attempt_at ? null : last;
}

function isIgnored({ version, ignored_attempt_at }: Wanted, { last_attempt: last }: UpdateState): boolean {
  return last !== null && last.version === version && last.at === ignored_attempt_at;
}
