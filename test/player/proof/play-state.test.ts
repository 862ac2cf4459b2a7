// Proof of play on the player: what becomes an event, and that none is lost, torn or told twice.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isAbort } from "../../../src/base/fault.ts";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import { step } from "../../../src/player/proof/play-state.ts";
import {
  initialPlayState,
  type FinishedPlay,
  type PlannedPlay,
  type PlayInput,
  type PlayState,
} from "../../../src/player/proof/play-types.ts";
import { ProofOfPlay } from "../../../src/player/proof/proof-of-play.ts";
import { HttpFault } from "../../../src/player/link/service-http.ts";
import { PlayEvent, type PlayEventReceipt } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { assetOf, desiredOf, imageItem, newId } from "../../support/states.ts";

const zoneId = newId("zon");
const layoutId = newId("lay");
const at = (seconds: number) => ({ at: seconds * 1_000, mono: seconds * 1_000 + 77 });

function due(key: string, startsAt: number, endsAt: number, zone = zoneId, stage = "s"): PlannedPlay {
  const by = { layoutId, layer: "default" as const, scheduleId: null, overrideId: null };
  const of = { ...by, zoneId: zone, itemId: newId("itm"), assetId: null, sha256: null, revision: "r" };
  return { key, stage, startsAt: startsAt * 1_000, endsAt: endsAt * 1_000, of };
}
const planned = (now: number, plays: PlannedPlay[], id = zoneId, stage = "s"): PlayInput => ({
  is: "planned",
  now: at(now),
  since: at(now),
  stage,
  zones: [{ id, plays }],
});
const presented = (play: PlannedPlay, now: number): PlayInput => ({ is: "presented", play, at: at(now) });

/** The plays that these steps finish, in short. */
function play(steps: readonly PlayInput[]): string[] {
  let plays: PlayState = initialPlayState;
  let count = 0;
  const done: FinishedPlay[] = [];
  for (const each of steps) {
    const next = step(plays, each, () => `evt_${count++}`);
    plays = next.plays;
    done.push(...next.done);
  }
  return done.map(
    ({ result, reason, started, ended }) => `${result}${reason === null ? "" : ` ${reason}`} ${started.at / 1_000}-${ended.at / 1_000}`,
  );
}

test("[POP8] a play is from its first frame to that of the next; whole it is completed, else cut, and why", () => {
  const [a, b, c] = [due("a", 0, 10), due("b", 10, 20), due("c", 20, 30)];
  const plan = planned(0, [a, b, c]);
  const page: PlayInput = { is: "page", openedAt: 1 };
  expect(play([page, plan, presented(a, 0.01), presented(b, 10.01), presented(c, 20.01)])).toEqual([
    "completed 0.01-10.01",
    "completed 10.01-20.01",
  ]);
  expect(play([page, plan, presented(a, 4), presented(b, 10)])).toEqual(["cut began-late 4-10"]);
  // A new revision takes the item away at once.
  expect(play([page, plan, presented(a, 0), planned(4, [c]), presented(c, 4.1)])).toEqual(["cut ended-early 0-4.1"]);
  // The page is another one: what it showed ends at its last frame.
  const frame: PlayInput = { is: "frame", at: at(3) };
  expect(play([page, plan, presented(a, 0), frame, { is: "page", openedAt: 2 }, presented(a, 6), presented(b, 10)])).toEqual([
    "cut page-lost 0-3",
    "cut began-late 6-10",
  ]);
  // The same page is back: it has played on.
  expect(play([page, plan, presented(a, 0), frame, page, presented(b, 10)])).toEqual(["completed 0-10"]);
  expect(play([page, plan, presented(a, 0), { is: "stopped", now: at(5) }])).toEqual(["cut stopped 0-5"]);
  expect(play([page, plan, presented(a, 0), { is: "screen", at: at(5) }])).toEqual(["cut ended-early 0-5"]);
  expect(play([page, plan, presented(a, 0), planned(5, [])])).toEqual(["cut ended-early 0-5"]);
});

