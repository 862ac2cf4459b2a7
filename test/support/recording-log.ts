// A log whose lines a test reads.
import { pino } from "pino";
import type { Log } from "../../src/base/log.ts";

export type LogLine = Record<string, unknown> & { msg: string };

export function createLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { lines, log: pino({ level: "debug" }, { write: (text: string) => void lines.push(JSON.parse(text) as LogLine) }) };
}
