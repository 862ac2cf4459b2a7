// Values measured by the hour, and whether they grow more than they may.
import { slopeOf } from "./slope.ts";
import type { SoakRun } from "./soak-run.ts";

type Values = Record<string, number>;

/** The share of the hours at the start in which caches fill and code is compiled. */
const warmUpShare = 0.25;

export class Growth {
  readonly #bounds: Values;
  readonly #shortestHours: number;
  readonly #points: { hour: number; values: Values }[] = [];

  /** @param bounds the most that each value may grow in an hour. @param shortestHours a shorter run says nothing about growth. */
  constructor(bounds: Values, shortestHours: number) {
    this.#bounds = bounds;
    this.#shortestHours = shortestHours;
  }

  add(hour: number, values: Values): void {
    this.#points.push({ hour, values });
  }

  /** Prints the slopes. A slope that is above its bound by more than twice its standard error is a violation. */
  judge(run: SoakRun): void {
    const points = this.#points.slice(Math.floor(warmUpShare * this.#points.length));
    if ((this.#points.at(-1)?.hour ?? 0) < 0.95 * this.#shortestHours)
      return run.print({ slopes: `not judged: a run of less than ${this.#shortestHours} hours says nothing about growth` });
    const hours = points.map(({ hour }) => hour);
    for (const [what, bound] of Object.entries(this.#bounds)) {
      const values = points.map(({ values: each }) => each[what] ?? 0);
      const { slope, error } = slopeOf(hours, values);
      run.print({ what, first: values[0]!, last: values.at(-1)!, per_hour: slope, error, bound });
      if (slope - 2 * error > bound) run.violate(`${what} grows by ${slope} ± ${error} an hour, more than ${bound}`);
    }
  }
}
