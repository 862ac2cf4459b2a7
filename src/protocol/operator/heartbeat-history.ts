// The API schemas of the heartbeat history: one row per minute or hour, and the uptime per day.
import { z } from "zod";
import { PageQuery } from "./resources.ts";
import { id, Timestamp } from "../common.ts";

/** The heartbeats of one minute, or of one hour. A measurement is null if no heartbeat of that time had it. */
export const HeartbeatMinute = z
  .object({
    minute: Timestamp.describe("The start of the minute or hour, by the service's clock"),
    minutes: z.int().min(1).describe("The number of minutes with a heartbeat: 1, or up to 60 of an hour"),
    beats: z.int().min(1),
    rendering: z.int().min(0).describe("The number of heartbeats that reported presented frames"),
    cpu_load_max: z.number(),
    memory_bytes_max: z.int(),
    page_memory_bytes_max: z.int().nullable().describe("Memory of the processes that draw the page"),
    temperature_c_max: z.number().nullable(),
    disk_free_bytes_min: z.int().nullable(),
    clock_error_ms_max: z.number().nullable(),
    drift_ms_max: z.number().nullable().describe("The largest offset of videos and audio from the clock; null: none played"),
    frames_presented: z.int().nullable().describe("Frames that the page drew, and frames of videos"),
    frames_dropped: z.int().nullable().describe("Video frames that were decoded too late to be shown"),
    frames_late: z.int().nullable().describe("Frames of the page that took longer than two frame times"),
    signal_dbm_min: z.number().nullable().describe("The weakest Wi-Fi signal"),
    throttled_minutes: z.int().nullable().describe("In how many of these minutes the processor was slowed down"),
    display_off_minutes: z.int().nullable().describe("In how many of these minutes the display was read back as off"),
    boot_id: z.string().describe("From the last heartbeat. If it differs from the row before, the player was restarted"),
    uptime_ms: z.int(),
    revision: z.string().nullable().describe("The revision on screen at the last heartbeat"),
  })
  .meta({ id: "HeartbeatMinute" });
export type HeartbeatMinute = z.infer<typeof HeartbeatMinute>;

export const HeartbeatsQuery = PageQuery.extend({
  resolution: z.enum(["minute", "hour"]).default("minute").describe("Minutes are kept for 30 days, hours for a year"),
  limit: z.coerce.number().int().min(1).max(1_440).default(60),
  from: Timestamp.optional().describe("Minutes or hours from this time on"),
  to: Timestamp.optional().describe("Minutes or hours before this time"),
});

/** `GET /players/{id}/uptime`: for how much of each day the service received heartbeats. */
export const Uptime = z
  .object({
    player_id: id("plr"),
    days: z.array(
      z.object({
        date: z.iso.date().describe("Day in UTC"),
        minutes_up: z.int().describe("Minutes with a heartbeat"),
        minutes_total: z.int().describe("Minutes of the day that have passed since the player was paired"),
        uptime_percent: z.number().nullable().describe("Null when no minute of the day has passed"),
      }),
    ),
  })
  .meta({ id: "Uptime" });
export const UptimeQuery = z.strictObject({
  from: z.iso.date().optional().describe("First day, UTC; default: 29 days before the last"),
  to: z.iso.date().optional().describe("Last day, UTC; default: today"),
});
