// Structured logs: one JSON object a line, or a pretty line for a person at a terminal. Secrets never pass.
import { pino, stdTimeFunctions, type Logger } from "pino";
import pretty from "pino-pretty";

export type Log = Logger;

// Whatever carries one of these names is struck out wherever it turns up, two levels deep.
const secretNames = ["token", "access_token", "authorization", "secret", "private_key", "device_code", "cookie"];

/**
 * The log of one program. Writes to standard output: pino JSON when that is not a terminal, pretty when it is.
 * Synchronous on purpose: the last line before a crash is the one that matters.
 */
export function createLog(program: string, level = "info"): Log {
  const options = {
    level,
    base: { program },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
  };
  return process.stdout.isTTY
    ? pino(options, pretty({ sync: true, ignore: "program", translateTime: "SYS:HH:MM:ss" }))
    : pino(options, pino.destination({ fd: 1, sync: true }));
}

/** A log that says nothing, for tests. */
export const silentLog: Log = pino({ level: "silent" });
