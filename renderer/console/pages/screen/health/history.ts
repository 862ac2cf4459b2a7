// The measurements of a screen over time.
import { queryOptions } from "@tanstack/react-query";
import { dayMs, hourMs, iso, minuteMs } from "../../../../../src/base/time.ts";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";

export type Row = Schemas["HeartbeatMinute"];

export const ranges = {
  hour: { ms: hourMs, stepMs: minuteMs },
  day: { ms: dayMs, stepMs: minuteMs },
  week: { ms: 7 * dayMs, stepMs: hourMs },
  year: { ms: 365 * dayMs, stepMs: hourMs },
} as const;
export type Range = keyof typeof ranges;

/** The rows of the time before now, oldest first. */
export const historyQuery = (id: string, range: Range) =>
  queryOptions({
    queryKey: ["players", id, "heartbeats", range],
    queryFn: async ({ signal }): Promise<Row[]> => {
      const { ms, stepMs } = ranges[range];
      const query = {
        resolution: stepMs === minuteMs ? "minute" : "hour",
        limit: 1_440,
        from: iso(Date.now() - ms),
      } as const;
      const rows: Row[] = [];
      for await (const row of client.pages("/api/v1/players/{id}/heartbeats", { params: { path: { id }, query }, signal })) rows.push(row);
      return rows.toReversed();
    },
  });

export type Value = (row: Row) => number | null;

/** Times in seconds, and a line for each value. Where nothing was heard, the lines have a gap. */
export function linesOf(rows: readonly Row[], values: readonly Value[], stepMs: number): (number | null)[][] {
  const times: number[] = [];
  const lines: (number | null)[][] = values.map(() => []);
  for (const row of rows) {
    const at = Date.parse(row.minute) / 1_000;
    const before = times.at(-1);
    if (before !== undefined && at - before > (2.5 * stepMs) / 1_000) {
      times.push(before + stepMs / 1_000);
      for (const line of lines) line.push(null);
    }
    times.push(at);
    for (const [index, value] of values.entries()) lines[index]!.push(value(row));
  }
  return [times, ...lines];
}

/** Few enough rows to read, evenly chosen. */
export function sampleOf(rows: readonly Row[], most: number): Row[] {
  const every = Math.ceil(rows.length / most);
  return rows.toReversed().filter((_, index) => index % every === 0);
}

/** How often the device was restarted. */
export function restartsOf(rows: readonly Row[]): number {
  return rows.filter(({ boot_id: boot }, index) => index > 0 && boot !== rows[index - 1]!.boot_id).length;
}
