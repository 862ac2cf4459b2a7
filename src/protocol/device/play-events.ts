// Proof of play: each item that a screen showed, from the first presented frame to the last.
import { z } from "zod";
import { dayMs } from "../../base/time.ts";
import { PageQuery } from "../operator/resources.ts";
import { deviceText } from "../text.ts";
import { Count, DifferenceMs, id, Name, Sha256, SpanMs, Timestamp, TimeZone } from "../common.ts";

/**
 * The outcome of a play. Completed: shown from beginning to end. Cut: started late or ended early. Failed: could not be
 * shown, or failed while it was shown. Skipped: no frame was presented in its time. Not shown: the display was off on purpose.
 */
const PlayResult = z.enum(["completed", "cut", "failed", "skipped", "not_shown"]);
export type PlayResult = z.infer<typeof PlayResult>;

/** The layer that caused a play's layout, as in `why`. An interrupt is a schedule too. */
export const PlayLayer = z.enum(["override", "interrupt", "schedule", "default"]).meta({ id: "PlayLayer" });
export type PlayLayer = z.infer<typeof PlayLayer>;

/** One play of one item in one zone, as the player reports it. */
export const PlayEvent = z.strictObject({
  id: id("evt"),
  layout_id: id("lay").describe("The layout on screen. For an asset shown alone by an override: `lay_` and the rest of the asset's id"),
  zone_id: id("zon"),
  schedule_id: id("sch").nullable().describe("The schedule or interrupt that caused the layout"),
  override_id: id("cmd").nullable().optional().describe("The command of the override that caused it"),
  layer: PlayLayer.optional().describe("The layer that caused it. Older players do not send it"),
  item_id: id("itm"),
  asset_id: id("ast").nullable(),
  sha256: Sha256.nullable().describe("SHA-256 of the asset's file"),
  revision: deviceText(64).min(1).describe("Revision of the state that was playing"),
  result: PlayResult,
  reason: deviceText(64)
    .min(1)
    .nullable()
    .describe("Why it was not completed: for example `replaced`, `joined`, `decode`, `not-ready`, `display_off`"),
  started_at: Timestamp.describe(
    "Time of the first presented frame, corrected. Without a frame: when it was due on this player, which is never before its revision was there",
  ),
  ended_at: Timestamp.describe("Time of the last presented frame, corrected"),
  duration_ms: z
    .int()
    .min(0)
    .max(31 * dayMs)
    .describe("Measured by the monotonic clock, which steps of the wall clock do not affect"),
  started_monotonic_ms: SpanMs,
  ended_monotonic_ms: SpanMs,
  boot_id: deviceText(64).min(1).describe("The run of the player to which the monotonic times belong"),
  clock_offset_ms: DifferenceMs.describe("The correction added to the device's own clock"),
  clock_error_ms: z
    .number()
    .min(0)
    .max(1e15)
    .nullable()
    .describe("Maximum error of the corrected times; null: the clock was never corrected"),
});
export type PlayEvent = z.infer<typeof PlayEvent>;

/** Maximum number of events in a batch. */
export const maxEventsInBatch = 500;

/** `POST /device/play-events`. Events are validated one by one ({@link PlayEvent}): an invalid one does not block the others. */
export const PlayEventBatch = z
  .strictObject({
    events: z.array(z.unknown()).min(1).max(maxEventsInBatch).describe("PlayEvents, validated one by one"),
  })
  .meta({ id: "PlayEventBatch" });

/** The result of a batch. The device may delete all its events, also rejected ones. */
export const PlayEventReceipt = z
  .object({
    accepted: Count,
    duplicates: Count.describe("Events whose id the service already has"),
    rejected: z.array(
      z.object({
        index: Count.describe("Position in the batch"),
        id: z.string().nullable(),
        errors: z
          .array(z.object({ pointer: z.string().describe("JSON Pointer (RFC 6901) into the event"), detail: z.string() }))
          .describe("At least the first of them; a hundred in a batch are listed in full"),
      }),
    ),
  })
  .meta({ id: "PlayEventReceipt" });
