// `npm run soak`: makes ten thousand changes of every kind and prints, as JSON lines, how counts and memory grow.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usageOf } from "../bench/lib.ts";
import { findChromium } from "../src/host/chromium/find-chromium.ts";
import { FastChanges, makeChangesMedia } from "../test/support/browser/fast-changes.ts";
import { PageResourceMonitor } from "../test/support/browser/page-resources.ts";
import { startPageServer } from "../test/support/browser/page-server.ts";
import { startTestBrowser } from "../test/renderer/test-browser.ts";

type Values = Record<string, number>;

const wanted = Number(process.argv[2] ?? 10_000);
const parts = (process.argv[3] ?? "counts,memory").split(",");
// Ignore the first rounds, in which caches fill and code is compiled.
const warmUpRounds = 2;

await using bench = await startTestBrowser();
await makeChangesMedia(bench.mediaFolder);
if (parts.includes("counts")) await soakCounts();
if (parts.includes("memory")) await soakMemory();

/** Counts of page objects from DevTools. DevTools themselves make the renderer grow, so memory is measured without them. */
async function soakCounts(): Promise<void> {
  await using opened = await bench.open();
  const watch = await PageResourceMonitor.start(bench.chromium, opened.page);
  await soak("counts", new FastChanges(opened.server), async () => {
    const { counts, heapBytes } = await watch.measure();
    return { ...counts, heap_kb: Math.round(heapBytes / 1_024) };
  });
}

/** Memory by process, of a browser without DevTools. */
async function soakMemory(): Promise<void> {
  await using server = await startPageServer(bench.mediaFolder, bench.rendererFolder);
  const profile = await mkdtemp(join(tmpdir(), "signage-soak-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required", "--window-size=960,540"];
  const chromium = spawn(await findChromium(), [...flags, `--user-data-dir=${profile}`, server.url], { stdio: "ignore", detached: true });
  const ended = once(chromium, "exit");
  try {
    await server.waitForMessage("hello", undefined, { timeoutMs: 60_000 });
    await soak("memory", new FastChanges(server), async () => {
      const { processes, ownByRole, sharedBytes } = usageOf(chromium.pid!);
      const own = Object.entries(ownByRole).map(([role, bytes]) => [`${role}_own_kb`, Math.round(bytes / 1_024)] as const);
      return { processes, ...Object.fromEntries(own), shared_kb: Math.round(sharedBytes / 1_024) };
    });
  } finally {
    process.kill(-chromium.pid!, "SIGTERM");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function soak(part: string, changes: FastChanges, look: () => Promise<Values>): Promise<void> {
  const points: { changes: number; values: Values }[] = [];
  for (let round = 1; changes.changes < wanted || points.length < 2; round += 1) {
    // Always measure at the same point of a round, so that the screen shows the same content.
    for (let turn = 0; turn < FastChanges.turnsPerRound; turn += 1) await changes.changeAllZones();
    const values = await look();
    print({ soak: part, changes: changes.changes, ...values });
    if (round >= warmUpRounds) points.push({ changes: changes.changes, values });
  }
  const thousands = points.map((point) => point.changes / 1_000);
  for (const what of Object.keys(points[0]!.values)) {
    const values = points.map((point) => point.values[what] ?? 0);
    print({ soak: `${part}: slope`, what, first: values[0]!, last: values.at(-1)!, ...slope(thousands, values) });
  }
}

/** The least-squares slope: the growth per thousand changes, and its standard error. */
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

function print(line: Record<string, number | string>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
