// The API schemas of reports that people read: counts of plays page by page, uptime, and the plan beside the plays.
import { z } from "zod";
import { Count, id, Name, SpanMs, Timestamp, TimeZone } from "../common.ts";
import { PlayReportQuery, PlayReportRow } from "../device/play-events.ts";
import { PageQuery } from "./resources.ts";

const limit = z.coerce.number().int().min(1).max(1_000).default(100).describe("Maximum number of rows");
const cursor = PageQuery.shape.cursor.describe(
  "`next_cursor` of the page before. Its pages are of the same report, which is kept for a few minutes",
);

/** The filters of every report. */
const selection = {
  player_id: id("plr").optional(),
  tag: Name.optional().describe("The players that have this tag now"),
  timezone: TimeZone.default("UTC").describe("Time zone of days"),
  from: Timestamp.optional().describe("Default: 30 days before `to`"),
  to: Timestamp.optional().describe("Default: now"),
};

/** A list of different groups, comma-separated. */
function groupsOf<const G extends readonly [string, ...string[]]>(groups: G, preset: G[number]) {
  return z
    .string()
    .max(100)
    .default(preset)
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(groups)).min(1))
    .refine((groups) => new Set(groups).size === groups.length, "names a group twice")
    .describe(`Comma-separated: ${groups.join(", ")}. A player with several tags counts for each of them`);
}

/** One page of a report: rows of the interval from `from` to `to`. */
function reportOf<R extends z.ZodType>(row: R) {
  return z.object({
    data: z.array(row),
    from: Timestamp,
    to: Timestamp,
    row_count: Count.describe("The number of rows of all pages"),
    next_cursor: z.string().nullable(),
  });
}

/** `GET /reports/play-counts`. */
export const PlayCountsQuery = PlayReportQuery.extend({
  sort: z
    .enum(["plays", "duration_ms", "completed", "cut", "failed", "skipped", "not_shown", "key"])
    .default("plays")
    .describe("The largest first; `key`: in the order of days and names"),
  limit,
  cursor,
});
export type PlayCountsQuery = z.infer<typeof PlayCountsQuery>;

export const PlayCounts = reportOf(PlayReportRow).meta({ id: "PlayCounts" });

/** `GET /reports/uptime`. */
export const UptimeReportQuery = z.strictObject({
  ...selection,
  group_by: groupsOf(["day", "player", "tag"], "player"),
  sort: z.enum(["uptime", "key"]).default("uptime").describe("The lowest uptime first; `key`: in the order of days and names"),
  format: PlayReportQuery.shape.format,
  limit,
  cursor,
});
export type UptimeReportQuery = z.infer<typeof UptimeReportQuery>;

/** A row has the keys that the report is grouped by. */
export const UptimeReportRow = z
  .object({
    day: z.iso.date().optional(),
    player_id: id("plr").optional(),
    player_name: Name.optional(),
    tag: Name.nullable().optional().describe("Null: players without tags"),
    players: Count.describe("The number of players in it"),
    minutes_up: Count.describe("Minutes with a heartbeat"),
    minutes_total: Count.describe("Minutes that have passed since each player was paired"),
    display_off_minutes: Count.describe("Of the minutes with a heartbeat, those in which the display was read back as off"),
    uptime_percent: z.number().nullable().describe("Null when no minute has passed"),
  })
  .meta({ id: "UptimeReportRow" });
export type UptimeReportRow = z.infer<typeof UptimeReportRow>;
export const UptimeReport = reportOf(UptimeReportRow).meta({ id: "UptimeReport" });

/** `GET /reports/planned-and-shown`. */
export const PlanReportQuery = z.strictObject({
  ...selection,
  layout_id: id("lay").optional(),
  schedule_id: id("sch").optional(),
  group_by: groupsOf(["day", "player", "tag", "layout", "schedule"], "schedule"),
  sort: z.enum(["missing", "key"]).default("missing").describe("What was missing for longest first; `key`: in the order of days and names"),
  format: PlayReportQuery.shape.format,
  limit,
  cursor,
});
export type PlanReportQuery = z.infer<typeof PlanReportQuery>;

/** A row has the keys that the report is grouped by. */
export const PlanReportRow = z
  .object({
    day: z.iso.date().optional(),
    player_id: id("plr").optional(),
    player_name: Name.optional(),
    tag: Name.nullable().optional().describe("Null: players without tags"),
    layout_id: id("lay").optional(),
    layout_name: Name.nullable().optional(),
    schedule_id: id("sch").nullable().optional().describe("Null: the player's own layout, or an override"),
    schedule_name: Name.nullable().optional(),
    planned_ms: SpanMs.describe("For how long it was to be on the screens while their displays were to be on"),
    shown_ms: SpanMs.describe("For how long it was on the screens, as play events prove"),
    missing_ms: SpanMs.describe("Planned and not shown"),
    unplanned_ms: SpanMs.describe("Shown and not planned: by overrides, by earlier content, or outside of the display's opening hours"),
    planned_as_then_ms: SpanMs.describe(
      "The part of `planned_ms` for which the player's heartbeats say that it had the content which it has now. For the rest the plan is what the present content would have planned",
    ),
  })
  .meta({ id: "PlanReportRow" });
export type PlanReportRow = z.infer<typeof PlanReportRow>;
export const PlanReport = reportOf(PlanReportRow).meta({ id: "PlanReport" });
