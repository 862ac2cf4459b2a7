// Aggregates play events into a report, slice by slice, to limit memory and to let other requests run in between.
import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { Clock } from "../../base/clock.ts";
import { dayMs, hourMs, iso } from "../../base/time.ts";
import type { PlayGroup, PlayReportQuery, PlayReportRow } from "../../protocol/device/play-events.ts";
import { selectPlayEvents, type PlayEventsDb } from "./play-events.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { isPostgres } from "../store/dialect.ts";
import type { Store } from "../store/store.ts";
import { nextBoundary, unitName } from "../../schedule/calendar/days-and-hours.ts";
import { timeZoneRulesOrUtc } from "../../schedule/calendar/time-zone.ts";
import type { TagsOfPlayers } from "./reported-players.ts";

const defaultDays = 30;
const maxDays = 400;
const maxHourlyDays = 62;
const maxGroups = 100_000;
// On PostgreSQL the next slice is longer after a query of less than quickMs, and shorter after one of more than slowMs.
const quickMs = 50;
const slowMs = 500;

type Key = string | null;
/** The totals of one group. */
interface Sum {
  keys: Key[];
  plays: number;
  completed: number;
  cut: number;
  failed: number;
  skipped: number;
  not_shown: number;
  duration_ms: number;
  first_at: number;
  last_at: number;
}
/** A row without names. */
export type PlayCount = Omit<PlayReportRow, "player_name" | "asset_name" | "layout_name" | "schedule_name" | "item_name">;

const columns = {
  player: "player_id",
  layer: "layer",
  layout: "layout_id",
  schedule: "schedule_id",
  override: "override_id",
  zone: "zone_id",
  item: "item_id",
  asset: "asset_id",
} as const;
type Column = keyof typeof columns;
const results = ["completed", "cut", "failed", "skipped", "not_shown"] as const;
type Query = Omit<PlayReportQuery, "format">;

interface CountDependencies {
  clock: Clock;
  store: Pick<Store, "plays">;
}

/** The time span of a report, ms since the epoch. @throws ProblemError 422 when it is empty or too long. */
export function reportSpan(query: Pick<Query, "from" | "to" | "group_by">, now: number): { from: number; to: number } {
  const to = query.to === undefined ? now : Date.parse(query.to);
  const from = query.from === undefined ? to - defaultDays * dayMs : Date.parse(query.from);
  const max = query.group_by.includes("hour") ? maxHourlyDays : maxDays;
  if (from >= to) throw invalidField("?from", "must be before ?to");
  if (to - from > max * dayMs) throw invalidField("?from", `at most ${max} days in one report with these groups`);
  return { from, to };
}

/**
 * The rows of a report. A report by day or hour yields the rows of each day or hour as soon as it is counted; another report yields
 * all rows at the end, sorted by their keys.
 * @param tags of each player; only read for a report by tags
 * @throws ProblemError 422 when there are more than 100,000 groups.
 */
export async function* countPlays(
  { clock, store: { plays } }: CountDependencies,
  teamId: string,
  query: Query,
  { from, to }: { from: number; to: number },
  tags: TagsOfPlayers,
  signal: AbortSignal,
): AsyncGenerator<PlayCount[]> {
  const timeZone = timeZoneRulesOrUtc(query.timezone);
  const unit = query.group_by.find((group) => group === "day" || group === "hour");
  let sums = new Map<string, Sum>();
  let sliceMs = hourMs;
  let nextPlayAt = await firstPlayAt(plays, teamId, from, to);
  for (let at = from; at < to;) {
    const end = unit === undefined ? to : Math.min(to, nextBoundary(at, unit, timeZone));
    for (let start = Math.max(at, nextPlayAt); start < end;) {
      const sliceEnd = Math.min(end, start + sliceMs);
      const begunAt = clock.monotonic();
      const hasEvents = await addSlice(plays, teamId, query, start, sliceEnd, tags, sums);
      start = sliceEnd;
      // Nothing else runs during a query on SQLite, so there it stays an hour.
      if (isPostgres(plays)) sliceMs = nextSlice(sliceMs, clock.monotonic() - begunAt);
      // Nights and weeks in which nothing was shown cost no queries.
      if (!hasEvents) start = nextPlayAt = await firstPlayAt(plays, teamId, sliceEnd, to);
      // Let other requests run.
      await setImmediate(undefined, { signal });
    }
    if (unit !== undefined && sums.size > 0) {
      yield toRows(sums, query.group_by, unitName(at, unit, timeZone));
      sums = new Map();
    }
    at = end;
  }
  if (sums.size > 0) yield toRows(sums, query.group_by, null);
}

