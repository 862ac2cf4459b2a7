// The commands that operators send, and those that a player receives.
import { z } from "zod";
import { displayCommands } from "./display-commands.ts";
import { internalCommands, machineCommands } from "./machine-commands.ts";
import { playCommands, timeToLiveS } from "./play-commands.ts";

/** Captures the display and uploads the picture. */
const ScreenshotArgs = z.strictObject({
  format: z.enum(["jpeg", "png", "webp"]).default("jpeg"),
  quality: z.int().min(1).max(100).default(85).describe("Of JPEG and WebP"),
  max_width: z.int().min(16).max(8_192).optional().describe("Scales the picture down to this width, never up"),
});
/** Shows the player's name and id over the content for a while. */
const IdentifyArgs = z.strictObject({
  duration_ms: z.int().min(1_000).max(600_000).default(10_000),
});
const NoArgs = z.strictObject({});

const noArgs = NoArgs.default({});

/**
 * A command that an operator sends. `reload` reloads the page; `restart` restarts the whole player with its browser; `update` installs the
 * version of its program that the player should run as soon as it is downloaded, without waiting for the maintenance window.
 */
export const CommandRequest = z
  .discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("screenshot"),
      args: ScreenshotArgs.prefault({}),
      ttl_s: timeToLiveS,
    }),
    z.strictObject({
      type: z.literal("identify"),
      args: IdentifyArgs.prefault({}),
      ttl_s: timeToLiveS,
    }),
    z.strictObject({
      type: z.literal("reload"),
      args: noArgs,
      ttl_s: timeToLiveS,
    }),
    z.strictObject({
      type: z.literal("restart"),
      args: noArgs,
      ttl_s: timeToLiveS,
    }),
    z.strictObject({
      type: z.literal("update"),
      args: noArgs,
      ttl_s: timeToLiveS,
    }),
    ...playCommands,
    ...displayCommands,
    ...machineCommands,
  ])
  .meta({ id: "CommandRequest" });
export type CommandRequest = z.infer<typeof CommandRequest>;

/** A command as a player receives it: those of operators, and those that only the service creates. */
export const DeviceCommand = z.discriminatedUnion("type", [...CommandRequest.options, ...internalCommands]);
export type DeviceCommand = z.infer<typeof DeviceCommand>;
export type CommandType = DeviceCommand["type"];
