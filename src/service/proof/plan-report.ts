// The planned time beside the shown time: the forecast of a past time, and the play events of the same time.
//
// Past desired states are not stored, so the forecast is that of the present content. The revision in each heartbeat says since when
// a player has had that content: for that part the forecast equals the plan of that time, and the report tells both parts apart.
import { setImmediate } from "node:timers/promises";
import { hourMs } from "../../base/time.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { PlanReportQuery, PlanReportRow } from "../../protocol/operator/reports.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { DesiredStates } from "../fleet/state/desired-states.ts";
import { invalidField } from "../http/problem.ts";
import { forecastFor } from "../schedule/forecast/forecast.ts";
import { timeZoneOf } from "../schedule/outlook/outlook.ts";
import type { Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { presentSince } from "./present-since.ts";
import type { Span } from "./recent-reports.ts";
import { daysOfReport, type ReportDay } from "./report-days.ts";
import { inOrder, keysOfPlayer, ReportGroups } from "./report-groups.ts";
import { ReportNames } from "./report-names.ts";
import { reportedPlayerRows } from "./reported-players.ts";
import { shownByHour, timeKey } from "./shown-times.ts";

const batchSize = 100;
const maxPlayers = 1_000;

export interface PlanDependencies {
  desired: DesiredStates;
  presence: Presence;
  store: Store;
}

type Query = Pick<PlanReportQuery, "player_id" | "tag" | "layout_id" | "schedule_id" | "timezone" | "group_by" | "sort">;
/** The planned time of a player in an hour, for one layout and schedule. */
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
  const days = daysOfReport(past, query.timezone, true);
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
  const state = await desired.read(player);
  const since = await presentSince(store.telemetry, player.id, state.revision, past);
  const from = Math.max(past.from, player.created_at);
  const hours = days.map(hoursOf);
  const planned =
    from < past.to ? await plannedTimes(state, timeZoneOf({ presence }, player), { from, to: past.to }, hours.flat(), since) : new Map();
  const tags = JSON.parse(player.tags) as string[];
  for (const [index, day] of days.entries()) {
    const shown = await shownByHour(store.plays, player.id, day);
    for (const [key, figures] of compared(hours[index]!, planned, shown)) {
      const [layoutId, scheduleId] = JSON.parse(key) as [string, string | null];
      if (query.layout_id !== undefined && query.layout_id !== layoutId) continue;
      if (query.schedule_id !== undefined && query.schedule_id !== scheduleId) continue;
      const keys = {
        ...(query.group_by.includes("day") ? { day: day.name! } : {}),
        ...(query.group_by.includes("layout") ? { layout_id: layoutId } : {}),
        ...(query.group_by.includes("schedule") ? { schedule_id: scheduleId } : {}),
      };
      for (const own of keysOfPlayer(query.group_by, { id: player.id, tags })) groups.add({ ...keys, ...own }, figures);
    }
  }
}

/** The hours of a day, counted from its beginning. The last one may be shorter. */
function hoursOf({ from, to }: Span): Span[] {
  return Array.from({ length: Math.ceil((to - from) / hourMs) }, (_, hour) => {
    const start = from + hour * hourMs;
    return { from: start, to: Math.min(to, start + hourMs) };
  });
}

/** The planned and the shown time of a day. Compared hour by hour: time on screen in another hour does not make up for a gap. */
function compared(
  hours: readonly Span[],
  planned: ReadonlyMap<Span, ReadonlyMap<string, Planned>>,
  shown: readonly ReadonlyMap<string, number>[],
): Map<string, Figures> {
  const sums = new Map<string, Figures>();
  for (const [index, hour] of hours.entries()) {
    const [plan, plays] = [planned.get(hour) ?? new Map<string, Planned>(), shown[index]!];
    for (const key of new Set([...plan.keys(), ...plays.keys()])) {
      const { ms: plannedMs, asThenMs } = plan.get(key) ?? { ms: 0, asThenMs: 0 };
      const shownMs = plays.get(key) ?? 0;
      let sum = sums.get(key);
      if (sum === undefined) sums.set(key, (sum = noFigures()));
      sum.planned_ms += plannedMs;
      sum.shown_ms += shownMs;
      sum.missing_ms += Math.max(0, plannedMs - shownMs);
      sum.unplanned_ms += Math.max(0, shownMs - plannedMs);
      sum.planned_as_then_ms += asThenMs;
    }
  }
  return sums;
}

function noFigures(): Figures {
  return { planned_ms: 0, shown_ms: 0, missing_ms: 0, unplanned_ms: 0, planned_as_then_ms: 0 };
}

/** For each hour: for how long each layout of each schedule is due while the display is to be on. @param hours in order */
async function plannedTimes(
  state: DesiredState,
  deviceTimeZone: string,
  span: Span,
  hours: readonly Span[],
  since: number,
): Promise<Map<Span, Map<string, Planned>>> {
  const planned = new Map(hours.map((hour) => [hour, new Map<string, Planned>()]));
  const schedules = new Set(state.schedules.map(({ id }) => id));
  let first = 0;
  for (const interval of await forecastFor(state, [], deviceTimeZone, span.from, span.to)) {
    if (interval.layoutId === null) continue;
    const key = timeKey(interval.layoutId, schedules.has(interval.by) ? interval.by : null, false);
    for (const { from, to } of await openParts(state, deviceTimeZone, { from: interval.from, to: interval.until })) {
      while (first < hours.length && hours[first]!.to <= from) first += 1;
      for (let index = first; index < hours.length && hours[index]!.from < to; index += 1) {
        const hour = hours[index]!;
        const sum = planned.get(hour)!.get(key) ?? { ms: 0, asThenMs: 0 };
        sum.ms += overlap(from, to, hour);
        sum.asThenMs += overlap(Math.max(from, since), to, hour);
        planned.get(hour)!.set(key, sum);
      }
    }
  }
  return planned;
}

function overlap(from: number, to: number, hour: Span): number {
  return Math.max(0, Math.min(to, hour.to) - Math.max(from, hour.from));
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

/** @param deviceTimeZone the machine's own, for a player without one */
async function openParts(state: DesiredState, deviceTimeZone: string, { from, to }: Span): Promise<Span[]> {
  // Imported when needed: the service must not load the scheduler while it starts.
  const [{ displayHoursOf }, { hoursAt }] = await Promise.all([
    import("../../schedule/control/control-inputs.ts"),
    import("../../schedule/control/display-hours.ts"),
  ]);
  const hours = displayHoursOf(state, deviceTimeZone);
  if (hours === null) return [{ from, to }];
  const parts: Span[] = [];
  for (let at = from; at < to;) {
    const { isOpen, until } = hoursAt(hours, at);
    const end = Math.min(until ?? to, to);
    if (isOpen) parts.push({ from: at, to: end });
    at = end;
  }
  return parts;
}
