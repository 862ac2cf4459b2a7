// Compares measured ratios with the committed ones of bench/ratios.json. Pure.
import { z } from "zod";

/** Which change of a ratio is for the worse: a `lower` one or a `higher` one is better. */
const Better = z.enum(["lower", "higher"]);

export const Ratio = z.strictObject({
  /** Ours divided by the baseline of the same run. */
  value: z.number().positive(),
  /** How much worse a measurement may be than the value, as a part of it: the spread of measurements on a quiet machine. */
  tolerance: z.number().positive().max(1),
  better: Better,
});
export type Ratio = z.infer<typeof Ratio>;

/** The committed ratios by name. */
export const Ratios = z.record(z.string().min(1), Ratio);
export type Ratios = z.infer<typeof Ratios>;

/** What one run measured. */
export interface Measured {
  ratios: Ratios;
  /** Ratios that could not be measured, by the beginning of their names, with the reason. */
  leftOut: ReadonlyMap<string, string>;
}

export interface Difference {
  name: string;
  /** `unknown`: nothing is committed for it. `missing`: it is committed, but was not measured, for no known reason. */
  is: "worse" | "unknown" | "missing";
  committed: number | null;
  measured: number | null;
}

/** What is worse than committed, beyond its tolerance, or cannot be compared. The committed tolerance and direction apply. */
export function compare(committed: Ratios, { ratios, leftOut }: Measured): Difference[] {
  const differences: Difference[] = [];
  for (const [name, { value }] of Object.entries(ratios)) {
    const before = committed[name];
    if (before === undefined) differences.push({ name, is: "unknown", committed: null, measured: value });
    else if (isWorse(before, value)) differences.push({ name, is: "worse", committed: before.value, measured: value });
  }
  for (const [name, { value }] of Object.entries(committed)) {
    if (ratios[name] === undefined && !isLeftOut(leftOut, name))
      differences.push({ name, is: "missing", committed: value, measured: null });
  }
  return differences;
}

/** The next content of the file: the measured values, and the committed tolerances and directions where there are any. */
export function update(committed: Ratios, { ratios, leftOut }: Measured): Ratios {
  const kept = Object.entries(committed).filter(([name]) => isLeftOut(leftOut, name));
  const fresh = Object.entries(ratios).map(([name, ratio]) => [name, { ...ratio, ...committed[name], value: ratio.value }] as const);
  return Object.fromEntries([...kept, ...fresh].toSorted(([one], [other]) => one.localeCompare(other)));
}

/** The names whose value in `next` is for the worse, even within the tolerance: each needs a reason. */
export function raised(committed: Ratios, next: Ratios): string[] {
  return Object.entries(next).flatMap(([name, { value }]) => {
    const before = committed[name];
    return before !== undefined && isWorse({ ...before, tolerance: 0 }, value) ? [name] : [];
  });
}

/** Lines for people. */
export function tableOf(differences: readonly Difference[]): string {
  const text = (value: number | null): string => (value === null ? "-" : value.toFixed(3));
  const rows = differences.map(({ name, is, committed, measured }) => [name, is, text(committed), text(measured)]);
  const all = [["ratio", "is", "committed", "measured"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function isWorse({ value, tolerance, better }: Ratio, measured: number): boolean {
  return better === "lower" ? measured > value * (1 + tolerance) : measured < value * (1 - tolerance);
}

function isLeftOut(leftOut: ReadonlyMap<string, string>, name: string): boolean {
  return [...leftOut.keys()].some((beginning) => name.startsWith(beginning));
}
