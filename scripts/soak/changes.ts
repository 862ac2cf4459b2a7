// The soak part `changes`: makes thousands of changes of every kind and prints how counts and memory grow.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usageOf } from "../../bench/lib.ts";
import { findChromium } from "../../src/host/chromium/find-chromium.ts";
import { FastChanges, makeChangesMedia } from "../../test/support/browser/fast-changes.ts";
import { PageResourceMonitor } from "../../test/support/browser/page-resources.ts";
import { startPageServer } from "../../test/support/browser/page-server.ts";
import { startTestBrowser, type TestBrowser } from "../../test/renderer/test-browser.ts";
import { slopeOf } from "./slope.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

type Values = Record<string, number>;

// Ignore the first rounds, in which caches fill and code is compiled.
const warmUpRounds = 2;

export const changes: SoakPart = {
  about: "item changes of every kind; prints the slopes of counts and memory",
  unit: "changes",
  usual: 10_000,
  async run(run) {
    await using bench = await startTestBrowser();
    await makeChangesMedia(bench.mediaFolder);
    await soakCounts(run, bench);
    await soakMemory(run, bench);
    return null;
  },
};

/** Counts of page objects from DevTools. DevTools themselves make the renderer grow, so memory is measured without them. */
async function soakCounts(run: SoakRun, bench: TestBrowser): Promise<void> {
  await using opened = await bench.open();
  const watch = await PageResourceMonitor.start(bench.chromium, opened.page);
  await soak(run, "counts", new FastChanges(opened.server), async () => {
    const { counts, heapBytes } = await watch.measure();
    return { ...counts, heap_kb: Math.round(heapBytes / 1_024) };
  });
}

/** Memory by process, of a browser without DevTools. */
async function soakMemory(run: SoakRun, bench: TestBrowser): Promise<void> {
  await using server = await startPageServer(bench.mediaFolder, bench.rendererFolder);
  const profile = await mkdtemp(join(tmpdir(), "signage-soak-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--autoplay-policy=no-user-gesture-required", "--window-size=960,540"];
  const chromium = spawn(await findChromium(), [...flags, `--user-data-dir=${profile}`, server.url], { stdio: "ignore", detached: true });
  const ended = once(chromium, "exit");
  try {
    await server.waitForMessage("hello");
    await soak(run, "memory", new FastChanges(server), async () => {
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

async function soak(run: SoakRun, part: string, made: FastChanges, look: () => Promise<Values>): Promise<void> {
  const points: { changes: number; values: Values }[] = [];
  for (let round = 1; made.changes < run.amount || points.length < 2; round += 1) {
    run.signal.throwIfAborted();
    // Always measure at the same point of a round, so that the screen shows the same content.
    for (let turn = 0; turn < FastChanges.turnsPerRound; turn += 1) await made.changeAllZones();
    const values = await look();
    run.print({ part, changes: made.changes, ...values });
    if (round >= warmUpRounds) points.push({ changes: made.changes, values });
  }
  const thousands = points.map((point) => point.changes / 1_000);
  for (const what of Object.keys(points[0]!.values)) {
    const values = points.map((point) => point.values[what] ?? 0);
    const { slope: per_1000, error } = slopeOf(thousands, values);
    run.print({ part: `${part}: slope`, what, first: values[0]!, last: values.at(-1)!, per_1000, error });
  }
}
