// Reports that people read page by page: counts of plays, uptime, and planned beside shown time.
import type { Clock } from "../../../base/clock.ts";
import type { PlayReportRow } from "../../../protocol/device/play-events.ts";
import {
  PlanReport,
  PlanReportQuery,
  PlayCounts,
  PlayCountsQuery,
  UptimeReport,
  UptimeReportQuery,
  type PlanReportRow,
  type UptimeReportRow,
} from "../../../protocol/operator/reports.ts";
import { csvLine } from "../../http/responses/csv.ts";
import { comparePlan, type PlanDependencies } from "../plan-report.ts";
import { countPlays, needsTags, reportSpan } from "../play-report.ts";
import type { RecentReports } from "../recent-reports.ts";
import { spanOfReport } from "../report-days.ts";
import { inOrder } from "../report-groups.ts";
import { ReportNames } from "../report-names.ts";
import { readTags } from "../reported-players.ts";
import { countUptime } from "../uptime-report.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { StreamResponse } from "../../operations/responses.ts";

interface ReportPageDependencies extends PlanDependencies {
  clock: Clock;
  recentReports: RecentReports;
}

type Row = PlayReportRow | UptimeReportRow | PlanReportRow;

const maxUptimeDays = 366;
const maxPlanDays = 31;

const operation = operationsWith<ReportPageDependencies>();

export const reportPageOperations: readonly Operation<ReportPageDependencies>[] = [
  operation({
    name: "listPlayCounts",
    tag: "play events",
    method: "GET",
    path: "/reports/play-counts",
    summary: "Count plays, page by page",
    description:
      "The rows of `/reports/proof-of-play`, sorted by a figure and in pages: which screens, layouts, schedules, items or assets were shown most, or failed most. Further pages are of the same moment as the first. With `format=csv` all rows as CSV, with the names of what they count.",
    agent: "Use it for the ten screens with the most failed plays, and the like. For all rows use get_proof_of_play.",
    caller: "operator",
    scope: "play_events:read",
    query: PlayCountsQuery,
    status: 200,
    output: PlayCounts,
    texts: ["text/csv"],
    errors: ["invalid"],
    async run({ clock, recentReports, store }, { teamId }, { query: { format, ...query } }) {
      const spanOf = () => reportSpan(query, Math.trunc(clock.now()));
      const report = await recentReports.page(teamId, "play-counts", pagedFor(format, query), spanOf, async (span, signal) => {
        const names = new ReportNames(store.db, teamId);
        const tags = needsTags(query) ? await readTags(store.db, teamId) : new Map<string, string[]>();
        const rows: PlayReportRow[] = [];
        for await (const part of countPlays({ clock, store }, teamId, query, span, tags, signal)) rows.push(...(await names.addTo(part)));
        const { sort } = query;
        return sort === "key" ? inOrder(rows, query.group_by) : rows.toSorted((a, b) => b[sort] - a[sort]);
      });
      return format === "csv" ? csvOf("shown.csv", report.data) : report;
    },
  }),
  operation({
    name: "getUptimeReport",
    tag: "play events",
    method: "GET",
    path: "/reports/uptime",
    summary: "Report uptime",
    description:
      "For how much of the time the service received heartbeats, by day, player and tag; at most 366 days. An hour counts for the day in which it begins. The time before a player was paired does not count. With `format=csv` all rows as CSV.",
    agent: "Use it for questions about the reliability of screens over days and weeks. For what is wrong now, use list_troubled_players.",
    caller: "operator",
    scope: "players:read",
    query: UptimeReportQuery,
    status: 200,
    output: UptimeReport,
    texts: ["text/csv"],
    errors: ["invalid"],
    async run({ clock, presence, recentReports, store }, { teamId }, { query: { format, ...query } }) {
      await presence.flush();
      const now = Math.trunc(clock.now());
      const spanOf = () => spanOfReport(query, now, maxUptimeDays);
      const report = await recentReports.page(teamId, "uptime", pagedFor(format, query), spanOf, (span, signal) =>
        countUptime(store, teamId, query, span, now, signal),
      );
      return format === "csv" ? csvOf("uptime.csv", report.data) : report;
    },
  }),
  operation({
    name: "getPlannedAndShown",
    tag: "play events",
    method: "GET",
    path: "/reports/planned-and-shown",
    summary: "Report what was planned beside what was shown",
    description:
      "For how long each layout of each schedule was planned, by the forecast, within the display's opening hours, and for how long play events prove that it was shown; at most 31 days and 1,000 players. Past content is not stored: the plan is that of the present content, and `planned_as_then_ms` says for how much of it the player had that content already. Overrides are not planned. With `format=csv` all rows as CSV.",
    agent: "Use it to find what should have been shown and was not.",
    caller: "operator",
    scope: "play_events:read",
    query: PlanReportQuery,
    status: 200,
    output: PlanReport,
    texts: ["text/csv"],
    errors: ["invalid"],
    async run(dependencies, { teamId }, { query: { format, ...query } }) {
      const { clock, presence, recentReports } = dependencies;
      await presence.flush();
      const now = Math.trunc(clock.now());
      const spanOf = () => spanOfReport(query, now, maxPlanDays);
      const report = await recentReports.page(teamId, "planned", pagedFor(format, query), spanOf, (span, signal) =>
        comparePlan(dependencies, teamId, query, span, now, signal),
      );
      return format === "csv" ? csvOf("planned-and-shown.csv", report.data) : report;
    },
  }),
];

/** A file has all rows. */
function pagedFor<Q extends { cursor?: string | undefined; limit: number }>(format: "json" | "csv" | undefined, query: Q): Q {
  return format === "csv" ? { ...query, cursor: undefined, limit: Number.MAX_SAFE_INTEGER } : query;
}

/** All rows as a file. The columns are the keys of the rows, which all have the same; a name follows its id. */
function csvOf(name: string, rows: readonly Row[]): StreamResponse {
  const keys = Object.keys(rows[0] ?? {});
  const nameOf = (key: string): string => key.replace(/_id$/, "_name");
  const names = keys.filter((key) => key.endsWith("_id")).map(nameOf);
  const cells = keys
    .filter((key) => !names.includes(key))
    .flatMap((key) => (keys.includes(nameOf(key)) ? [...new Set([key, nameOf(key)])] : [key])) as (keyof Row)[];
  async function* lines(): AsyncGenerator<string> {
    if (cells.length > 0) yield csvLine(cells);
    for (const row of rows) yield csvLine(cells.map((cell) => row[cell]));
  }
  return new StreamResponse("text/csv; charset=utf-8; header=present", lines(), {
    "Content-Disposition": `attachment; filename="${name}"`,
  });
}