/** The length of the next slice, ms: from an hour to a day. */
function nextSlice(sliceMs: number, tookMs: number): number {
  if (tookMs < quickMs) return Math.min(dayMs, 2 * sliceMs);
  return tookMs > slowMs ? Math.max(hourMs, sliceMs / 2) : sliceMs;
}

/** When the first event of a team in a span began; `to` if there is none. */
async function firstPlayAt(db: PlayEventsDb, teamId: string, from: number, to: number): Promise<number> {
  const first = selectPlayEvents(db, teamId, {}).select("started_at").where("started_at", ">=", from).where("started_at", "<", to);
  const row = await first.orderBy("started_at").limit(1).executeTakeFirst();
  return row === undefined ? to : Number(row.started_at);
}

/** Adds the events of a slice. @returns whether there are any */
async function addSlice(
  db: PlayEventsDb,
  teamId: string,
  query: Query,
  from: number,
  to: number,
  tags: TagsOfPlayers,
  sums: Map<string, Sum>,
): Promise<boolean> {
  const named = query.group_by.filter(isKey);
  const needsPlayer = needsTags(query) && !named.includes("player");
  const groups = [...named.filter((group) => group !== "tag").map((group) => columns[group]), ...(needsPlayer ? [columns.player] : [])];
  const span = { ...query, from: undefined, to: undefined };
  const counted = selectPlayEvents(db, teamId, span)
    .where("started_at", ">=", from)
    .where("started_at", "<", to)
    .select(groups)
    .select((row) => [
      sql<number>`sum(case when result in ('completed', 'cut') or (result = 'failed' and duration_ms > 0) then 1 else 0 end)`.as("plays"),
      ...results.map((result) => sql<number>`sum(case when result = ${sql.lit(result)} then 1 else 0 end)`.as(result)),
      row.fn.sum<number>("duration_ms").as("duration_ms"),
      row.fn.min<number>("started_at").as("first_at"),
      row.fn.max<number>("started_at").as("last_at"),
      row.fn.countAll<number>().as("events"),
    ]);
  const rows = await (groups.length === 0 ? counted : counted.groupBy(groups)).execute();
  let hasEvents = false;
  for (const row of rows) {
    // Without groups SQL returns one row even if there are no events.
    if (Number(row.events) === 0) continue;
    hasEvents = true;
    const own = needsTags(query) ? (tags.get(row[columns.player]) ?? []) : [];
    if (query.tag !== undefined && !own.includes(query.tag)) continue;
    const counts = row as unknown as Omit<Sum, "keys">;
    for (const tag of named.includes("tag") && own.length > 0 ? own : [null]) {
      addTo(
        sums,
        named.map((group) => (group === "tag" ? tag : (row[columns[group]] as Key))),
        counts,
      );
    }
    if (sums.size > maxGroups) {
      throw new ProblemError("invalid", `?group_by: more than ${maxGroups} rows: use fewer groups or a shorter time`, {
        errors: [{ pointer: "?group_by", detail: `more than ${maxGroups} rows: use fewer groups or a shorter time` }],
      });
    }
  }
  return hasEvents;
}

function addTo(sums: Map<string, Sum>, keys: Key[], counts: Omit<Sum, "keys">): void {
  const name = JSON.stringify(keys);
  const sum = sums.get(name) ?? { keys, ...emptySum };
  for (const figure of ["plays", ...results, "duration_ms"] as const) sum[figure] += Number(counts[figure]);
  sum.first_at = Math.min(sum.first_at, Number(counts.first_at));
  sum.last_at = Math.max(sum.last_at, Number(counts.last_at));
  sums.set(name, sum);
}

const emptySum = {
  plays: 0,
  completed: 0,
  cut: 0,
  failed: 0,
  skipped: 0,
  not_shown: 0,
  duration_ms: 0,
  first_at: Number.POSITIVE_INFINITY,
  last_at: Number.NEGATIVE_INFINITY,
};

function toRows(sums: Map<string, Sum>, groups: readonly PlayGroup[], time: string | null): PlayCount[] {
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { keys, first_at, last_at, ...counts }]) => {
      const remaining = [...keys];
      const field = (group: PlayGroup) => {
        if (!isKey(group)) return [group, time];
        return [group === "tag" ? group : columns[group], remaining.shift()];
      };
      const fields = Object.fromEntries(groups.map(field)) as Partial<PlayCount>;
      return { ...fields, ...counts, first_at: iso(first_at), last_at: iso(last_at) };
    });
}

/** True if a report needs the tags of players. */
export function needsTags({ group_by, tag }: Pick<Query, "group_by" | "tag">): boolean {
  return tag !== undefined || group_by.includes("tag");
}

function isKey(group: PlayGroup): group is Column | "tag" {
  return group !== "day" && group !== "hour";
}
