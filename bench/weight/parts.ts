// The parts of the weight check: which benchmarks run with which amounts, and which ratios their figures give. Pure.
import type { Measured, Ratio, Ratios } from "./ratios.ts";

/** A line of a benchmark. */
export type Figure = { figure: string } & Record<string, unknown>;

export interface Part {
  /** The benchmark `bench/<name>.ts`. Names of its ratios begin with it. */
  name: string;
  /** Its arguments on a quiet machine, and for a trial of the check itself. */
  args: readonly string[];
  quickArgs: readonly string[];
  measuredBy(figures: readonly Figure[]): Measured;
}

const start: Part = {
  name: "start",
  args: ["6"],
  quickArgs: ["1"],
  measuredBy: (figures) => {
    const pairs = figures.filter(({ figure }) => figure === "pair, ms");
    return all({ "start: first content beside bare Chromium": lower(median(pairs.map((pair) => quotient(pair, "player", "bare"))), 0.15) });
  },
};

const peers = { naive: "a bare page", xiboplayer: "xiboplayer" };

const stage: Part = {
  name: "stage",
  args: ["45", "2"],
  quickArgs: ["12", "1"],
  measuredBy: (figures) => {
    const ratios: Ratios = {};
    const leftOut = new Map<string, string>();
    for (const [peer, text] of Object.entries(peers)) {
      const absent = figures.find(({ figure }) => figure === `${peer}: not available`);
      if (absent !== undefined) leftOut.set(`stage: beside ${text}`, String(absent["reason"]));
      else {
        const against = named(figures, `ours against ${peer}`);
        ratios[`stage: beside ${text}, CPU`] = lower(numberOf(against, "cpu"), 0.2);
        ratios[`stage: beside ${text}, memory`] = lower(numberOf(against, "pss"), 0.15);
        ratios[`stage: beside ${text}, start`] = lower(numberOf(against, "start"), 0.25);
      }
    }
    return { ratios, leftOut };
  },
};

const still: Part = {
  name: "still",
  args: ["40", "2"],
  quickArgs: ["10", "1"],
  measuredBy: (figures) => {
    // Bare Chromium takes nothing for a still picture, so the measure is the CPU time of its start.
    const minuteMs = 600 * numberOf(named(figures, "still picture, ours: CPU of all its processes, % of a core"), "p50");
    const startMs = numberOf(named(figures, "start of bare Chromium: CPU of all its processes until it is settled, ms"), "p50");
    return all({ "still: CPU of a minute beside that of bare Chromium's start": lower(over(minuteMs, startMs), 0.3) });
  },
};

const service: Part = {
  name: "service",
  args: ["3", "100000"],
  quickArgs: ["1", "1000"],
  measuredBy: (figures) => {
    const p50 = (beginning: string): number => numberOf(beginningWith(figures, beginning), "p50");
    const ratios: Ratios = {};
    for (const [what, tolerance] of [
      ["start to listening", 0.25],
      ["resident at listening", 0.15],
    ] as const) {
      const bare = p50(`${what}, bare Fastify`);
      ratios[`service: ${what}, empty`] = lower(over(p50(`${what}, empty`), bare), tolerance);
      ratios[`service: ${what}, full`] = lower(over(p50(`${what}, full`), bare), tolerance);
    }
    for (const figure of figures) {
      // The rates of a busy machine vary; the CPU time of a response varies less.
      if (figure.figure.startsWith("GET ")) ratios[`service: ${figure.figure}`] = higher(numberOf(figure, "ratio_by_cpu"), 0.15);
    }
    return all(ratios);
  },
};

const ticks: Part = {
  name: "ticks",
  args: [],
  quickArgs: ["Playlist"],
  measuredBy: (figures) => {
    const lasted = figures.filter(({ figure }) => figure.startsWith("longest tick of ")).map((figure) => numberOf(figure, "tick_ms"));
    const parse = numberOf(named(figures, "JSON.parse of a million bytes, ms"), "min");
    return all({
      "ticks: longest beside JSON.parse of a million bytes": lower(over(Math.max(...lasted), parse), 0.5),
      "ticks: median operation beside JSON.parse of a million bytes": lower(over(median(lasted), parse), 0.5),
    });
  },
};

export const parts: readonly Part[] = [start, stage, still, service, ticks];

function lower(value: number, tolerance: number): Ratio {
  return { value: rounded(value), tolerance, better: "lower" };
}

function higher(value: number, tolerance: number): Ratio {
  return { value: rounded(value), tolerance, better: "higher" };
}

function rounded(value: number): number {
  return Math.round(1_000 * value) / 1_000;
}

function all(ratios: Ratios): Measured {
  return { ratios, leftOut: new Map() };
}

function named(figures: readonly Figure[], name: string): Figure {
  return found(
    figures.find(({ figure }) => figure === name),
    name,
  );
}

function beginningWith(figures: readonly Figure[], beginning: string): Figure {
  return found(
    figures.find(({ figure }) => figure.startsWith(beginning)),
    beginning,
  );
}

function found(figure: Figure | undefined, name: string): Figure {
  if (figure === undefined) throw new Error(`the benchmark printed no figure "${name}"`);
  return figure;
}

function numberOf(figure: Figure, field: string): number {
  const value = figure[field];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`the figure "${figure.figure}" has no number ${field}`);
  return value;
}

function quotient(figure: Figure, ours: string, baseline: string): number {
  return over(numberOf(figure, ours), numberOf(figure, baseline));
}

/** @throws if the baseline measured nothing: no ratio can be made of it. */
function over(ours: number, baseline: number): number {
  if (!(baseline > 0)) throw new Error("the baseline measured 0: measure longer");
  return ours / baseline;
}

function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("the benchmark printed no figures");
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
