// What was planned beside what was shown: the forecast of a past time, and the play events of the same time.
//
// Past desired states are not stored, so the forecast is that of the present content. The revision in each heartbeat says since when
// a player has had that content: for that part the plan is what really was planned, and the report tells both parts apart.
import { setImmediate } from "node:timers/promises";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { PlanReportQuery, PlanReportRow } from "../../protocol/operator/reports.ts";
import type { Presence } from "../fleet/presence.ts";
import type { DesiredStates } from "../fleet/state/desired-states.ts";
import { invalidField } from "../http/problem.ts";
import { forecastFor } from "../schedule/forecast.ts";
import { timeZoneOf } from "../schedule/schedule-outlook.ts";
import type { Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";
import { openParts } from "./opening-parts.ts";
import { presentSince } from "./present-since.ts";
import type { Span } from "./recent-reports.ts";
import { daysOfReport, type ReportDay } from "./report-days.ts";
import { inOrder, keysOfPlayer, ReportGroups } from "./report-groups.ts";
import { ReportNames } from "./report-names.ts";
import { reportedPlayerRows } from "./reported-players.ts";
import { shownTimes } from "./shown-times.ts";

const batchSize = 100;
const maxPlayers = 1_000;

export interface PlanDependencies {
  desired: DesiredStates;
  presence: Presence;
  store: Store;
}

type Query = Pick<PlanReportQuery, "player_id" | "tag" | "layout_id" | "schedule_id" | "timezone" | "group_by" | "sort">;
/** What was planned for a player on a day, by layout and schedule. */
interface Planned {
  ms: number;
  asThenMs: number;
}
interface Figures extends Record<string, number> {
  planned_ms: number;
  shown_ms: number;
  missing_ms: number;
  unplanned_ms: number;
  planned_as_then_ms: number;
}

/** The rows of the report, sorted as asked. @throws ProblemError 422 for more than 1,000 players. */
export async function comparePlan(
  dependencies: PlanDependencies,
  teamId: string,
  query: Query,
  span: Span,
  now: number,
  signal: AbortSignal,
): Promise<PlanReportRow[]> {
  const { store } = dependencies;
  const past = { from: span.from, to: Math.min(span.to, now) };
  const days = daysOfReport(past, query.timezone, query.group_by.includes("day"));
  const groups = new ReportGroups<Figures>();
  let count = 0;
  for (let after = ""; ;) {
    const players = await reportedPlayerRows(store.db, teamId, query, after, batchSize);
    count += players.length;
    if (count > maxPlayers) throw invalidField("?tag", `more than ${maxPlayers} screens: name a tag or a screen`);
    for (const player of players) {
      await addPlayer(dependencies, player, query, past, days, groups);
      await setImmediate(undefined, { signal });
    }
    const last = players.at(-1);
    if (last === undefined || players.length < batchSize) break;
    after = last.id;
  }
  const rows = await withNames(new ReportNames(store.db, teamId), groups);
  return query.sort === "key"
    ? inOrder(rows, query.group_by)
    : rows.toSorted((a, b) => b.missing_ms - a.missing_ms || b.planned_ms - a.planned_ms);
}

async function addPlayer(
  { desired, presence, store }: PlanDependencies,
  player: PlayerRow,
  query: Query,
  past: Span,
  days: readonly ReportDay[],
  groups: ReportGroups<Figures>,
): Promise<void> {
  const state = await desired.read(store.db, player);
  const since = await presentSince(store.telemetry, player.id, state.revision, past);
  const from = Math.max(past.from, player.created_at);
  const planned = from < past.to ? await plannedTimes(state, timeZoneOf({ presence }, player), { from, to: past.to }, days, since) : [];
  const tags = JSON.parse(player.tags) as string[];
  for (const [index, day] of days.entries()) {
    const plan = planned[index] ?? new Map<string, Planned>();
    const shown = await shownTimes(store.plays, player.id, day);
    for (const key of new Set([...plan.keys(), ...shown.keys()])) {
      const [layoutId, scheduleId] = JSON.parse(key) as [string, string | null];
      if (query.layout_id !== undefined && query.layout_id !== layoutId) continue;
      if (query.schedule_id !== undefined && query.schedule_id !== scheduleId) continue;
      const { ms: plannedMs, asThenMs } = plan.get(key) ?? { ms: 0, asThenMs: 0 };
      const shownMs = shown.get(key) ?? 0;
      const keys = {
        ...(day.name === null ? {} : { day: day.name }),
        ...(query.group_by.includes("layout") ? { layout_id: layoutId } : {}),
        ...(query.group_by.includes("schedule") ? { schedule_id: scheduleId } : {}),
      };
      const figures = {
        planned_ms: plannedMs,
        shown_ms: shownMs,
        missing_ms: Math.max(0, plannedMs - shownMs),
        unplanned_ms: Math.max(0, shownMs - plannedMs),
        planned_as_then_ms: asThenMs,
      };
      for (const own of keysOfPlayer(query.group_by, { id: player.id, tags })) groups.add({ ...keys, ...own }, figures);
    }
  }
}

/** For each day: for how long each layout of each schedule is due while the display is to be on. */
async function plannedTimes(
  state: DesiredState,
  deviceTimeZone: string,
  span: Span,
  days: readonly ReportDay[],
  since: number,
): Promise<Map<string, Planned>[]> {
  const planned = days.map(() => new Map<string, Planned>());
  const schedules = new Set(state.schedules.map(({ id }) => id));
  for (const interval of await forecastFor(state, [], deviceTimeZone, span.from, span.to)) {
    if (interval.layoutId === null) continue;
    const key = timeKey(interval.layoutId, schedules.has(interval.by) ? interval.by : null);
    for (const { from, to } of await openParts(state, deviceTimeZone, { from: interval.from, to: interval.until })) {
      for (const [index, day] of days.entries()) {
        const ms = overlap(from, to, day.from, day.to);
        if (ms === 0) continue;
        const sum = planned[index]!.get(key) ?? { ms: 0, asThenMs: 0 };
        sum.ms += ms;
        sum.asThenMs += overlap(Math.max(from, since), to, day.from, day.to);
        planned[index]!.set(key, sum);
      }
    }
  }
  return planned;
}

/** The key of a layout and the schedule that caused it, as in {@link shownTimes}. */
function timeKey(layoutId: string, scheduleId: string | null): string {
  return JSON.stringify([layoutId, scheduleId]);
}

function overlap(from: number, to: number, dayFrom: number, dayTo: number): number {
  return Math.max(0, Math.min(to, dayTo) - Math.max(from, dayFrom));
}

async function withNames(names: ReportNames, groups: ReportGroups<Figures>): Promise<PlanReportRow[]> {
  const rows = groups.rows();
  const of = (table: "players" | "layouts" | "schedules", key: string) =>
    names.of(
      table,
      rows.map(({ keys }) => keys[key]),
    );
  const [players, layouts, schedules] = [
    await of("players", "player_id"),
    await of("layouts", "layout_id"),
    await of("schedules", "schedule_id"),
  ];
  return rows.map(({ keys, figures }): PlanReportRow => {
    const { player_id: player, layout_id: layout, schedule_id: schedule } = keys;
    return {
      ...keys,
      ...(player == null ? {} : { player_name: players.get(player)! }),
      ...(layout == null ? {} : { layout_name: layouts.get(layout) ?? null }),
      ...(schedule === undefined ? {} : { schedule_name: schedules.get(schedule ?? "") ?? null }),
      ...figures,
    };
  });
}
