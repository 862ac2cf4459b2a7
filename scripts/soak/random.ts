// Random choices that a seed repeats.
import { seededRandom } from "../../test/support/random.ts";

export class Random {
  readonly seed: number;
  /** Returns a number of at least 0 and less than 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.seed = seed;
    this.next = seededRandom(seed);
  }

  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)]!;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    return list.map(() => left.splice(this.integer(0, left.length - 1), 1)[0]!);
  }
}