test("[POP9] what could not be shown has failed, what nobody saw was skipped, and the item before stays on the glass", () => {
  const [a, b, c] = [due("a", 0, 10), due("b", 10, 20), due("c", 20, 30)];
  const plan = planned(0, [a, b, c]);
  const frame = (seconds: number): PlayInput => ({ is: "frame", at: at(seconds) });
  const failed = (about: PlannedPlay): PlayInput => ({ is: "failed", play: about, code: "decode", at: null });
  expect(play([plan, presented(a, 0), failed(b), presented(c, 20)])).toEqual(["failed decode 10-10", "completed 0-20"]);
  expect(play([plan, presented(a, 0), failed(a), failed(a), presented(b, 10)])).toEqual(["failed decode 0-10"]);
  expect(play([plan, presented(a, 0), frame(19), planned(21, [c]), planned(24, [c])])).toEqual(["skipped not-ready 10-10"]);
  expect(play([plan, planned(10, [b, c]), planned(20, [c]), planned(30, [])])).toEqual(["skipped no-page 0-0", "skipped no-page 10-10"]);
  // Replaced before its time, or during it without a frame: nobody was to see it.
  expect(play([plan, presented(a, 0), planned(5, [a, c]), planned(15, [c]), planned(40, [])])).toEqual([
    "skipped no-page 20-20",
    "completed 0-40",
  ]);
});

test("[REM10] a play that dies on the glass has failed and ends then; one whose zone shows nothing any more ends with the fallback", () => {
  const [a, b] = [due("a", 0, 10), due("b", 10, 20)];
  const plan = planned(0, [a, b]);
  const died = (seconds: number): PlayInput => ({ is: "failed", play: a, code: "crashed", at: at(seconds) });
  expect(play([plan, presented(a, 0), died(4), presented(b, 10), planned(24, [])])).toEqual(["failed crashed 0-4", "completed 10-24"]);
  // Begun anew, it is another play of the same slot.
  expect(play([plan, presented(a, 0), died(4), presented(a, 5), presented(b, 10)])).toEqual(["failed crashed 0-4", "cut began-late 5-10"]);
  const cleared: PlayInput = { is: "fallback", stage: a.stage, zoneId, at: at(6) };
  expect(play([plan, presented(a, 0), planned(3, [b]), cleared, presented(b, 10)])).toEqual(["cut ended-early 0-6"]);
});

test("[POP10] the plays of a layout end with the first frame of the next one, in every zone", () => {
  const [one, other, third] = [newId("zon"), newId("zon"), newId("zon")];
  const plays = [due("a", 0, 100, one), due("b", 0, 100, other)];
  const steps: PlayInput[] = [
    { is: "planned", now: at(0), since: at(0), stage: "s", zones: plays.map((each) => ({ id: each.of.zoneId, plays: [each] })) },
    ...plays.map((each) => presented(each, 0)),
  ];
  const next = due("n", 10, 20, third, "t");
  const cut = ["cut ended-early 0-12", "cut ended-early 0-12"];
  expect(play([...steps, planned(10, [next], third, "t"), presented(next, 12)])).toEqual(cut);
  // One without an item, too.
  expect(play([...steps, planned(10, [], third, "t"), { is: "stage", key: "t", showing: [], at: at(12) }])).toEqual(cut);
});

interface Truth {
  is: "presented" | "beat" | "stopped";
  at: number;
}

/** Runs a player's proof of play from one simulated instant on; kills it after `lines` lines of truth, if it lives so long. */
async function simulate(argv: string[], lines: number): Promise<Truth[]> {
  const script = fileURLToPath(new URL("plays-child.ts", import.meta.url));
  const child = spawn(process.execPath, [script, ...argv], { stdio: ["ignore", "pipe", "inherit"] });
  const truth: Truth[] = [];
  const exited = once(child, "exit");
  createInterface({ input: child.stdout }).on("line", (line) => {
    truth.push(JSON.parse(line) as Truth);
    if (truth.length === lines) child.kill("SIGKILL");
  });
  const [[code, signal]] = await Promise.all([exited, once(child.stdout, "close")]);
  expect(code === 0 || signal === "SIGKILL").toBe(true);
  return truth;
}