export type PlayEventReceipt = z.infer<typeof PlayEventReceipt>;

/** A play event in the REST API. */
export const PlayEventRecord = PlayEvent.extend({
  override_id: id("cmd").nullable().describe("The command of the override that caused the layout"),
  layer: PlayLayer.nullable().describe("The layer that caused the layout; null: an older player did not send it"),
  player_id: id("plr"),
  received_at: Timestamp.describe("When the service received it"),
}).meta({ id: "PlayEventRecord" });
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
  from: Timestamp.optional().describe("Plays that started at this time or later"),
  to: Timestamp.optional().describe("Plays that started before this time"),
};
export const PlayEventsQuery = PageQuery.extend(filters);
export type PlayEventsQuery = z.infer<typeof PlayEventsQuery>;

/** The fields by which a report can be grouped. */
export const playGroups = ["day", "hour", "player", "tag", "layer", "layout", "schedule", "override", "zone", "item", "asset"] as const;
export type PlayGroup = (typeof playGroups)[number];
const GroupBy = z
  .string()
  .max(100)
  .default("asset")
  .transform((text) => text.split(","))
  .pipe(z.array(z.enum(playGroups)).min(1))
  .refine((groups) => new Set(groups).size === groups.length, "names a group twice")
  .refine((groups) => !(groups.includes("day") && groups.includes("hour")), "day and hour cannot be combined");

/** `GET /reports/proof-of-play`. */
export const PlayReportQuery = z.strictObject({
  ...filters,
  tag: Name.optional().describe("Plays of the players that have this tag now"),
  group_by: GroupBy.describe(
    "Comma-separated: day, hour, player, tag, layer, layout, schedule, override, zone, item, asset. A player with several tags counts for each of them",
  ),
  timezone: TimeZone.default("UTC").describe("Time zone of days and hours"),
  format: z.enum(["json", "csv"]).optional().describe("Default: the type in `Accept`, else JSON"),
});
export type PlayReportQuery = z.infer<typeof PlayReportQuery>;

/** A row of the report. It has the keys that the report is grouped by. */
export const PlayReportRow = z
  .object({
    day: z.iso.date().optional(),
    hour: z.string().optional().describe("Start of the hour, with the time zone's offset"),
    player_id: id("plr").optional(),
    player_name: Name.nullable().optional(),
    tag: Name.nullable().optional().describe("A tag of the player. Null: it has none now"),
    layer: PlayLayer.nullable().optional().describe("Null: an older player did not send it"),
    layout_id: id("lay").optional(),
    schedule_id: id("sch").nullable().optional().describe("Null: not caused by a schedule"),
    override_id: id("cmd").nullable().optional().describe("Null: not caused by an override"),
    zone_id: id("zon").optional(),
    item_id: id("itm").optional(),
    asset_id: id("ast").nullable().optional(),
    asset_name: Name.nullable().optional().describe("Null if the item has no asset or the asset was deleted"),
    plays: z.int().describe("Plays with at least one presented frame: completed, cut, and failed after the first frame"),
    completed: z.int(),
    cut: z.int(),
    failed: z.int(),
    skipped: z.int(),
    not_shown: z.int().describe("Plays in the time for which the display was off on purpose: by its opening hours or by hand"),
    duration_ms: z.int().describe("Time on screen"),
    first_at: Timestamp,
    last_at: Timestamp.describe("When the last play started"),
    layout_name: Name.nullable().optional().describe("Null if it was deleted permanently"),
    schedule_name: Name.nullable().optional(),
    item_name: z.string().nullable().optional().describe("The name of its asset, else its text or address; null: it was removed"),
  })
  .meta({ id: "PlayReportRow" });
export type PlayReportRow = z.infer<typeof PlayReportRow>;
export const PlayReport = z.object({ data: z.array(PlayReportRow) }).meta({ id: "PlayReport" });
