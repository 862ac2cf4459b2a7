// The commands that operators send, and those that a player receives.
import { z } from "zod";
import { requestsOf, type CommandDefinitions, type TypeWith } from "./command-definition.ts";
import { displayCommands } from "./display-commands.ts";
import { internalCommands, machineCommands } from "./machine-commands.ts";
import { playCommands } from "./play-commands.ts";

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
const noArgs = z.strictObject({}).default({});

/** The commands that operators send. */
export const commands = {
  screenshot: { args: ScreenshotArgs.prefault({}) },
  identify: { args: IdentifyArgs.prefault({}) },
  reload: { args: noArgs, mayRecur: true },
  restart: { args: noArgs, takesTurns: true, mayRecur: true },
  update: { args: noArgs, takesTurns: true },
  ...playCommands,
  ...displayCommands,
  ...machineCommands,
} as const satisfies CommandDefinitions;

/**
 * A command that an operator sends. `reload` reloads the page; `restart` restarts the whole player with its browser; `update` installs the
 * version of its program that the player should run as soon as it is downloaded, without waiting for the maintenance window.
 */
export const CommandRequest = z.discriminatedUnion("type", requestsOf(commands)).meta({ id: "CommandRequest" });
export type CommandRequest = z.infer<typeof CommandRequest>;

/** A command as a player receives it: those of operators, and those that only the service creates. */
export const DeviceCommand = z.discriminatedUnion("type", [...CommandRequest.options, ...requestsOf(internalCommands)]);
export type DeviceCommand = z.infer<typeof DeviceCommand>;
export type CommandType = DeviceCommand["type"];

/** The types of the commands that may recur. */
export const recurringTypes = (Object.keys(commands) as (keyof typeof commands)[]).filter(
  (type): type is TypeWith<typeof commands, "mayRecur"> => "mayRecur" in commands[type],
);
