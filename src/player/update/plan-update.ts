// Decides on the player's next step towards the version that it should run. Pure: no clock, no disk.
import { hourMs, iso, minuteMs } from "../../base/time.ts";
import { compareVersions } from "../../base/version-order.ts";
import type { DesiredRelease, LauncherStatus, UpdateState } from "../../protocol/device/updates.ts";
import { clockUnsure, metadataExpired } from "./blocked.ts";
import type { Preparation } from "./preparation.ts";

export interface UpdateFacts {
  status: LauncherStatus;
  /** Null: the player should run the version that it runs. */
  wanted: DesiredRelease | null;
  /** How far the wanted version's bundle is here; null: nothing was done about it. */
  preparation: Preparation | null;
  /** When the maintenance window opens, UTC ms; null: it is open. */
  opensAt: number | null;
  /** True if an operator asked for the wanted version at once, by the state or by a command. */
  isNow: boolean;
  /** The refusal, by its time, that a command overrides; null: none. */
  overriddenRefusal: string | null;
  isClockSure: boolean;
  /** Corrected wall time, ms. */
  now: number;
}

export interface UpdatePlan {
  is: UpdateState["is"];
  /** The reason for waiting, or the problem and its remedy; null: there is nothing to say. */
  detail: string | null;
  /** True if the bundle of the wanted version has to be fetched and kept. */
  needsBundle: boolean;
  /** True if the launcher may be asked to switch now. */
  mayRequest: boolean;
}

// After a refusal the same request would be refused again, unless something else changes.
const refusalMs = hourMs;

/** The next step towards the wanted version. */
export function planUpdate(facts: UpdateFacts): UpdatePlan {
  const { status, wanted, preparation, opensAt, isNow, isClockSure, now } = facts;
  if (wanted === null || wanted.version === status.version) {
    return status.probation === null ? plan("current", null) : plan("probation", describeProbation(status.probation));
  }
  const { version } = wanted;
  // The launcher still has the version before: it needs no download, and may be older.
  const isReturn = version === status.previous_version;
  const needsBundle = !isReturn;
  if (!isReturn && compareVersions(version, status.version) < 0) return plan("blocked", describeDowngrade(version, status));
  const failed = status.failed?.version === version ? status.failed : null;
  if (failed !== null && failed.retry_at !== null && Date.parse(failed.retry_at) > now) {
    return plan("failed", `${version} failed ${timesText(failed.tries)}. It is tried again at ${failed.retry_at}`, needsBundle);
  }
  const refusal = refusalOf(version, facts);
  if (refusal !== null) return plan("blocked", `the launcher refused ${version}: ${refusal}`, needsBundle);
  if (needsBundle) {
    if (preparation === null) return plan("downloading", null, true);
    if (preparation.is === "working") return plan("downloading", preparation.detail, true);
    if (preparation.is === "blocked") return plan("blocked", preparation.detail, true);
    if (preparation.expiresAt !== null && preparation.expiresAt <= now) return plan("blocked", metadataExpired, true);
  }
  if (!isClockSure) return plan("blocked", clockUnsure, needsBundle);
  if (status.probation !== null && !isReturn) return plan("waiting", describeProbation(status.probation), true);
  if (opensAt !== null && !isNow) {
    return plan("waiting", `${version} waits for the maintenance window, which opens at ${iso(opensAt)}`, needsBundle);
  }
  return { is: "installing", detail: null, needsBundle, mayRequest: true };
}

function plan(is: UpdateState["is"], detail: string | null, needsBundle = false): UpdatePlan {
  return { is, detail, needsBundle, mayRequest: false };
}

/** Why the launcher refused this version recently; null: it did not, or an operator wants it to be asked again. */
function refusalOf(version: string, { status, overriddenRefusal, now }: UpdateFacts): string | null {
  const attempt = status.last_attempt;
  if (attempt === null || attempt.what !== "program" || attempt.outcome !== "refused" || attempt.version !== version) return null;
  // In both directions: the launcher's clock may be ahead.
  if (attempt.at === overriddenRefusal || Math.abs(now - Date.parse(attempt.at)) >= refusalMs) return null;
  return attempt.detail ?? "it gave no reason";
}

function describeProbation({ what, version, passed_ms, needed_ms }: NonNullable<LauncherStatus["probation"]>): string {
  const name = what === "browser" ? "the browser " : "";
  return `${name}${version} is on probation: ${minutes(passed_ms)} of ${minutes(needed_ms)} minutes have passed`;
}

function describeDowngrade(version: string, status: LauncherStatus): string {
  const before = status.previous_version === null ? "" : `, except to ${status.previous_version}`;
  return `${version} is older than ${status.version}, which runs: the screen does not go back${before}. Choose a newer version`;
}

function timesText(tries: number): string {
  return tries === 1 ? "once" : `${tries} times`;
}

function minutes(ms: number): number {
  return Math.round(ms / minuteMs);
}
