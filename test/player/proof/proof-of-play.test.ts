// Proof of play over hours with killed processes: no play is lost, counted twice or too long.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isAbort } from "../../../src/base/fault.ts";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { ProofOfPlay } from "../../../src/player/proof/proof-of-play.ts";
import { applyProgram, stageAt } from "../../../src/playback/playback.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { HttpFault } from "../../../src/player/link/service-http.ts";
import { PlayEvent, type PlayEventReceipt } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { assetOf, desiredOf, imageItem, readyOf } from "../../support/states.ts";

/** The real events, as the child process prints them. */
interface Observation {
  is: "presented" | "beat" | "stopped";
  at: number;
}

/** Runs proof of play in a child process from one simulated instant on, and kills it after it has printed `lines` observations. */
async function simulate(argv: string[], lines: number): Promise<Observation[]> {
  const script = fileURLToPath(new URL("plays-child.ts", import.meta.url));
  const child = spawn(process.execPath, [script, ...argv], { stdio: ["ignore", "pipe", "inherit"] });
  const observations: Observation[] = [];
  const exited = once(child, "exit");
  createInterface({ input: child.stdout }).on("line", (line) => {
    observations.push(JSON.parse(line) as Observation);
    if (observations.length === lines) child.kill("SIGKILL");
  });
  const [[code, signal]] = await Promise.all([exited, once(child.stdout, "close")]);
  expect(code === 0 || signal === "SIGKILL").toBe(true);
  return observations;
}

/** Uploads all events in `folder`, losing some responses. Returns the events that the service keeps, and how many it received. */
async function uploadAll(folder: string, clock: FakeClock): Promise<{ kept: Map<string, PlayEvent>; received: number }> {
  const proof = await ProofOfPlay.open({ folder, bootId: "last", clock: new CorrectedClock(clock), log: silentLog });
  const kept = new Map<string, PlayEvent>();
  let received = 0;
  let calls = 0;
  const deliver = async (events: PlayEvent[]): Promise<PlayEventReceipt> => {
    expect(events.length).toBeLessThanOrEqual(500);
    received += events.length;
    const duplicates = events.filter(({ id }) => kept.has(id)).length;
    for (const event of events) kept.set(event.id, PlayEvent.parse(event));
    calls += 1;
    if (calls % 3 === 1) throw new HttpFault(502, "the response is lost");
    return { accepted: events.length - duplicates, duplicates, rejected: [] };
  };
  const end = new AbortController();
  const running = proof.run(deliver, end.signal).catch((error: unknown) => {
    if (!isAbort(error)) throw error;
  });
  const files = async () => (await readdir(folder)).filter((name) => name.endsWith(".plays")).length;
  for (let quiet = 0; quiet < 20; quiet = (await files()) > 1 ? 0 : quiet + 1) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(61_000);
  }
  end.abort();
  await running;
  await proof.stop();
  return { kept, received };
}

