// How the weight check makes ratios of a benchmark's figures and compares them with the committed ones.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Figure, parts } from "../bench/weight/parts.ts";
import { compare, type Measured, raised, type Ratio, Ratios, tableOf, update } from "../bench/weight/ratios.ts";
import { rootFolder } from "../src/main/folders.ts";

const lower = (value: number, tolerance = 0.25): Ratio => ({ value, tolerance, better: "lower" });
const higher = (value: number, tolerance = 0.25): Ratio => ({ value, tolerance, better: "higher" });

function measured(ratios: Ratios, leftOut: Record<string, string> = {}): Measured {
  return { ratios, leftOut: new Map(Object.entries(leftOut)) };
}

/** What a part makes of its benchmark's lines. */
function measuredBy(name: string, figures: Figure[]): Measured {
  return parts.find((part) => part.name === name)!.measuredBy(figures);
}

test("[BEN1] a ratio is worse when it is beyond its tolerance in its direction, by the committed tolerance and direction", () => {
  const committed = { start: lower(2), reads: higher(0.5) };
  const names = (start: number, reads: number) =>
    compare(committed, measured({ start: higher(start, 1), reads: lower(reads, 1) })).map(({ name, is }) => `${name} ${is}`);
  expect(names(2.5, 0.375)).toEqual([]);
  expect(names(0.1, 9)).toEqual([]);
  expect(names(2.51, 0.375)).toEqual(["start worse"]);
  expect(names(2.5, 0.37)).toEqual(["reads worse"]);
});

test("[BEN2] a ratio without a committed value, and a committed one that was not measured, are listed, unless it is said why it is left out", () => {
  const committed = { "start: a": lower(2), "stage: b": lower(1) };
  expect(compare(committed, measured({ "start: a": lower(2), "ticks: c": lower(7) }))).toEqual([
    { name: "ticks: c", is: "unknown", committed: null, measured: 7 },
    { name: "stage: b", is: "missing", committed: 1, measured: null },
  ]);
  expect(compare(committed, measured({ "start: a": lower(2) }, { "stage:": "no registry" }))).toEqual([]);
  const table = tableOf(compare(committed, measured({ "start: a": lower(3) })));
  expect(table.split("\n").map((line) => line.split(/  +/))).toEqual([
    ["ratio", "is", "committed", "measured"],
    ["start: a", "worse", "2.000", "3.000"],
    ["stage: b", "missing", "1.000", "-"],
    [""],
  ]);
});

test("[BEN3] --write takes the measured values, keeps tolerances and what was left out, drops the rest, and names what got worse at all", () => {
  const committed = { a: lower(2, 0.1), "b: 1": higher(0.4, 0.3), c: lower(1), d: higher(5) };
  const next = update(committed, measured({ a: lower(2.01), d: higher(6), e: lower(3) }, { "b:": "no registry" }));
  expect(next).toEqual({ a: lower(2.01, 0.1), "b: 1": higher(0.4, 0.3), d: higher(6), e: lower(3) });
  expect(raised(committed, next)).toEqual(["a"]);
});

test("[BEN4] the committed file of ratios is valid, and has no ratio of a part that does not exist", async () => {
  const committed = Ratios.parse(JSON.parse(await readFile(join(rootFolder, "bench/ratios.json"), "utf8")));
  const names = parts.map(({ name }) => name);
  expect(Object.keys(committed).filter((name) => !names.includes(name.split(":")[0]!))).toEqual([]);
  for (const wrong of [{ a: { ...lower(1), value: 0 } }, { a: { value: 1, tolerance: 0.1 } }, { a: { ...lower(1), extra: 1 } }]) {
    expect(Ratios.safeParse(wrong).success).toBe(false);
  }
});

test("[BEN5] a part that lacks a figure or whose baseline measured nothing fails; an absent peer is left out with the reason", () => {
  const pair = (player: number, bare: number): Figure => ({ figure: "pair, ms", player, bare });
  const [start] = Object.values(measuredBy("start", [pair(900, 300), pair(800, 200), pair(500, 250)]).ratios);
  expect(start).toEqual({ value: 3, tolerance: expect.any(Number), better: "lower" });
  const stage = measuredBy("stage", [
    { figure: "ours against naive", cpu: 1.2, pss: 1.5, start: 2 },
    { figure: "xiboplayer: not available", reason: "no registry" },
  ]);
  expect(Object.values(stage.ratios).map(({ value }) => value)).toEqual([1.2, 1.5, 2]);
  expect([...stage.leftOut]).toEqual([["stage: beside xiboplayer", "no registry"]]);
  const still = (bare: number): Figure[] => [
    { figure: "still picture, ours: CPU of all its processes, % of a core", p50: 3 },
    { figure: "start of bare Chromium: CPU of all its processes until it is settled, ms", p50: bare },
  ];
  expect(Object.values(measuredBy("still", still(1_200)).ratios)[0]!.value).toBe(1.5);
  const service = ["start to listening", "resident at listening"].flatMap((what) => [
    { figure: `${what}, bare Fastify`, p50: 100 },
    { figure: `${what}, empty`, p50: 200 },
    { figure: `${what}, full`, p50: 300 },
  ]);
  const served = measuredBy("service", [...service, { figure: "GET an asset", ratio_by_cpu: 0.5 }]).ratios;
  expect(Object.values(served).map(({ value, better }) => `${value} ${better}`)).toEqual([
    "2 lower",
    "3 lower",
    "2 lower",
    "3 lower",
    "0.5 higher",
  ]);
  const ticks = [9, 1, 2].map((tick_ms, place) => ({ figure: `longest tick of ${place}`, tick_ms }));
  const lasted = measuredBy("ticks", [...ticks, { figure: "JSON.parse of a million bytes, ms", min: 2 }]).ratios;
  expect(Object.values(lasted).map(({ value }) => value)).toEqual([4.5, 1]);
  // Neither a baseline of nothing nor a figure that is not there gives a ratio.
  expect(() => measuredBy("still", still(0))).toThrow("the baseline measured 0");
  expect(() => measuredBy("still", [])).toThrow("printed no figure");
  expect(() => measuredBy("start", [])).toThrow("printed no figures");
});
