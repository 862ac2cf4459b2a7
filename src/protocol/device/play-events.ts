// Proof of play: what really was on a screen, from the first presented frame to the last.
import { z } from "zod";
import { PageQuery } from "../operator/resources.ts";
import { deviceText } from "../text.ts";
import { Count, DifferenceMs, id, Name, Sha256, SpanMs, Timestamp, TimeZone } from "../common.ts";

/**
 * How a play went. Completed: from its beginning to its end. Cut: it began late or ended early. Failed: it could not be
 * shown, or broke while it was. Skipped: its time passed without a frame of it.
 */
const PlayResult = z.enum(["completed", "cut", "failed", "skipped"]);

/** What brought the layout of a play, in the words of `why`: an interrupt is a schedule too. */
export const PlayLayer = z.enum(["override", "interrupt", "schedule", "default"]);
export type PlayLayer = z.infer<typeof PlayLayer>;

/** One play of one item in one zone, as the player tells it. */
export const PlayEvent = z.strictObject({
  id: id("evt"),
  layout_id: id("lay").describe("The layout that was on. Of an asset that an override showed alone: `lay_` and the asset's own number"),
  zone_id: id("zon"),
  schedule_id: id("sch").nullable().describe("The schedule or interrupt that brought the layout"),
  override_id: id("cmd").nullable().optional().describe("The override that brought it, by its command"),
  layer: PlayLayer.optional().describe("What brought it. Players older than the field leave it out"),
  item_id: id("itm"),
  asset_id: id("ast").nullable(),
  sha256: Sha256.nullable().describe("Of the asset's bytes"),
  revision: deviceText(64).min(1).describe("Of the state that it belonged to"),
  result: PlayResult,
  reason: deviceText(64).min(1).nullable().describe("Why it was not completed, such as `replaced`, `joined`, `decode`, `not-ready`"),
  started_at: Timestamp.describe("First presented frame, corrected time; of a play without a frame: when it was due"),
  ended_at: Timestamp.describe("Last presented frame, corrected time"),
  duration_ms: z
    .int()
    .min(0)
    .max(31 * 86_400_000)
    .describe("By the monotonic clock: no step of the wall clock changes it"),
  started_monotonic_ms: SpanMs,
  ended_monotonic_ms: SpanMs,
  boot_id: deviceText(64).min(1).describe("Names the run of the player that the monotonic stamps belong to"),
  clock_offset_ms: DifferenceMs.describe("What was added to the device's own wall clock"),
  clock_error_ms: z.number().min(0).max(1e15).nullable().describe("Bound of the corrected times' error; null: never set right"),
});
export type PlayEvent = z.infer<typeof PlayEvent>;

/** Most events of a batch. */
export const maxEventsInBatch = 500;

/** `POST /device/play-events`. Each event is looked at by itself ({@link PlayEvent}): a wrong one does not hold up the others. */
export const PlayEventBatch = z.strictObject({
  events: z.array(z.unknown()).min(1).max(maxEventsInBatch).describe("PlayEvents; each is looked at by itself"),
});

/** What became of a batch. All three are done with: the device may forget them. */
export const PlayEventReceipt = z.object({
  accepted: Count,
  duplicates: Count.describe("Known already by their id"),
  rejected: z.array(
    z.object({
      index: Count.describe("Place in the batch"),
      id: z.string().nullable(),
      errors: z.array(z.object({ pointer: z.string().describe("RFC 6901, into the event"), detail: z.string() })),
    }),
  ),
});
export type PlayEventReceipt = z.infer<typeof PlayEventReceipt>;

/** A play event as an operator sees it. */
export const PlayEventRecord = PlayEvent.extend({
  override_id: id("cmd").nullable().describe("The override that brought the layout, by its command"),
  layer: PlayLayer.nullable().describe("What brought the layout; null: an older player did not tell"),
  player_id: id("plr"),
  received_at: Timestamp.describe("When the service took it in"),
});
export type PlayEventRecord = z.infer<typeof PlayEventRecord>;

const filters = {
  player_id: id("plr").optional(),
  layout_id: id("lay").optional(),
  schedule_id: id("sch").optional(),
  override_id: id("cmd").optional(),
  layer: PlayLayer.optional(),
  zone_id: id("zon").optional(),
  asset_id: id("ast").optional(),
  item_id: id("itm").optional(),
  result: PlayResult.optional(),
  from: Timestamp.optional().describe("Plays that began here or later"),
  to: Timestamp.optional().describe("Plays that began before this"),
};
export const PlayEventsQuery = PageQuery.extend(filters);
export type PlayEventsQuery = z.infer<typeof PlayEventsQuery>;

/** What a report can be grouped by. */
export const playGroups = ["day", "hour", "player", "layer", "layout", "schedule", "override", "zone", "item", "asset"] as const;
export type PlayGroup = (typeof playGroups)[number];
const GroupBy = z
  .string()
  .max(100)
  .default("asset")
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(playGroups)).min(1))
  .refine((groups) => new Set(groups).size === groups.length, "names a group twice")
  .refine((groups) => !(groups.includes("day") && groups.includes("hour")), "day and hour exclude each other");

/** `GET /reports/proof-of-play`. */
export const PlayReportQuery = z.strictObject({
  ...filters,
  group_by: GroupBy.describe("Comma-separated: day, hour, player, layer, layout, schedule, override, zone, item, asset"),
  timezone: TimeZone.default("UTC").describe("Zone in which days and hours begin"),
  format: z.enum(["json", "csv"]).optional().describe("Without it: what `Accept` asks for, JSON else"),
});
export type PlayReportQuery = z.infer<typeof PlayReportQuery>;

/** A row of the report. Of the keys those are there that it is grouped by. */
export const PlayReportRow = z.object({
  day: z.iso.date().optional(),
  hour: z.string().optional().describe("Start of the hour, with the zone's offset"),
  player_id: id("plr").optional(),
  player_name: Name.nullable().optional(),
  layer: PlayLayer.nullable().optional().describe("Null: an older player did not tell"),
  layout_id: id("lay").optional(),
  schedule_id: id("sch").nullable().optional().describe("Null: no schedule brought it"),
  override_id: id("cmd").nullable().optional().describe("Null: no override brought it"),
  zone_id: id("zon").optional(),
  item_id: id("itm").optional(),
  asset_id: id("ast").nullable().optional(),
  asset_name: Name.nullable().optional().describe("Null when the item has no asset or it was deleted"),
  plays: z.int().describe("Plays of which a frame was presented: completed, cut, and those that failed after it"),
  completed: z.int(),
  cut: z.int(),
  failed: z.int(),
  skipped: z.int(),
  duration_ms: z.int().describe("Time on the glass"),
  first_at: Timestamp,
  last_at: Timestamp.describe("When the last of them began"),
});
export type PlayReportRow = z.infer<typeof PlayReportRow>;
export const PlayReport = z.object({ data: z.array(PlayReportRow) });
