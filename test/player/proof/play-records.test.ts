// Play events as records: what the player writes of a play, it can read again, and its times lie where the play was on this player.
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { isAbort } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { ReadyState } from "../../../src/player/content/ready-content.ts";
import { applyProgram, stageAt } from "../../../src/playback/playback.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import { ProofOfPlay } from "../../../src/player/proof/proof-of-play.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { programAt } from "../../../src/schedule/program.ts";
import type { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import type { FromPage } from "../../../src/protocol/page-messages.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { assetOf, desiredOf, imageItem, playEvent, readyOf } from "../../support/states.ts";

const start = Date.UTC(2026, 10, 28, 9);
const healthy = { unwritten: [], unread: [], damaged: [], lost: [], refused: [] };

/** A player's proof of play over one item that loops every `durationMs`, with a page that reports what a test tells it to. */
class ProvenScreen implements AsyncDisposable {
  readonly fake: FakeClock;
  readonly clock: CorrectedClock;
  readonly ready: ReadyState;
  /** Where its present run writes. */
  folder: string;
  #proof!: ProofOfPlay;

  private constructor(folder: string, fake: FakeClock, durationMs: number) {
    const asset = assetOf(Buffer.from([1]));
    this.folder = folder;
    this.fake = fake;
    this.clock = new CorrectedClock(fake);
    this.ready = readyOf(desiredOf([imageItem(asset, durationMs)], [asset]));
  }

  static async start(folder: string, fake: FakeClock, durationMs: number): Promise<ProvenScreen> {
    const screen = new ProvenScreen(folder, fake, durationMs);
    screen.#proof = await ProofOfPlay.open({ folder, bootId: "boot", clock: screen.clock, log: silentLog });
    await screen.#proof.handleMessage({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: 1 });
    return screen;
  }

  /** Plans what is due now, and reports about its play. */
  async report(type: "presented" | "failed"): Promise<void> {
    const now = this.clock.now();
    const { stage } = stageAt(applyProgram(null, programAt(this.ready, now).program, now), now, "UTC")!;
    await this.#proof.setPlan(stage, this.ready);
    const zone = stage.zones[0]!;
    const { key, item, cause, starts_at, ends_at } = zone.slots[0]!;
    const about = { zone_id: zone.id, stage: stage.key, key, cause, item_id: item.item_id, asset_id: item.asset_id };
    const messages: Record<typeof type, FromPage> = {
      presented: { type: "presented", ...about, starts_at, ends_at, at: now },
      failed: { type: "failed", ...about, code: "load", detail: "it does not answer" },
    };
    await this.#proof.handleMessage(messages[type]);
  }

  async beat(): Promise<void> {
    await this.#proof.handleMessage({ type: "beat", at: this.clock.now(), frames: 60 });
  }

  /** Another run of the player, on the files as they would be had this one been killed now. */
  async afterKill(): Promise<void> {
    const [killed, before] = [`${this.folder}k`, this.#proof];
    await cp(this.folder, killed, { recursive: true });
    await before.stop();
    this.folder = killed;
    this.#proof = await ProofOfPlay.open({ folder: killed, bootId: "next", clock: this.clock, log: silentLog });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proof.stop();
  }
}

/** What a later run of the player reads in the folder, and what it says about the disk. */
async function readAll(folder: string): Promise<{ events: PlayEvent[]; condition: DiskHealth["condition"] }> {
  const clock = new FakeClock(start);
  const disk = new DiskHealth(silentLog);
  const { playLog } = await PlayLog.open(folder, clock, silentLog, disk);
  const events: PlayEvent[] = [];
  const end = new AbortController();
  const running = playLog
    .run(async (batch) => {
      events.push(...batch);
      return { accepted: batch.length, duplicates: 0, rejected: [] };
    }, end.signal)
    .catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
  await expect.poll(async () => (await readdir(folder)).filter((name) => name.endsWith(".plays")).length, { interval: 2 }).toBe(1);
  end.abort();
  await running;
  await playLog.close();
  return { events, condition: disk.condition };
}

test("[POP32] an item that fails in a slot that began before the player is proven as failed from when the player tried it", async () => {
  await using folder = await temporaryFolder();
  const fake = new FakeClock(start + 20_000);
  {
    await using screen = await ProvenScreen.start(folder.path, fake, 3_600_000);
    fake.advance(2_000);
    await screen.report("failed");
    fake.advance(5_000);
  }
  const { events, condition } = await readAll(folder.path);
  const tried = { started_at: new Date(start + 22_000).toISOString(), started_monotonic_ms: 3_000, duration_ms: 0 };
  expect(events).toMatchObject([{ result: "failed", reason: "load", ...tried }]);
  expect(condition).toEqual(healthy);
});

test("[POP32] an item that fails in a new revision is not proven as failed before the revision was there", async () => {
  await using folder = await temporaryFolder();
  const fake = new FakeClock(start);
  {
    await using screen = await ProvenScreen.start(folder.path, fake, 3_600_000);
    await screen.report("presented");
    fake.advance(600_000);
    const asset = assetOf(Buffer.from([2]));
    Object.assign(screen, { ready: readyOf(desiredOf([imageItem(asset, 3_600_000)], [asset], "r2")) });
    await screen.report("failed");
  }
  const { events } = await readAll(folder.path);
  expect(events.filter(({ revision }) => revision === "r2")).toMatchObject([
    { result: "failed", started_at: new Date(start + 600_000).toISOString(), started_monotonic_ms: 601_000 },
  ]);
});

test("[POP33] a play of which no time was on the screen when the player was killed is told as failed, and one with time as cut", async () => {
  await using folder = await temporaryFolder();
  const screen = await ProvenScreen.start(join(folder.path, "plays"), new FakeClock(start), 60_000);
  await screen.report("presented");
  await screen.afterKill();
  await screen.report("presented");
  screen.fake.advance(20_000);
  await screen.beat();
  await screen.afterKill();
  await screen[Symbol.asyncDispose]();
  const { events } = await readAll(screen.folder);
  expect(events.map(({ result, reason, duration_ms }) => [result, reason, duration_ms])).toEqual([
    ["failed", "interrupted", 0],
    ["cut", "interrupted", 20_000],
  ]);
});

test("[POP34] lines of the play log that an earlier version wrote with a time before its own start are read, as plays from its start on", async () => {
  await using folder = await temporaryFolder();
  const old = {
    ...playEvent(),
    result: "failed" as const,
    reason: "load",
    started_at: "2026-11-28T09:00:00.000Z",
    ended_at: "2026-11-28T09:00:00.000Z",
    duration_ms: 0,
    started_monotonic_ms: -17_000.5,
    ended_monotonic_ms: -17_000.5,
  };
  const later = playEvent();
  const lines = [{ open: { bootId: "b", clockOffsetMs: 0, clockErrorMs: null, open: [] } }, { event: old }, { event: later }];
  const text = lines.map((line) => JSON.stringify(line)).map((body) => `${crc32(body).toString(16).padStart(8, "0")} ${body}\n`);
  await writeFile(join(folder.path, "000000000001.plays"), text.join(""));
  const { events, condition } = await readAll(folder.path);
  const healed = { started_at: "2026-11-28T09:00:17.000Z", ended_at: "2026-11-28T09:00:17.000Z" };
  expect(events).toEqual([{ ...old, ...healed, started_monotonic_ms: 0, ended_monotonic_ms: 0 }, later]);
  expect(condition).toEqual(healthy);
});

test("[RCO1] an event that the player could not read again is not written: it is reported as a fault of the program, kept, and the others go on", async () => {
  await using folder = await temporaryFolder();
  const disk = new DiskHealth(silentLog);
  const { playLog } = await PlayLog.open(folder.path, new FakeClock(start), silentLog, disk);
  const [good, bad] = [playEvent(), { ...playEvent(), started_monotonic_ms: -1 }];
  await playLog.append([bad, good], { bootId: "b", clockOffsetMs: 0, clockErrorMs: null, open: [] });
  await playLog.close();
  expect(disk.condition).toMatchObject({
    unwritten: [],
    refused: [{ what: "play events", reason: expect.stringContaining("started_monotonic_ms") }],
    lost: [{ what: "play events that the program made wrongly", count: 1 }],
  });
  const kept: unknown = JSON.parse(await readFile(join(folder.path, "refused", `${bad.id}.json`), "utf8"));
  expect(kept).toEqual({ reason: expect.stringContaining("started_monotonic_ms"), event: bad });
  const { events, condition } = await readAll(folder.path);
  expect([events, condition]).toEqual([[good], healthy]);
});

test("[RCO2] whatever the clocks do, each play that the player records is read again", async () => {
  const year = 365 * 86_400_000;
  const act = fc.oneof(
    fc.record({ is: fc.constant("wait" as const), ms: fc.constantFrom(0, 1, 999, 7_000, 120_000, 40 * 86_400_000) }),
    fc.record({
      is: fc.constant("step" as const),
      ms: fc.constantFrom(-60 * year, -2 * year, -3_600_000, -1, 1, 5_000, 2 * year, 200 * year),
    }),
    fc.record({ is: fc.constantFrom("presented" as const, "failed" as const, "beat" as const, "kill" as const) }),
  );
  const run = async (wall: number, durationMs: number, acts: readonly (typeof act extends fc.Arbitrary<infer A> ? A : never)[]) => {
    await using folder = await temporaryFolder();
    const fake = new FakeClock(wall, 0);
    const screen = await ProvenScreen.start(join(folder.path, "plays"), fake, durationMs);
    try {
      for (const each of acts) {
        if (each.is === "wait") fake.advance(each.ms);
        else if (each.is === "step") fake.step(each.ms);
        else if (each.is === "beat") await screen.beat();
        else if (each.is === "kill") await screen.afterKill();
        else await screen.report(each.is);
      }
    } finally {
      await screen[Symbol.asyncDispose]();
    }
    const { condition } = await readAll(screen.folder);
    expect(condition).toEqual(healthy);
  };
  const walls = fc.constantFrom(Date.UTC(1901, 0), -1, 0, start, Date.UTC(2262, 0), Date.UTC(9000, 0));
  const property = fc.asyncProperty(walls, fc.constantFrom(1_000, 60_000, 86_400_000), fc.array(act, { maxLength: 12 }), run);
  await fc.assert(property, { numRuns: 60 });
});
