// Decides the next step of a rollout from the counts of its rings. Pure.
import { iso, minuteMs } from "../../../base/time.ts";
import type { RolloutPlayerState } from "../../../protocol/operator/rollouts.ts";
import type { RolloutRow } from "../../store/tables/fleet.ts";
import { settingsOf } from "./settings.ts";

/** How many players of a ring are in each state, by the latest heartbeats. */
export type RingCounts = Readonly<Partial<Record<RolloutPlayerState, number>>>;

/** The next step. */
export type Step =
  | { is: "halt"; reason: string }
  | { is: "watch" } // the players of the ring have finished
  | { is: "next-ring" }
  | { is: "finish" }
  | { is: "wait"; for: string };

/** @param counts of each ring so far @param excluded how many players of the current ring have been offline for too long */
export function nextStep(row: RolloutRow, counts: readonly RingCounts[], excluded: number, now: number): Step {
  const settings = settingsOf(row);
  const failing = haltReason(row, counts);
  if (failing !== null && row.status !== "halted") return { is: "halt", reason: failing };
  if (row.status !== "running") return { is: "wait", for: "It is resumed or aborted" };
  const current = counts[row.ring] ?? {};
  const unfinished = unfinishedReason(current, excluded, settings.done_percent);
  if (row.ring_done_at === null) {
    if (unfinished !== null) return { is: "wait", for: unfinished };
    if (isOverLimit(current, settings.max_failure_percent, 1)) return { is: "halt", reason: reasonOf(row.ring, current) };
    return { is: "watch" };
  }
  if (isOverLimit(current, settings.max_failure_percent, 1)) return { is: "halt", reason: reasonOf(row.ring, current) };
  const until = row.ring_done_at + settings.rings[row.ring]!.wait_minutes * minuteMs;
  if (now < until) return { is: "wait", for: `The watch of ring ${row.ring + 1} ends at ${iso(until)}` };
  return { is: row.ring + 1 < settings.rings.length ? "next-ring" : "finish" };
}

/** Why a rollout must halt now: too many players of a ring failed. Null: it need not. Costs the same for any number of players. */
export function haltReason(row: RolloutRow, counts: readonly RingCounts[]): string | null {
  const { max_failure_percent, min_players_for_halt } = settingsOf(row);
  const ring = counts.findIndex((each) => isOverLimit(each, max_failure_percent, min_players_for_halt));
  return ring === -1 ? null : reasonOf(ring, counts[ring]!);
}

/** Failed players in percent of those that ran the version, probation included: failures are reported sooner than successes. */
export function failurePercent(counts: RingCounts): number | null {
  const ran = countOf(counts, "kept", "failed", "probation");
  return ran === 0 ? null : Math.round((1_000 * countOf(counts, "failed")) / ran) / 10;
}

/** Sums the counts of some states. */
function countOf(counts: RingCounts, ...states: readonly RolloutPlayerState[]): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

function isOverLimit(counts: RingCounts, maxPercent: number, minPlayers: number): boolean {
  const ran = countOf(counts, "kept", "failed", "probation");
  return ran >= minPlayers && countOf(counts, "failed") * 100 > maxPercent * ran;
}

/** The reason why a ring waits, for people; null: it is done. Players without a launcher never count. */
function unfinishedReason(counts: RingCounts, excluded: number, donePercent: number): string | null {
  const all = Object.values(counts).reduce((sum, each) => sum + each, 0) - countOf(counts, "unsupported");
  if (all === 0) return null;
  const finished = countOf(counts, "kept", "failed", "control-failed");
  // Without any result there is nothing to judge the version by.
  if (countOf(counts, "kept", "failed") === 0)
    return `A first result: none of ${all} screens has kept or failed the version yet. Resume it with next_ring to go on without one`;
  const expected = Math.ceil((donePercent * (all - excluded)) / 100);
  return finished >= expected ? null : `${finished} of ${expected} screens have finished`;
}

function reasonOf(ring: number, counts: RingCounts): string {
  const ran = countOf(counts, "kept", "failed", "probation");
  return `Ring ${ring + 1}: ${countOf(counts, "failed")} of the ${ran} screens that ran the version failed (${failurePercent(counts)} %)`;
}
