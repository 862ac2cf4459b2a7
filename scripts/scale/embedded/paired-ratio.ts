// The ratio of paired measurements with its confidence interval. Pure.

export interface PairedRatio {
  /** The geometric mean of after / before. */
  ratio: number;
  /** The 95 % interval of that mean, by Student's t on the logarithms. */
  low: number;
  high: number;
}

// Two-sided 95 %, by degrees of freedom from 1.
const students = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1, 2.09, 2.09];
const studentOfMany = 2.08;

/** @throws RangeError for less than two pairs, or values that are not above 0. */
export function pairedRatio(before: readonly number[], after: readonly number[]): PairedRatio {
  if (before.length !== after.length || before.length < 2) throw new RangeError("a ratio needs two pairs or more");
  if ([...before, ...after].some((each) => !(each > 0))) throw new RangeError("a ratio needs values above 0");
  const logs = after.map((each, place) => Math.log(each / before[place]!));
  const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
  const variance = logs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (logs.length - 1);
  const margin = (students[logs.length - 2] ?? studentOfMany) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(mean), low: Math.exp(mean - margin), high: Math.exp(mean + margin) };
}

/** Whether even the better end of the interval is worse by more than `share`. @param isRate more is better. */
export function isSurelyWorse({ low, high }: PairedRatio, isRate: boolean, share: number): boolean {
  return isRate ? high < 1 / (1 + share) : low > 1 + share;
}
