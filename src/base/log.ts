// Structured logs: JSON lines, or short readable lines at a terminal. Secrets are redacted.
import { isSystemError } from "./files/system-error.ts";
import { pino, stdTimeFunctions, type DestinationStream, type LogFn, type Logger, type LoggerOptions } from "pino";
import { RecentLines } from "./recent-lines.ts";

export type Log = Logger;

const maxBufferedBytes = 2 ** 20;

const maxRecentBytes = 4 * 2 ** 20;
const recentLines = new WeakMap<Log, RecentLines>();

/** The newest lines of a log, without the secrets; null for a log that {@link createLog} did not create. */
export function recentLinesOf(log: Log): RecentLines | null {
  return recentLines.get(log) ?? null;
}

// Fields with these names are redacted at the first and second level.
const secretNames = ["token", "access_token", "authorization", "secret", "private_key", "device_code", "cookie"];

/**
 * Creates a program's log: readable lines at a terminal, else JSON lines.
 * Writes synchronously, so that the last line before a crash is not lost.
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
  if (!isTTY) {
    const destination = pino.destination({ fd, sync: true, maxLength: maxBufferedBytes });
    // A log file on a full disk must not end the program. Lines wait for room, and are dropped if there are too many.
    destination.on("error", (error: unknown) => {
      if (isSystemError(error) && error.code === "EPIPE") throw error;
    });
    return remembering(options, destination);
  }
  // Loaded only at a terminal: a kiosk starts 20 ms faster without it.
  const { default: pretty } = await import("pino-pretty");
  const destination = pretty({
    destination: fd,
    sync: true,
    singleLine: true,
    ignore: ["program", "name", ...idFields, ...machineFields].join(","),
    translateTime: "SYS:HH:MM:ss",
    messageFormat: describeLine,
  });
  return remembering({ ...options, hooks: { logMethod: skipRoutine } }, destination);
}

/** A log that also keeps its newest lines in memory. */
function remembering(options: LoggerOptions, destination: DestinationStream & { flushSync?: () => void }): Log {
  const lines = new RecentLines(maxRecentBytes);
  const log = pino(options, {
    write: (line: string) => {
      lines.add(line);
      destination.write(line);
    },
    // pino calls it after a fatal line.
    flushSync: () => destination.flushSync?.(),
  } as DestinationStream);
  recentLines.set(log, lines);
  return log;
}

// Messages of normal operation. Programs read them from the JSON log; at a terminal they are left out.
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

/** The message and the name of its subject, or the subject's id if the line has no name. */
function describeLine(line: Readonly<Record<string, unknown>>, messageKey: string): string {
  const message = typeof line[messageKey] === "string" ? line[messageKey] : "";
  const subject = line["name"] ?? idFields.map((field) => line[field]).find((id) => typeof id === "string");
  return typeof subject === "string" ? `${message}: ${subject}` : message;
}

/** A log that writes nothing, for tests. */
export const silentLog: Log = pino({ level: "silent" });
