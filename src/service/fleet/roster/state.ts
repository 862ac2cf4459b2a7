// The state of a screen in one word, and its problems. Pure: no clock, no database.
import { iso } from "../../../base/time.ts";
import { problemCodes, type PlayerProblem } from "../../../protocol/device/player-problems.ts";
import { mostRosterProblems, type RosterPlayer } from "../../../protocol/operator/roster.ts";
import type { AlertKind } from "../../../protocol/operator/alerts.ts";
import { kindOf, type Finding } from "../../alerts/reading.ts";
import type { Glance } from "../presence/presence.ts";

/** A screen at an instant. Times in ms since the epoch. */
export interface Glimpse {
  /** True if it counts as connected: a connection that returns within two minutes was never interrupted. */
  isOnline: boolean;
  lastSeenAt: number | null;
  createdAt: number;
  maintenanceUntil: number | null;
  /** Null: it has sent no heartbeat. */
  glance: Glance | null;
  /** Those that the service detects, and those of the heartbeat. */
  problems: readonly PlayerProblem[];
  leftOut: number;
  /** The findings of the service itself, such as heat. */
  findings: readonly { kind: AlertKind | null; finding: Finding }[];
}

type Fields = Pick<RosterPlayer, "state" | "state_since" | "off_reason" | "off_until" | "problems" | "problems_left_out">;
type Problem = RosterPlayer["problems"][number];

/** @param now ms since the epoch */
export function stateOf(glimpse: Glimpse, now: number): Fields {
  const { isOnline, lastSeenAt, createdAt, maintenanceUntil, glance } = glimpse;
  const all = problemsOf(glimpse);
  const shown = {
    problems: all.slice(0, mostRosterProblems).map(({ code, since, detail, remedy }) => ({ code, since, detail, remedy })),
    problems_left_out: Math.max(0, all.length - mostRosterProblems) + glimpse.leftOut,
  };
  const well = { state_since: null, off_reason: null, off_until: null, ...shown };
  if (maintenanceUntil !== null && now < maintenanceUntil)
    return { ...well, state: "off", off_reason: "maintenance", off_until: iso(maintenanceUntil) };
  if (lastSeenAt === null || glance === null) return { ...well, state: "new", state_since: iso(createdAt) };
  if (!isOnline) return { ...well, state: "offline", state_since: iso(lastSeenAt) };
  const display = glance.telemetry?.display ?? null;
  const isOff = display?.asked === "off";
  // A display that is off on purpose shows nothing, so a problem of its picture can wait.
  const pressing = isOff ? all.filter(({ kind }) => kind !== "dark" && kind !== "wrong") : all;
  const worst = pressing.find(({ code }) => code !== "out-of-sync");
  if (worst !== undefined) return { ...well, state: "wrong", state_since: worst.since };
  if (isOff) {
    const { reason, until } = display;
    return { ...well, state: "off", off_reason: reason === "emergency" ? null : reason, off_until: until };
  }
  if (pressing[0] !== undefined) return { ...well, state: "late", state_since: pressing[0].since };
  return { ...well, state: glance.content.is === "empty" ? "empty" : "playing" };
}

/** The problems, most severe first, without the fact that it is offline: that is its state. */
function problemsOf({ problems, findings, isOnline }: Glimpse): (Problem & { kind: AlertKind | null })[] {
  const order: readonly string[] = problemCodes;
  const rank = (code: string): number => (order.includes(code) ? order.indexOf(code) : order.length);
  const told = problems
    .filter(({ code }) => code !== "offline")
    .toSorted((a, b) => rank(a.code) - rank(b.code) || (a.since < b.since ? -1 : 1))
    .map(({ code, since, detail, remedy }) => ({ code, since, detail, remedy, kind: kindOf(code) }));
  if (!isOnline) return told;
  const known = new Set<AlertKind | null>(told.map(({ kind }) => kind));
  const measured = findings
    .filter(({ kind }) => kind !== null && kind !== "late" && kind !== "wrong" && !known.has(kind))
    .map(({ kind, finding: { since, detail, remedy } }) => ({
      code: kind!,
      since: iso(since),
      detail,
      remedy,
      kind,
    }));
  return [...measured.filter(({ kind }) => kind === "dark"), ...told, ...measured.filter(({ kind }) => kind !== "dark")];
}
