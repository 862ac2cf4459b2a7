// The API schemas of commands that reach many players in waves.
import { z } from "zod";
import { Count, id, Timestamp } from "../common.ts";
import { DeviceCommand } from "../device/command-request.ts";
import { PageQuery } from "./resources.ts";

/** How a command for many players is spread: `POST /commands` with `waves`. */
export const CommandWaves = z
  .strictObject({
    size: z.int().min(1).max(10_000).optional().describe("The players of a wave"),
    percent: z.int().min(1).max(100).optional().describe("The players of a wave, as a share of all"),
    halt_above_failed_percent: z
      .int()
      .min(0)
      .max(100)
      .default(10)
      .describe(
        "No further wave begins when more than this share of a wave's players failed: failed, rejected or expired. An offline player fails when its command expires",
      ),
    wave_timeout_s: z
      .int()
      .min(10)
      .max(604_800)
      .optional()
      .describe("It halts when a wave has not ended after this time. Default: it waits until all commands of the wave have ended"),
    pause_between_s: z.int().min(0).max(604_800).default(0).describe("How long to wait after a wave has ended before the next one begins"),
  })
  .refine(({ size, percent }) => (size === undefined) !== (percent === undefined), {
    message: "give either size or percent",
    path: ["size"],
  })
  .meta({ id: "CommandWaves" });
export type CommandWaves = z.infer<typeof CommandWaves>;

/** Running: it goes on by itself. Halted: until it is resumed. Finished and cancelled: it has ended. */
export const CommandBatchState = z.enum(["running", "halted", "finished", "cancelled"]).meta({ id: "CommandBatchState" });
export type CommandBatchState = z.infer<typeof CommandBatchState>;

/** The players of a batch, counted by the status of their command. */
export const CommandBatchProgress = z
  .object({
    waiting: Count.describe("In waves that have not begun"),
    queued: Count,
    delivered: Count,
    acknowledged: Count,
    running: Count,
    succeeded: Count,
    failed: Count,
    rejected: Count,
    expired: Count,
    cancelled: Count,
  })
  .meta({ id: "CommandBatchProgress" });
export type CommandBatchProgress = z.infer<typeof CommandBatchProgress>;

/** A command that reaches many players in waves. */
export const CommandBatch = z
  .object({
    id: id("bat"),
    team_id: id("team"),
    type: z.enum(DeviceCommand.options.map(({ shape }) => shape.type.value)),
    args: z.record(z.string(), z.unknown()),
    ttl_s: z.int().describe("Of the commands of each wave, from the beginning of the wave"),
    waves: CommandWaves,
    state: CommandBatchState,
    reason: z.string().nullable().describe("Why it halted or was cancelled"),
    wave: z.int().min(1).describe("The current wave"),
    wave_count: z.int().min(1),
    wave_started_at: Timestamp,
    next_wave_at: Timestamp.nullable().describe(
      "When the pause before the next wave ends; null: the current wave has not ended, or it is the last one",
    ),
    players: Count.describe("The players of all waves"),
    progress: CommandBatchProgress,
    created_at: Timestamp,
    updated_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: "CommandBatch" });
export type CommandBatch = z.infer<typeof CommandBatch>;

/** The query of `GET /command-batches`. */
export const CommandBatchesQuery = PageQuery.extend({ state: CommandBatchState.optional() });
