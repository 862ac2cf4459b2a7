// What is remembered of players' heartbeats: a row a minute, a share a day.
import { z } from "zod";
import { PageQuery } from "./resources.ts";
import { id, Timestamp } from "../common.ts";

/** The heartbeats of one minute, in one row. */
export const HeartbeatMinute = z.object({
  minute: Timestamp.describe("When the minute began, by the service's clock"),
  beats: z.int().min(1),
  rendering: z.int().min(0).describe("Of the beats, those that said that frames were really presented"),
  cpu_load_max: z.number(),
  memory_bytes_max: z.int(),
  temperature_c_max: z.number().nullable(),
  disk_free_bytes_min: z.int().nullable(),
  clock_error_ms_max: z.number().nullable(),
  drift_ms_max: z.number().nullable().describe("How far clips and sounds were from the clock at most; null: none played"),
  boot_id: z.string().describe("Of the last beat; another one than in the minute before: the player was started anew"),
  uptime_ms: z.int(),
  revision: z.string().nullable().describe("What was on screen at the last beat"),
});
export type HeartbeatMinute = z.infer<typeof HeartbeatMinute>;

export const HeartbeatsQuery = PageQuery.extend({
  limit: z.coerce.number().int().min(1).max(1_440).default(60),
  from: Timestamp.optional().describe("Minutes from here on"),
  to: Timestamp.optional().describe("Minutes before this"),
});

/** `GET /players/{id}/uptime`: how much of each day a player was heard. */
export const Uptime = z.object({
  player_id: id("plr"),
  days: z.array(
    z.object({
      date: z.iso.date().describe("Day in UTC"),
      minutes_up: z.int().describe("Minutes in which a heartbeat came"),
      minutes_total: z.int().describe("Minutes of the day that have passed since the player was paired"),
      uptime_percent: z.number().nullable().describe("Null when no minute of the day has passed"),
    }),
  ),
});
export const UptimeQuery = z.strictObject({
  from: z.iso.date().optional().describe("First day, UTC; without it 29 days before the last"),
  to: z.iso.date().optional().describe("Last day, UTC; without it today"),
});