/** Uploads all that waits in `folder`, with the answer lost now and then; gives back what the service keeps, and all it heard. */
async function uploadAll(folder: string, clock: FakeClock): Promise<{ kept: Map<string, PlayEvent>; heard: number }> {
  const proof = await ProofOfPlay.open({ folder, bootId: "last", clock: new CorrectedClock(clock), log: silentLog });
  const kept = new Map<string, PlayEvent>();
  let heard = 0;
  let calls = 0;
  const deliver = async (events: PlayEvent[]): Promise<PlayEventReceipt> => {
    expect(events.length).toBeLessThanOrEqual(500);
    heard += events.length;
    const duplicates = events.filter(({ id }) => kept.has(id)).length;
    for (const event of events) kept.set(event.id, PlayEvent.parse(event));
    calls += 1;
    if (calls % 3 === 1) throw new HttpFault(502, "the answer is lost");
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
  return { kept, heard };
}

test("[POP11] six hours offline with five kill -9: plays touch, none comes twice, and their sum is the time on the glass", async () => {
  await using folder = await temporaryFolder();
  const assets = [1, 2, 3].map((byte) => assetOf(Buffer.from([byte])));
  const durations = [7_000, 13_000, 20_000];
  const desired = desiredOf(
    assets.map((asset, index) => imageItem(asset, durations[index]!)),
    assets,
  );
  const start = Date.UTC(2026, 10, 21, 6);
  const until = start + 6 * 3_600_000;
  const runs: Truth[][] = [];
  for (let from = start; from < until;) {
    // Five deaths, each at another place between frames; the last run ends in order.
    const lines = runs.length < 5 ? 2_000 + runs.length * 701 : Number.POSITIVE_INFINITY;
    const truth = await simulate([folder.path, `boot-${runs.length}`, String(from), String(until), JSON.stringify(desired)], lines);
    expect(truth.length).toBeGreaterThan(0);
    runs.push(truth);
    from = truth.at(-1)!.at + 47_000;
  }
  expect(runs).toHaveLength(6);
  expect(runs.at(-1)!.at(-1)!.is).toBe("stopped");

  const { kept, heard } = await uploadAll(folder.path, new FakeClock(until));
  const events = [...kept.values()];
  expect(events.length).toBeGreaterThan(1_500);
  // Only what lost its answer was sent again.
  expect(heard).toBeGreaterThan(events.length);
  for (const [index, truth] of runs.entries()) {
    const run = events
      .filter(({ boot_id }) => boot_id === `boot-${index}`)
      .toSorted((a, b) => a.started_monotonic_ms - b.started_monotonic_ms);
    const shown = truth.filter(({ is }) => is === "presented");
    // A process that is told to die may present once more before it does.
    expect(run.length - shown.length).toBeGreaterThanOrEqual(0);
    expect(run.length - shown.length).toBeLessThanOrEqual(index === runs.length - 1 ? 0 : 2);
    for (const [place, event] of run.slice(1).entries()) expect(event.started_monotonic_ms).toBe(run[place]!.ended_monotonic_ms);
    for (const [place, { at: shownAt }] of shown.entries())
      expect(Math.abs(Date.parse(run[place]!.started_at) - shownAt)).toBeLessThanOrEqual(1);
    const sum = run.reduce((total, event) => total + event.duration_ms, 0);
    const last = run.at(-1)!;
    expect(Math.abs(sum - (Date.parse(last.ended_at) - Date.parse(run[0]!.started_at)))).toBeLessThanOrEqual(run.length);
    // What was open at the death ends at the last frame that was written: at most five seconds and a beat before the last one told.
    if (index === runs.length - 1) expect(last.result).toBe("completed");
    else {
      expect(last).toMatchObject({ result: "cut", reason: "interrupted" });
      expect(Date.parse(last.ended_at)).toBeGreaterThanOrEqual(truth.at(-1)!.at - 6_000);
    }
    const whole = run.slice(1, -1);
    expect(whole.every(({ result }) => result === "completed")).toBe(true);
    for (const event of whole) {
      const wanted = durations[assets.findIndex(({ id }) => id === event.asset_id)]!;
      expect(Math.abs(event.duration_ms - wanted)).toBeLessThanOrEqual(17);
      expect(event.sha256).toBe(assets.find(({ id }) => id === event.asset_id)!.sha256);
    }
  }
}, 240_000);

function event(): PlayEvent {
  return {
    id: newId("evt"),
    layout_id: layoutId,
    zone_id: zoneId,
    schedule_id: null,
    item_id: newId("itm"),
    asset_id: null,
    sha256: null,
    revision: "r",
    result: "completed",
    reason: null,
    started_at: "2026-11-21T10:00:00.000Z",
    ended_at: "2026-11-21T10:00:01.000Z",
    duration_ms: 1_000,
    started_monotonic_ms: 1,
    ended_monotonic_ms: 1_001,
    boot_id: "b",
    clock_offset_ms: 0,
    clock_error_ms: null,
  };
}
const empty = { bootId: "b", clockOffsetMs: 0, clockErrorMs: null, open: [] };

test("[POP12] events go out once there are 500 or the oldest is a minute old, and are deleted only after the answer", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { playLog } = await PlayLog.open(folder.path, clock, silentLog);
  const batches: number[] = [];
  let answer: () => void = () => undefined;
  const end = new AbortController();
  const running = playLog.run(async (events) => {
    batches.push(events.length);
    await new Promise<void>((resolve) => (answer = resolve));
    return { accepted: events.length, duplicates: 0, rejected: [] };
  }, end.signal);
  const ended = expect(running).rejects.toThrow();
  const files = async () => (await readdir(folder.path)).length;
  await playLog.append([event(), event()], empty);
  await expect.poll(() => clock.pendingWaits, { timeout: 10_000 }).toBe(1);
  clock.advance(59_999);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(batches).toEqual([]);
  clock.advance(1);
  await expect.poll(() => batches, { timeout: 10_000 }).toEqual([2]);
  expect(await files()).toBe(2);
  answer();
  await expect.poll(files, { timeout: 10_000 }).toBe(1);
  await playLog.append(Array.from({ length: 500 }, event), empty);
  await expect.poll(() => batches, { timeout: 10_000 }).toEqual([2, 500]);
  answer();
  await expect.poll(files, { timeout: 10_000 }).toBe(1);
  end.abort();
  await ended;
  await playLog.close();
});

