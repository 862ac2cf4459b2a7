// What a screen tells of itself.
import { z } from "zod";
import { PlayerProblems, ProblemsLeftOut } from "./player-problems.ts";
import { HeartbeatVariables } from "../scheduling/variables.ts";
import { deviceText } from "../text.ts";
import { Count, DifferenceMs, id, Instant, RawInstant, Timestamp } from "../common.ts";

/** An item that really came on screen, and when its first frame was presented. */
export const PresentedItem = z.object({
  zone_id: id("zon"),
  item_id: id("itm"),
  asset_id: id("ast").nullable(),
  presented_at: Timestamp,
});
export type PresentedItem = z.infer<typeof PresentedItem>;

/** One link of the chain of reasons behind what is on: what shows first, then what it outranks, then what takes no part. */
export const ShownReason = z.object({
  layer: z.enum(["override", "pause", "interrupt", "schedule", "default", "item"]),
  id: deviceText(64).nullable().describe("Of the schedule or the item, or of the command that brought the override"),
  name: deviceText(200).nullable(),
  layout_id: deviceText(64).nullable(),
  verdict: z.enum(["shows", "held", "outranked", "set-aside"]),
  detail: deviceText(600),
});
export type ShownReason = z.infer<typeof ShownReason>;

/** How far the newest revision is: on screen, on its way, or stuck and why. */
export const ContentState = z.object({
  is: z.enum(["empty", "downloading", "applied", "failed"]),
  revision: deviceText(64).nullable().describe("The revision this speaks of"),
  applied_revision: deviceText(64).nullable().describe("The revision on screen"),
  ready_bytes: Count,
  total_bytes: Count,
  detail: deviceText(2_000).nullable().describe("What is wrong, in words"),
});
export type ContentState = z.infer<typeof ContentState>;

/** Sent every 30 s ± 10 %. `rendering` goes by presented frames, not by what was asked for. */
export const Heartbeat = z.object({
  boot_id: deviceText(64),
  sent_at_ms: RawInstant.describe("The device's own wall clock, ms since the epoch: t0 of the clock exchange"),
  uptime_ms: Count,
  player_version: deviceText(64),
  engine: deviceText(128),
  hardware: deviceText(200).nullable(),
  timezone: deviceText(64),
  resolution: z.object({ width: Count, height: Count }).nullable(),
  content: ContentState,
  now_playing: z.array(PresentedItem).max(200),
  variables: HeartbeatVariables.optional(),
  why: z.array(ShownReason).max(20).optional().describe("Why it shows what it shows"),
  problems: PlayerProblems.optional().describe("What is wrong, the gravest first; older players do not say"),
  problems_left_out: ProblemsLeftOut.optional(),
  rendering: z.boolean(),
  last_frame_at: Timestamp.nullable(),
  memory_bytes: Count.describe("Resident memory of the player, its browser included"),
  cpu_load: z.number().min(0).max(1e6).describe("One-minute load average"),
  temperature_c: z.number().min(-1e6).max(1e6).nullable(),
  disk_free_bytes: Count.nullable(),
  clock_offset_ms: DifferenceMs,
  clock_error_ms: DifferenceMs.nullable().describe("Bound of the offset's error; null before the first exchange"),
  drift_ms: z
    .number()
    .min(0)
    .max(1e15)
    .nullable()
    .optional()
    .describe("The furthest that a clip or sound on screen was from where the clock says, in the last half minute; null: none played"),
  drift_mean_ms: DifferenceMs.nullable().optional().describe("Their mean; above 0: ahead of the clock"),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/**
 * The answer to a heartbeat, over the socket or by `POST /device/heartbeat`: all a device needs to catch up,
 * so that polling differs from the socket only in delay.
 */
export const HeartbeatAnswer = z.object({
  sent_at_ms: RawInstant.describe("t0 of the heartbeat it answers"),
  received_at_ms: Instant.describe("t1, the service's clock"),
  answered_at_ms: Instant.describe("t2, the service's clock"),
  revision: z.string(),
  commands: z.array(z.string()).describe("Signed commands not yet acknowledged, oldest first"),
});
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>;
