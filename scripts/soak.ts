// `npm run soak`: ten thousand changes of every kind on one page, and how what could grow went: JSON lines, slopes at the end.
import { FastChanges, makeChangesMedia } from "../test/support/fast-changes.ts";
import { type Growth, GrowthWatch } from "../test/support/growth.ts";
import { startBench } from "../test/renderer/harness.ts";

const wanted = Number(process.argv[2] ?? 10_000);
// Caches fill and code is compiled in the first rounds: that is no growth.
const warmUpRounds = 2;

const points: { changes: number; values: Record<string, number> }[] = [];

await using bench = await startBench();
await makeChangesMedia(bench.media);
await using opened = await bench.open();
const changes = new FastChanges(opened);
const watch = await GrowthWatch.start(bench.browser, opened.page);
for (let round = 0; changes.changes < wanted || points.length < 2; round += 1) {
  for (let turn = 0; turn < FastChanges.round; turn += 1) await changes.turn();
  const values = flat(await watch.look());
  say({ soak: "look", changes: changes.changes, ...values });
  // Always at the same place of the round: what is on the glass then is the same.
  if (round >= warmUpRounds - 1) points.push({ changes: changes.changes, values });
}
for (const name of Object.keys(points[0]!.values)) {
  const values = points.map((point) => point.values[name] ?? 0);
  const line = slope(
    points.map((point) => point.changes / 1_000),
    values,
  );
  say({ soak: "slope", what: name, first: values[0]!, last: values.at(-1)!, ...line });
}

function flat({ counts, heapBytes, privateBytes }: Growth): Record<string, number> {
  const kilobytes = Object.entries(privateBytes).map(([role, bytes]) => [`${role}_kb`, Math.round(bytes / 1_024)] as const);
  return { ...counts, heap_kb: Math.round(heapBytes / 1_024), ...Object.fromEntries(kilobytes) };
}

/** The straight line of least squares: what is added per thousand changes, and that figure's standard error. */
function slope(xs: readonly number[], ys: readonly number[]): { per_1000: number; error: number } {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x0, y0] = [mean(xs), mean(ys)];
  const spread = xs.reduce((sum, x) => sum + (x - x0) ** 2, 0);
  const rise = xs.reduce((sum, x, index) => sum + (x - x0) * (ys[index]! - y0), 0) / spread;
  const rest = xs.reduce((sum, x, index) => sum + (ys[index]! - y0 - rise * (x - x0)) ** 2, 0);
  const error = xs.length > 2 ? Math.sqrt(rest / (xs.length - 2) / spread) : 0;
  const round = (value: number): number => Math.round(100 * value) / 100;
  return { per_1000: round(rise), error: round(error) };
}

function say(line: Record<string, number | string>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
