// The events for a change of a player's connectivity, error or problems. Pure: no clock, no database.
import type { ProblemList } from "../../../protocol/device/player-problems.ts";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import type { NewEvent } from "../../events/event-journal.ts";
import { diffProblems, matchesOpenProblems, noOpenProblems, type OpenProblems } from "../problems/open-problems.ts";

/** The status of a player in its last events. */
export interface ReportedStatus {
  isOnline: boolean;
  error: string | null;
  problems: OpenProblems;
}

export type StatusEvent = Pick<NewEvent, "type" | "data">;

export const unreported: ReportedStatus = { isOnline: false, error: null, problems: noOpenProblems };
const maxErrorLength = 500;
// A player that has just started may not have drawn its first picture yet.
const startupMs = 60_000;

/** @param now an ISO time. @param lastSeenAt an ISO time. */
export function statusEvents(
  { id, name }: { id: string; name: string },
  before: ReportedStatus,
  { isOnline, error }: ReportedStatus,
  list: ProblemList,
  { now, lastSeenAt }: { now: string; lastSeenAt: string | null },
): StatusEvent[] {
  const player = { player_id: id, name };
  const ofProblems = problemEvents(player, before.problems, list, now);
  if (!isOnline) {
    if (!before.isOnline) return ofProblems;
    return [{ type: "player.offline", data: { ...player, last_seen_at: lastSeenAt } }, ...ofProblems];
  }
  return [
    ...(before.isOnline ? [] : [{ type: "player.online" as const, data: player }]),
    ...(error === null || error === before.error ? [] : [{ type: "player.error" as const, data: { ...player, detail: error } }]),
    ...ofProblems,
  ];
}

/** An event for each problem that closed or opened, then one with the whole list. */
function problemEvents(
  player: { player_id: string; name: string },
  before: OpenProblems,
  list: ProblemList,
  ended_at: string,
): StatusEvent[] {
  if (matchesOpenProblems(before, list)) return [];
  const { opened, closed } = diffProblems(before, list);
  return [
    ...closed.map((problem) => ({ type: "problem.closed" as const, data: { ...player, ...problem, ended_at } })),
    ...opened.map((problem) => ({ type: "problem.opened" as const, data: { ...player, ...problem } })),
    { type: "player.problems", data: { ...player, ...list } },
  ];
}

/** The error that a heartbeat reports, null if there is none. */
export function errorOf({ content, rendering, uptime_ms, telemetry }: Heartbeat): string | null {
  if (content.is === "failed") return (content.detail ?? "its content failed").slice(0, maxErrorLength);
  // A display that is off on purpose needs no frames.
  if (telemetry?.display?.asked === "off") return null;
  return rendering || uptime_ms < startupMs ? null : "nothing is drawn on the screen";
}