test("[POP13] a torn line costs itself alone; a full queue gives up its oldest events, and says so", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const first = await PlayLog.open(folder.path, clock, silentLog);
  const whole = event();
  await first.playLog.append([whole], empty);
  await first.playLog.close();
  const [file] = await readdir(folder.path);
  await appendFile(join(folder.path, file!), '0badc0de {"event":{"id":"evt_');
  const delivered: PlayEvent[] = [];
  const again = await PlayLog.open(folder.path, clock, silentLog);
  const end = new AbortController();
  const running = again.playLog
    .run(async (events) => {
      delivered.push(...events);
      return { accepted: events.length, duplicates: 0, rejected: [] };
    }, end.signal)
    .catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
  await expect.poll(() => delivered, { timeout: 10_000 }).toEqual([whole]);
  end.abort();
  await running;
  await again.playLog.close();

  await using full = await temporaryFolder();
  for (let number = 1; number <= 600; number += 1) await writeFile(join(full.path, `${String(number).padStart(12, "0")}.plays`), "");
  const { playLog } = await PlayLog.open(full.path, clock, silentLog);
  await playLog.append(Array.from({ length: 500 }, event), empty);
  expect(playLog.lostCount).toBe(1_000);
  const names = (await readdir(full.path)).toSorted();
  expect([names.length, names[0], names.at(-1)]).toEqual([600, "000000000003.plays", "000000000602.plays"]);
  await playLog.close();
});
