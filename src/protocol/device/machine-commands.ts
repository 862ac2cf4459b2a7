// Commands for the machine and the program of a player: power, content, logs, diagnosis, pairing, scripts, and wired displays.
import { z } from "zod";
import { dayMs, hourMs, minuteMs } from "../../base/time.ts";
import { id } from "../common.ts";
import type { CommandDefinitions } from "./command-definition.ts";

const noArgs = z.strictObject({}).default({});

/** A name that the device's root user has declared in a file on the device. */
export const DeclaredName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "must be a name that is declared on the device, as its capabilities list them")
  .meta({ examples: ["lobby-panel"] });

const LogLevel = z.enum(["debug", "info", "warn", "error"]).meta({ id: "LogLevel" });
export type LogLevel = z.infer<typeof LogLevel>;

const LogsCollectArgs = z.strictObject({
  level: LogLevel.default("info").describe("Only lines of this level and above"),
  max_bytes: z.int().min(1_024).max(4_194_304).default(1_048_576).describe("The newest lines, up to this size before compression"),
});
const LogsLevelArgs = z.strictObject({
  level: LogLevel,
  duration_ms: z.int().min(1_000).max(dayMs).default(hourMs).describe("1 s to 24 h. Then the level before returns"),
});
const TestCardArgs = z.strictObject({ duration_ms: z.int().min(1_000).max(hourMs).default(minuteMs) });
const RunArgs = z.strictObject({
  script: DeclaredName.describe("The name of a file in the device's folder of scripts, which belongs to root"),
  argv: z
    .array(
      z
        .string()
        .max(1_000)
        .refine((text) => !text.includes("\0"), "must not contain NUL"),
    )
    .max(20)
    .default([])
    .describe("Arguments, passed as they are: no shell reads them"),
  timeout_ms: z
    .int()
    .min(1_000)
    .max(10 * minuteMs)
    .default(minuteMs),
});

/** Bytes to send, as text or in hexadecimal, and whether to wait for a reply. */
const payload = {
  text: z.string().max(4_096).optional().describe("Sent as UTF-8, with nothing added. Escape sequences are those of JSON: `\\r`"),
  hex: z
    .string()
    .max(8_192)
    .regex(/^(?:[0-9a-fA-F]{2}[ :]?)*$/, "must be pairs of hexadecimal digits")
    .meta({ examples: ["6b 61 20 30 31"] })
    .optional(),
  reply_ms: z.int().min(0).max(10_000).default(500).describe("How long to read a reply; 0: none"),
};
const isOneOf = ({ text, hex }: { text?: string | undefined; hex?: string | undefined }): boolean =>
  (text === undefined) !== (hex === undefined);
const oneOf = { message: "give either text or hex", path: ["text"] };
const SerialArgs = z.strictObject({ port: DeclaredName, ...payload }).refine(isOneOf, oneOf);
const NetworkArgs = z.strictObject({ host: DeclaredName, ...payload }).refine(isOneOf, oneOf);

export const machineCommands = {
  reboot: { args: noArgs, takesTurns: true, mayRecur: true },
  shutdown: { args: noArgs, takesTurns: true },
  "content.refresh": { args: noArgs, mayRecur: true },
  "content.clear_cache": { args: noArgs, takesTurns: true },
  "logs.collect": { args: LogsCollectArgs.prefault({}) },
  "logs.level": { args: LogsLevelArgs },
  diagnose: { args: noArgs },
  ping: { args: noArgs },
  test_card: { args: TestCardArgs.prefault({}) },
  unpair: { args: noArgs, takesTurns: true },
  factory_reset: { args: noArgs, takesTurns: true },
  run: { args: RunArgs, mayRecur: true },
  "serial.write": { args: SerialArgs, mayRecur: true },
  "network.send": { args: NetworkArgs, mayRecur: true },
} as const satisfies CommandDefinitions;

/** Pictures of the screen while somebody watches: see `GET /players/{id}/live`. */
export const LiveArgs = z.strictObject({
  stream_id: id("liv"),
  max_fps: z.number().min(0.2).max(5).default(2),
  max_width: z.int().min(16).max(1_920).default(960),
  quality: z.int().min(1).max(100).default(60),
  duration_ms: z
    .int()
    .min(1_000)
    .max(hourMs)
    .default(10 * minuteMs)
    .describe("It ends then, or earlier when nobody watches"),
});
export type LiveArgs = z.infer<typeof LiveArgs>;

/** Commands that only the service creates: for a live view, and to cancel a command that the player has already received. */
export const internalCommands = {
  live: { args: LiveArgs },
  cancel: { args: z.strictObject({ command_id: id("cmd") }) },
} as const satisfies CommandDefinitions;
