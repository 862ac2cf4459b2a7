// Heartbeats: the regular status reports of a player.
import { z } from "zod";
import { PlayerProblems, ProblemsLeftOut } from "./player-problems.ts";
import { HeartbeatVariables } from "../scheduling/variables.ts";
import { deviceText } from "../text.ts";
import { Capabilities } from "./capabilities.ts";
import { Telemetry } from "./telemetry.ts";
import { UpdateState } from "./updates.ts";
import { Count, DifferenceMs, id, Instant, RawInstant, Timestamp } from "../common.ts";

/** An item whose first frame was presented, and when. */
export const PresentedItem = z
  .object({
    zone_id: id("zon"),
    item_id: id("itm"),
    asset_id: id("ast").nullable(),
    presented_at: Timestamp,
  })
  .meta({ id: "PresentedItem" });
export type PresentedItem = z.infer<typeof PresentedItem>;

/** One reason for the content on screen. A list has the content shown first, then outranked content, then content not considered. */
export const ShownReason = z
  .object({
    layer: z.enum(["override", "pause", "interrupt", "schedule", "default", "item"]),
    id: deviceText(64).nullable().describe("Id of the schedule or item, or of the command that set the override"),
    name: deviceText(200).nullable(),
    layout_id: deviceText(64).nullable(),
    verdict: z.enum(["shows", "held", "outranked", "set-aside"]),
    detail: deviceText(600),
  })
  .meta({ id: "ShownReason" });
export type ShownReason = z.infer<typeof ShownReason>;

/** How many files a heartbeat lists. */
export const maxFilesReported = 20;

/** A file of the newest revision whose download has begun. */
export const FileState = z
  .object({
    asset_id: id("ast"),
    is: z.enum(["downloading", "failed"]).describe("`failed`: the last attempt failed; the player tries again by itself"),
    ready_bytes: Count,
    total_bytes: Count,
    detail: deviceText(200).nullable().describe("Why the last attempt failed"),
  })
  .meta({ id: "FileState" });
export type FileState = z.infer<typeof FileState>;

/** The progress of the newest revision: on screen, downloading, or failed and why. */
export const ContentState = z
  .object({
    is: z.enum(["empty", "downloading", "applied", "failed"]),
    revision: deviceText(64).nullable().describe("The newest revision that the player has received"),
    applied_revision: deviceText(64).nullable().describe("The revision that the player plays"),
    ready_bytes: Count,
    total_bytes: Count,
    ready_files: Count.optional().describe("How many files of the newest revision are here. Older players do not send it"),
    total_files: Count.optional(),
    files: z
      .array(FileState)
      .max(maxFilesReported)
      .optional()
      .describe(`The files that are being downloaded, then those that failed, ${maxFilesReported} at most. Older players do not send them`),
    detail: deviceText(2_000).nullable().describe("What is wrong, or what the download waits for, for people"),
  })
  .meta({ id: "ContentState" });
export type ContentState = z.infer<typeof ContentState>;

/** Identifies one run of the player's program. The socket's address has it as the parameter `instance`. */
export const InstanceId = deviceText(64);

/** Sent every 30 s ± 10 %. `rendering` depends on presented frames. */
export const Heartbeat = z
  .object({
    boot_id: deviceText(64),
    instance_id: InstanceId.optional().describe("Identifies this run of the player's program. Older players do not send it"),
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
    why: z.array(ShownReason).max(20).optional().describe("Why it shows this content"),
    problems: PlayerProblems.optional().describe("Problems, most severe first. Older players do not send them"),
    problems_left_out: ProblemsLeftOut.optional(),
    update: UpdateState.optional().describe("The program's version, slot and update. Only players that a launcher started send it"),
    capabilities: Capabilities.optional().describe("What the player is able to do. Older players do not send it"),
    telemetry: Telemetry.optional().describe("Further measurements. Older players do not send them"),
    rendering: z.boolean(),
    last_frame_at: Timestamp.nullable(),
    memory_bytes: Count.describe("Resident memory of the player and its browser"),
    cpu_load: z.number().min(0).max(1e6).describe("One-minute load average"),
    temperature_c: z.number().min(-1e6).max(1e6).nullable(),
    disk_free_bytes: Count.nullable(),
    clock_offset_ms: DifferenceMs,
    clock_error_ms: DifferenceMs.nullable().describe("Maximum error of the offset; null before the first exchange"),
    drift_ms: z
      .number()
      .min(0)
      .max(1e15)
      .nullable()
      .optional()
      .describe("The largest deviation of a video or sound from its scheduled position in the last half minute; null: none played"),
    drift_mean_ms: DifferenceMs.nullable().optional().describe("The mean deviation; above 0: ahead of the clock"),
  })
  .meta({ id: "Heartbeat" });
export type Heartbeat = z.infer<typeof Heartbeat>;

/**
 * The response to a heartbeat, over the socket or of `POST /device/heartbeat`. Holds all that a device needs to catch up,
 * so that a polling player is only slower.
 */
export const HeartbeatAnswer = z
  .object({
    sent_at_ms: RawInstant.describe("t0 of the heartbeat"),
    received_at_ms: Instant.describe("t1, by the service's clock"),
    answered_at_ms: Instant.describe("t2, by the service's clock"),
    revision: z.string(),
    commands: z.array(z.string()).describe("Signed commands not yet acknowledged, oldest first"),
    identity_shared: z
      .boolean()
      .optional()
      .describe("Another device uses the same identity, such as a clone of the disk. Older services do not send it"),
  })
  .meta({ id: "HeartbeatAnswer" });
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>;