test("[POP11] in six hours offline with five kill -9, plays have no gaps or overlaps, none is counted twice, and their sum is the time on the screen", async () => {
  await using folder = await temporaryFolder();
  const assets = [1, 2, 3].map((byte) => assetOf(Buffer.from([byte])));
  const durations = [7_000, 13_000, 20_000];
  const desired = desiredOf(
    assets.map((asset, index) => imageItem(asset, durations[index]!)),
    assets,
  );
  const start = Date.UTC(2026, 10, 21, 6);
  const until = start + 6 * 3_600_000;
  const runs: Observation[][] = [];
  for (let from = start; from < until;) {
    // Five kills, each at a different point between frames. The last run ends normally.
    const lines = runs.length < 5 ? 2_000 + runs.length * 701 : Number.POSITIVE_INFINITY;
    const observations = await simulate([folder.path, `boot-${runs.length}`, String(from), String(until), JSON.stringify(desired)], lines);
    expect(observations.length).toBeGreaterThan(0);
    runs.push(observations);
    from = observations.at(-1)!.at + 47_000;
  }
  expect(runs).toHaveLength(6);
  expect(runs.at(-1)!.at(-1)!.is).toBe("stopped");

  const { kept, received } = await uploadAll(folder.path, new FakeClock(until));
  const events = [...kept.values()];
  expect(events.length).toBeGreaterThan(1_500);
  // Only events whose response was lost were sent again.
  expect(received).toBeGreaterThan(events.length);
  for (const [index, observations] of runs.entries()) {
    const run = events
      .filter(({ boot_id }) => boot_id === `boot-${index}`)
      .toSorted((a, b) => a.started_monotonic_ms - b.started_monotonic_ms);
    const shown = observations.filter(({ is }) => is === "presented");
    // A process may present once more before the kill takes effect.
    expect(run.length - shown.length).toBeGreaterThanOrEqual(0);
    expect(run.length - shown.length).toBeLessThanOrEqual(index === runs.length - 1 ? 0 : 2);
    for (const [place, event] of run.slice(1).entries()) expect(event.started_monotonic_ms).toBe(run[place]!.ended_monotonic_ms);
    for (const [place, { at: shownAt }] of shown.entries())
      expect(Math.abs(Date.parse(run[place]!.started_at) - shownAt)).toBeLessThanOrEqual(1);
    const sum = run.reduce((total, event) => total + event.duration_ms, 0);
    const last = run.at(-1)!;
    expect(Math.abs(sum - (Date.parse(last.ended_at) - Date.parse(run[0]!.started_at)))).toBeLessThanOrEqual(run.length);
    // The play that was open ends at the last recorded frame: at most fifteen seconds and one report before the last observation.
    if (index === runs.length - 1) expect(last.result).toBe("completed");
    else {
      expect(last).toMatchObject({ result: last.duration_ms > 0 ? "cut" : "failed", reason: "interrupted" });
      expect(Date.parse(last.ended_at)).toBeGreaterThanOrEqual(observations.at(-1)!.at - 16_000);
    }
    const whole = run.slice(1, -1);
    expect(whole.every(({ result }) => result === "completed")).toBe(true);
    for (const event of whole) {
      const wanted = durations[assets.findIndex(({ id }) => id === event.asset_id)]!;
      expect(Math.abs(event.duration_ms - wanted)).toBeLessThanOrEqual(17);
      expect(event.sha256).toBe(assets.find(({ id }) => id === event.asset_id)!.sha256);
    }
  }
});

test("[POP31] a play that was presented just before the clock was corrected by months is proven, with times within the run of the player", async () => {
  await using folder = await temporaryFolder();
  const asset = assetOf(Buffer.from([1]));
  const ready = readyOf(desiredOf([imageItem(asset, 7_000)], [asset]));
  const fake = new FakeClock(Date.UTC(2026, 10, 21, 6));
  const clock = new CorrectedClock(fake);
  const proof = await ProofOfPlay.open({ folder: folder.path, bootId: "boot", clock, log: silentLog });
  await proof.handleMessage({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: fake.now() });
  const present = async (at: number): Promise<void> => {
    const { stage } = stageAt(applyProgram(null, programAt(ready, at).program, at), at, "UTC")!;
    await proof.setPlan(stage, ready);
    const zone = stage.zones[0]!;
    const { key, item, cause, starts_at, ends_at } = zone.slots[0]!;
    const about = { zone_id: zone.id, stage: stage.key, key, cause, item_id: item.item_id, asset_id: item.asset_id, starts_at, ends_at };
    const correctedBy = 90 * 86_400_000;
    if (clock.learnedAt === null)
      clock.learn({ t0: fake.now(), t1: fake.now() + correctedBy, t2: fake.now() + correctedBy, t3: fake.now() });
    await proof.handleMessage({ type: "presented", ...about, at });
  };
  await present(clock.now());
  fake.advance(1_000);
  await present(clock.now());
  fake.advance(1_000);
  await proof.stop();
  const { kept } = await uploadAll(folder.path, fake);
  const events = [...kept.values()];
  expect(events.every(({ started_monotonic_ms }) => started_monotonic_ms >= 1_000)).toBe(true);
  // What the correction jumped over was not shown, and is told too.
  expect(events.map(({ result, reason }) => `${result} ${reason}`)).toEqual([
    "skipped not-ready",
    "skipped not-ready",
    "cut began-late",
    "cut stopped",
  ]);
});
