// The newest lines of a log in memory.
import { expect, test } from "vitest";
import { RecentLines } from "../../src/base/recent-lines.ts";

const line = (level: string, number: number): string =>
  JSON.stringify({ level, time: new Date(number * 1_000).toISOString(), msg: `line ${number}` });

test("[MNT10] the newest lines of the log are kept in memory within their bound, and collected by level and size, oldest first", () => {
  const recent = new RecentLines(10_000);
  for (let number = 0; number < 5_000; number += 1) recent.add(`${line(number % 2 === 0 ? "info" : "debug", number)}\n`);
  const all = recent.newest("debug", 1e9);
  const bytes = all.lines.reduce((sum, each) => sum + each.length + 1, 0);
  expect(bytes).toBeLessThanOrEqual(10_000);
  expect(bytes).toBeGreaterThan(9_800);
  expect(all.lines.at(-1)).toBe(line("debug", 4_999));
  expect(all.to).toBe(new Date(4_999_000).toISOString());
  const informative = recent.newest("info", 1e9);
  expect(informative.lines.length).toBe(Math.floor(all.lines.length / 2));
  expect(informative.lines.at(-1)).toBe(line("info", 4_998));
  const few = recent.newest("info", 3 * (line("info", 4_998).length + 1));
  expect(few.lines).toEqual([4_994, 4_996, 4_998].map((number) => line("info", number)));
  expect(few.from).toBe(new Date(4_994_000).toISOString());
  expect(recent.newest("error", 1e9)).toEqual({ lines: [], from: null, to: null });
});

test("[MNT11] a line of the log that is larger than the bound is not kept", () => {
  const recent = new RecentLines(1_000);
  recent.add(line("info", 1));
  recent.add(JSON.stringify({ level: "info", time: "", msg: "x".repeat(2_000) }));
  expect(recent.newest("info", 1e9).lines).toEqual([]);
  recent.add(line("info", 2));
  expect(recent.newest("info", 1e9).lines).toEqual([line("info", 2)]);
});
