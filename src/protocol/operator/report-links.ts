// The API schemas of links to reports, by which people without an account read one chosen report until the link ends.
import { z } from "zod";
import { dayMs } from "../../base/time.ts";
import { Count, id, Name, Timestamp, TimeZone } from "../common.ts";

const maxDays = 366;

/** The report of a link: plays, uptime, or the plan beside the plays. */
const reportKinds = ["plays", "uptime", "planned"] as const;
const ReportGroup = z.enum(["day", "player", "tag", "layout", "schedule", "item", "asset"]);

/** The one report that a link shows. */
export const ChosenReport = z
  .strictObject({
    kind: z.enum(reportKinds),
    group_by: ReportGroup.describe("What its rows stand for. Uptime: day, player or tag. Planned: not item or asset"),
    player_id: id("plr").optional(),
    tag: Name.optional().describe("Only the players that have this tag when the report is read"),
    layout_id: id("lay").optional(),
    schedule_id: id("sch").optional(),
    asset_id: id("ast").optional(),
    item_id: id("itm").optional(),
    timezone: TimeZone.default("UTC"),
    last_days: z.int().min(1).max(maxDays).optional().describe("The last days until it is read, today included; without `from` and `to`"),
    from: Timestamp.optional(),
    to: Timestamp.optional(),
  })
  .superRefine((report, context) => {
    for (const [path, message] of faultsOf(report)) context.addIssue({ code: "custom", path: [path], message });
  })
  .meta({ id: "ChosenReport" });
export type ChosenReport = z.infer<typeof ChosenReport>;

interface Chosen {
  kind: (typeof reportKinds)[number];
  group_by: string;
  last_days?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  layout_id?: string | undefined;
  schedule_id?: string | undefined;
  asset_id?: string | undefined;
  item_id?: string | undefined;
}

/** The paths and texts of the faults in a choice that has the right types. */
function faultsOf({ kind, group_by, last_days, from, to, ...filters }: Chosen): [path: string, message: string][] {
  const faults: [string, string][] = [];
  const groups: readonly string[] = {
    plays: ReportGroup.options,
    uptime: ["day", "player", "tag"],
    planned: ["day", "player", "tag", "layout", "schedule"],
  }[kind];
  if (!groups.includes(group_by)) faults.push(["group_by", `a report of this kind is by ${groups.join(", ")}`]);
  const unusable = { plays: [], uptime: ["layout_id", "schedule_id", "asset_id", "item_id"], planned: ["asset_id", "item_id"] }[kind];
  for (const each of unusable)
    if (filters[each as keyof typeof filters] !== undefined) faults.push([each, "a report of this kind cannot be limited to it"]);
  const most = kind === "planned" ? 31 : maxDays;
  if (last_days !== undefined && (from !== undefined || to !== undefined)) faults.push(["last_days", "stands without `from` and `to`"]);
  else if (last_days === undefined && (from === undefined || to === undefined))
    faults.push(["last_days", "is missing: or give `from` and `to`"]);
  else if (last_days !== undefined && last_days > most) faults.push(["last_days", `must be at most ${most} in a report of this kind`]);
  else if (from !== undefined && to !== undefined) {
    const days = (Date.parse(to) - Date.parse(from)) / dayMs;
    if (days <= 0) faults.push(["to", "must be after `from`"]);
    // The day on which clocks are put back is longer.
    if (days > most + 0.125) faults.push(["to", `must be at most ${most} days after \`from\` in a report of this kind`]);
  }
  return faults;
}

/** A link to a report, without its secret. */
export const ReportLink = z
  .object({
    id: id("rpl"),
    team_id: id("team"),
    name: Name,
    hint: z.string().describe("The last four characters of its secret"),
    status: z.enum(["active", "expired", "revoked"]),
    report: ChosenReport,
    created_by: id("usr"),
    created_at: Timestamp,
    expires_at: Timestamp,
    revoked_at: Timestamp.nullable(),
    opened_count: Count.describe("How often it was opened: once a minute at most"),
    last_opened_at: Timestamp.nullable(),
  })
  .meta({ id: "ReportLink" });
export type ReportLink = z.infer<typeof ReportLink>;

export const NewReportLink = z
  .strictObject({
    name: Name.describe("The title that its readers see"),
    report: ChosenReport,
    expires_at: Timestamp.optional().describe(
      "At most in 400 days. Default: in 30 days, or when the token that you call with expires. A token cannot create a link that ends after it",
    ),
  })
  .meta({ id: "NewReportLink" });

export const CreatedReportLink = ReportLink.extend({
  secret: z.string().describe("Shown only once: the service stores only its hash"),
  url: z.string().nullable().describe("The page that anybody may open who has it; null: the Host header is not a host name"),
}).meta({ id: "CreatedReportLink" });

/** Figures of a row; those that a report of its kind does not have are left out. */
const figures = {
  plays: Count.optional(),
  completed: Count.optional(),
  cut: Count.optional(),
  failed: Count.optional(),
  skipped: Count.optional(),
  not_shown: Count.optional(),
  duration_ms: Count.optional(),
  uptime_percent: z.number().nullable().optional(),
  minutes_up: Count.optional(),
  minutes_total: Count.optional(),
  planned_ms: Count.optional(),
  shown_ms: Count.optional(),
  missing_ms: Count.optional(),
  unplanned_ms: Count.optional(),
  planned_as_then_ms: Count.optional(),
};
export const SharedReportRow = z
  .object({
    name: z.string().nullable().describe("What the row stands for; null: what has no name (any more)"),
    ...figures,
  })
  .meta({ id: "SharedReportRow" });
export type SharedReportRow = z.infer<typeof SharedReportRow>;

/** A report as its link's readers get it: names and figures, no ids. */
export const SharedReport = z
  .object({
    name: Name,
    team_name: Name,
    kind: z.enum(reportKinds),
    group_by: ReportGroup,
    limited_to: z.array(z.object({ by: z.enum(["player", "tag", "layout", "schedule", "item", "asset"]), name: z.string().nullable() })),
    timezone: z.string(),
    from: Timestamp,
    to: Timestamp,
    read_at: Timestamp.describe("When it was computed: a minute ago at most"),
    expires_at: Timestamp,
    days: z.array(SharedReportRow).describe("Its days, in order"),
    rows: z.array(SharedReportRow).describe("At most 1,000; all are in the CSV"),
    row_count: Count,
  })
  .meta({ id: "SharedReport" });
export type SharedReport = z.infer<typeof SharedReport>;

export const SharedReportQuery = z.strictObject({
  key: z.string().min(1).max(100).describe("The link's secret: the last part of its address"),
  format: z.enum(["json", "csv"]).default("json"),
});
