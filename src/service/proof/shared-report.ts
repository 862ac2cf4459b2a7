// Computes the report of a link: names and figures only. Ids of the team's resources stay in the service.
import type { Clock } from "../../base/clock.ts";
import { dayMs } from "../../base/time.ts";
import type { PlayGroup, PlayReportRow } from "../../protocol/device/play-events.ts";
import type { ChosenReport, SharedReport, SharedReportRow } from "../../protocol/operator/report-links.ts";
import type { PlanReportRow, UptimeReportRow } from "../../protocol/operator/reports.ts";
import { nextBoundary } from "../../schedule/calendar/days-and-hours.ts";
import { timeZoneRulesOrUtc } from "../../schedule/calendar/time-zone.ts";
import { comparePlan, type PlanDependencies } from "./plan-report.ts";
import { countPlays } from "./play-report.ts";
import type { Span } from "./recent-reports.ts";
import { ReportNames } from "./report-names.ts";
import { readTags } from "./reported-players.ts";
import { countUptime } from "./uptime-report.ts";

export interface SharedDependencies extends PlanDependencies {
  clock: Clock;
}
export interface ComputedReport extends Span {
  readAt: number;
  days: SharedReportRow[];
  rows: SharedReportRow[];
  limitedTo: SharedReport["limited_to"];
}

/** A row of a report of any kind. */
type Row = Partial<PlayReportRow & Omit<UptimeReportRow, "player_name"> & Omit<PlanReportRow, "player_name">>;

/** @param now ms since the epoch */
export async function computeShared(
  dependencies: SharedDependencies,
  teamId: string,
  report: ChosenReport,
  now: number,
  signal: AbortSignal,
): Promise<ComputedReport> {
  const span = spanOf(report, now);
  const read = async (group: ChosenReport["group_by"]): Promise<SharedReportRow[]> => {
    const rows = await rowsOf(dependencies, teamId, report, group, span, now, signal);
    return rows.map((row) => ({ name: nameOf(row, group), ...figuresOf(row) }));
  };
  const days = await read("day");
  const rows = report.group_by === "day" ? days : await read(report.group_by);
  return { ...span, readAt: now, days, rows, limitedTo: await limitsOf(dependencies, teamId, report) };
}

/** The last days begin at a midnight of the report's time zone. */
function spanOf({ from, to, last_days: days, timezone }: ChosenReport, now: number): Span {
  if (days === undefined) return { from: Date.parse(from!), to: Date.parse(to!) };
  return { from: nextBoundary(now - days * dayMs, "day", timeZoneRulesOrUtc(timezone)), to: now };
}

async function rowsOf(
  dependencies: SharedDependencies,
  teamId: string,
  report: ChosenReport,
  group: ChosenReport["group_by"],
  span: Span,
  now: number,
  signal: AbortSignal,
): Promise<Row[]> {
  const { store } = dependencies;
  const { kind, player_id, tag, layout_id, schedule_id, asset_id, item_id, timezone } = report;
  const isByDay = group === "day";
  if (kind === "uptime") {
    const query = { player_id, tag, timezone, group_by: [group as "day"], sort: isByDay ? ("key" as const) : ("uptime" as const) };
    return countUptime(store, teamId, query, span, now, signal);
  }
  if (kind === "planned") {
    const query = {
      player_id,
      tag,
      layout_id,
      schedule_id,
      timezone,
      group_by: [group as "day"],
      sort: isByDay ? ("key" as const) : ("missing" as const),
    };
    return comparePlan(dependencies, teamId, query, span, now, signal);
  }
  const query = { player_id, tag, layout_id, schedule_id, asset_id, item_id, timezone, group_by: [group satisfies PlayGroup] };
  const rows: PlayReportRow[] = [];
  const names = new ReportNames(store.db, teamId);
  for await (const part of countPlays(dependencies, teamId, query, span, await readTags(store.db, teamId), signal)) {
    rows.push(...(await names.addTo(part)));
  }
  return isByDay ? rows : rows.toSorted((a, b) => b.plays - a.plays);
}

function nameOf(row: Row, group: ChosenReport["group_by"]): string | null {
  if (group === "day") return row.day ?? null;
  return (group === "tag" ? row.tag : row[`${group}_name`]) ?? null;
}

const figures = [
  "plays",
  "completed",
  "cut",
  "failed",
  "skipped",
  "not_shown",
  "duration_ms",
  "uptime_percent",
  "minutes_up",
  "minutes_total",
  "planned_ms",
  "shown_ms",
  "missing_ms",
  "unplanned_ms",
  "planned_as_then_ms",
] as const;

function figuresOf(row: Row): Omit<SharedReportRow, "name"> {
  return Object.fromEntries(figures.flatMap((figure) => (row[figure] === undefined ? [] : [[figure, row[figure]]])));
}

/** The limits of the report, by name. */
async function limitsOf({ store }: SharedDependencies, teamId: string, report: ChosenReport): Promise<SharedReport["limited_to"]> {
  const names = new ReportNames(store.db, teamId);
  const limits: SharedReport["limited_to"] = report.tag === undefined ? [] : [{ by: "tag", name: report.tag }];
  const tables = [
    { by: "player", table: "players", id: report.player_id },
    { by: "layout", table: "layouts", id: report.layout_id },
    { by: "schedule", table: "schedules", id: report.schedule_id },
    { by: "asset", table: "assets", id: report.asset_id },
  ] as const;
  for (const { by, table, id } of tables) if (id !== undefined) limits.push({ by, name: (await names.of(table, [id])).get(id) ?? null });
  if (report.item_id !== undefined) limits.push({ by: "item", name: await names.ofItem(report.item_id) });
  return limits;
}
