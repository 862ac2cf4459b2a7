// Structured logs: one JSON object a line, or for a person at a terminal a readable line, and none while all is well. Secrets never pass.
import { pino, stdTimeFunctions, type LogFn, type Logger } from "pino";

export type Log = Logger;

// Whatever carries one of these names is struck out wherever it turns up, two levels deep.
const secretNames = ["token", "access_token", "authorization", "secret", "private_key", "device_code", "cookie"];

/**
 * The log of one program. Writes to standard output unless told otherwise: pino JSON when that is not a terminal, pretty when it is.
 * Synchronous on purpose: the last line before a crash is the one that matters.
 */
export async function createLog(program: string, level = "info", output: "stdout" | "stderr" = "stdout"): Promise<Log> {
  const options = {
    level,
    base: { program },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
  };
  const { fd, isTTY } = process[output];
  if (!isTTY) return pino(options, pino.destination({ fd, sync: true }));
  // Loaded at a terminal only: a kiosk starts 20 ms sooner without it.
  const { default: pretty } = await import("pino-pretty");
  const destination = pretty({
    destination: fd,
    sync: true,
    singleLine: true,
    ignore: ["program", "name", ...idFields, ...machineFields].join(","),
    translateTime: "SYS:HH:MM:ss",
    messageFormat: describeLine,
  });
  return pino({ ...options, hooks: { logMethod: skipRoutine } }, destination);
}

// What happens all day while all is well: programs follow these lines, a person at a terminal has no use for them.
const routine: ReadonlySet<unknown> = new Set([
  "request",
  "state received",
  "state applied",
  "another layout is due",
  "presented",
  "command queued",
  "commands queued",
  "command received",
  "command ended",
]);
const idFields = ["player_id", "asset_id", "request_id", "command_id", "item_id", "zone_id", "layout_id", "schedule_id", "team_id"];
const machineFields = ["executable", "tookMs", "headless", "connected", "resumed"];

function skipRoutine(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  if (!routine.has(args.at(-1))) method.apply(this, args);
}

/** A line for a person: the message and what it is about, by name where the line has one, else by id. */
function describeLine(line: Readonly<Record<string, unknown>>, messageKey: string): string {
  const message = typeof line[messageKey] === "string" ? line[messageKey] : "";
  const subject = line["name"] ?? idFields.map((field) => line[field]).find((id) => typeof id === "string");
  return typeof subject === "string" ? `${message}: ${subject}` : message;
}

/** A log that says nothing, for tests. */
export const silentLog: Log = pino({ level: "silent" });
