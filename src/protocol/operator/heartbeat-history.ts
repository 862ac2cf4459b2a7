// The API schemas of the heartbeat history: one row per minute, and the uptime per day.
import { z } from "zod";
import { PageQuery } from "./resources.ts";
import { id, Timestamp } from "../common.ts";

/** The heartbeats of one minute. */
export const HeartbeatMinute = z.object({
  minute: Timestamp.describe("The start of the minute, by the service's clock"),
  beats: z.int().min(1),
  rendering: z.int().min(0).describe("The number of heartbeats that reported presented frames"),
  cpu_load_max: z.number(),
  memory_bytes_max: z.int(),
  temperature_c_max: z.number().nullable(),
  disk_free_bytes_min: z.int().nullable(),
  clock_error_ms_max: z.number().nullable(),
  drift_ms_max: z.number().nullable().describe("The largest offset of videos and audio from the clock; null: none played"),
  boot_id: z.string().describe("From the last heartbeat. If it differs from the previous minute, the player was restarted"),
  uptime_ms: z.int(),
  revision: z.string().nullable().describe("The revision on screen at the last heartbeat"),
});
export type HeartbeatMinute = z.infer<typeof HeartbeatMinute>;

export const HeartbeatsQuery = PageQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_440).default(60),
  from: Timestamp.optional().describe("Minutes from this time on"),
  to: Timestamp.optional().describe("Minutes before this time"),
});

/** `GET /players/{id}/uptime`: for how much of each day the service received heartbeats. */
export const Uptime = z.object({
  player_id: id("plr"),
  days: z.array(
    z.object({
      date: z.iso.date().describe("Day in UTC"),
      minutes_up: z.int().describe("Minutes with a heartbeat"),
      minutes_total: z.int().describe("Minutes of the day that have passed since the player was paired"),
      uptime_percent: z.number().nullable().describe("Null when no minute of the day has passed"),
    }),
  ),
});
export const UptimeQuery = z.strictObject({
  from: z.iso.date().optional().describe("First day, UTC; default: 29 days before the last"),
  to: z.iso.date().optional().describe("Last day, UTC; default: today"),
});
