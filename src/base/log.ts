// Structured logs: one JSON object a line, or a pretty line for a person at a terminal. Secrets never pass.
import { pino, stdTimeFunctions, type Logger } from "pino";

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
  return pino(options, pretty({ destination: fd, sync: true, singleLine: true, ignore: "program", translateTime: "SYS:HH:MM:ss" }));
}

/** A log that says nothing, for tests. */
export const silentLog: Log = pino({ level: "silent" });
