// The slope of measured values by linear regression, with the error of the estimate.

/** The least-squares slope of `ys` over `xs`, and its standard error. */
export function slopeOf(xs: readonly number[], ys: readonly number[]): { slope: number; error: number } {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(xs), mean(ys)];
  const spread = xs.reduce((sum, x) => sum + (x - x0) ** 2, 0);
  const slope = xs.reduce((sum, x, index) => sum + (x - x0) * (ys[index]! - y0), 0) / spread;
  const rest = xs.reduce((sum, x, index) => sum + (ys[index]! - y0 - slope * (x - x0)) ** 2, 0);
  const error = xs.length > 2 ? Math.sqrt(rest / (xs.length - 2) / spread) : 0;
  const round = (value: number): number => Math.round(100 * value) / 100;
  return { slope: round(slope), error: round(error) };
}
