// Proof of play by cause: each play is booked to the layout, schedule, override and layer that brought it, through every change of them.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { isAbort } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { ReadyState } from "../../../src/player/content/content-cache.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import { pagePlanAt } from "../../../src/player/playback/page-plan.ts";
import { ScheduleFollower } from "../../../src/player/playback/schedule-follower.ts";
import { ProofOfPlay } from "../../../src/player/proof/proof-of-play.ts";
import { InterventionStore } from "../../../src/player/playback/intervention-store.ts";
import type { DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import { playCommands } from "../../../src/protocol/device/play-commands.ts";
import { PlayEvent, type PlayEventReceipt } from "../../../src/protocol/device/play-events.ts";
import type { FromPage, SceneZone, Slot, Stage } from "../../../src/protocol/scene.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../../support/states.ts";
import { schedule } from "../../schedule/schedules.ts";

const t0 = Date.UTC(2026, 10, 21, 9);
const iso = (instant: number): string => new Date(instant).toISOString();
const [red, green, blue] = ["red", "green", "blue"].map((name) => assetOf(Buffer.from(name))) as [Asset, Asset, Asset];
type Asset = ReturnType<typeof assetOf>;

/** A layout of one zone for each playlist. */
function layoutOf(...playlistIds: string[]): DesiredLayout {
  const size = { name: "z", top: 0, width: 100, height: 100, z_index: 0 };
  const zones = playlistIds.map((playlist_id, index) => ({ ...size, id: newId("zon"), left: index * 100, playlist_id }));
  return { id: newId("lay"), width: 1920, height: 1080, background_color: "#000000", zones };
}

/** Two layouts that share a playlist of red and green, ten seconds each; one with blue besides; and one without a playlist. */
function content(schedules: (layouts: Layouts) => Record<string, unknown>[], usual: keyof Layouts | null = "usual") {
  const [shared, own, empty] = [newId("pls"), newId("pls"), newId("pls")];
  const layouts = { usual: layoutOf(shared), other: layoutOf(shared, own), black: layoutOf(empty) };
  const base = desiredOf([], [red, green, blue]);
  const ready = readyOf({
    ...base,
    layout: usual === null ? null : layouts[usual],
    layouts: Object.values(layouts),
    schedules: schedules(layouts),
    playlists: [
      { id: shared, items: [imageItem(red, 10_000), imageItem(green, 10_000)] },
      { id: own, items: [imageItem(blue, 10_000)] },
      { id: empty, items: [] },
    ],
  });
  return { ready, layouts };
}
type Layouts = Record<"usual" | "other" | "black", DesiredLayout>;

/** One thing on the glass from one instant to another, as whoever stands before the screen would note it. */
interface Seen {
  from: number;
  until: number;
  itemId: string;
  zoneId: string;
  by: string;
}

/** The player from its programme to its proof of play, and a page that presents what is due a few ms after its time. */
class Rig {
  readonly clock: FakeClock;
  /** What was on the glass, judged by {@link ScheduleFollower.why} and not by what the slots say. */
  readonly seen: Seen[] = [];
  readonly #proof: ProofOfPlay;
  readonly #programme: ScheduleFollower;
  readonly #ready: ReadyState;
  #stage: Stage | null = null;
  #plannedAt = Number.NEGATIVE_INFINITY;
  #shown: string | null = null;
  #playing = new Map<string, Slot>();
  #open = new Map<string, Seen>();

  private constructor(clock: FakeClock, proof: ProofOfPlay, programme: ScheduleFollower, ready: ReadyState) {
    this.clock = clock;
    this.#proof = proof;
    this.#programme = programme;
    this.#ready = ready;
  }

  static async start(folder: string, ready: ReadyState, at = t0): Promise<Rig> {
    const fake = new FakeClock(at);
    const clock = new CorrectedClock(fake);
    const records = await InterventionStore.open(folder, silentLog);
    const proof = await ProofOfPlay.open({ folder: join(folder, "plays"), bootId: `b${at}`, clock, log: silentLog });
    const rig = new Rig(fake, proof, new ScheduleFollower(records, clock, silentLog, "UTC"), ready);
    await rig.say({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: at });
    return rig;
  }

  get stage(): Stage {
    return this.#stage!;
  }

  zone(index = 0): SceneZone {
    return this.stage.zones[index]!;
  }

  say(message: FromPage): Promise<void> {
    return this.#proof.handleMessage(message);
  }

  /** What the page says when a slot's first frame is there. */
  presented(zoneId: string, slot: Slot, at: number, stage = this.stage.key): Promise<void> {
    const { key, cause, starts_at, offset_ms, ends_at, whole_ends_at = ends_at, item } = slot;
    const about = { zone_id: zoneId, stage, key, cause, item_id: item.item_id, asset_id: item.asset_id };
    return this.say({ type: "presented", ...about, starts_at: starts_at - offset_ms, ends_at: whole_ends_at, at });
  }

  /** Asks what is due now, and tells proof of play. Gives back when to ask next. */
  async plan(): Promise<number> {
    const now = this.clock.now();
    const acts = this.#programme.follow(this.#ready, now);
    const { stage, changesAt } = pagePlanAt(acts, now, "UTC");
    this.#stage = stage;
    await this.#proof.setPlan(stage, this.#ready, Math.max(acts[0]?.from ?? now, this.#plannedAt));
    this.#plannedAt = now;
    return changesAt;
  }

  /** Presents what is due, as the page does. */
  async show(): Promise<void> {
    const at = this.clock.now();
    const stage = this.#stage;
    const key = stage?.key ?? null;
    const due = new Map((stage?.zones ?? []).flatMap(({ id, slots }) => (slots[0] === undefined ? [] : [[id, slots[0]] as const])));
    if (key !== this.#shown) {
      this.#shown = key;
      this.#playing = new Map();
      if (stage === null) await this.say({ type: "screen", is: "empty", code: null, at });
      else {
        const showing = [...due].map(([zone_id, slot]) => ({ zone_id, key: slot.key, cause: slot.cause }));
        await this.say({ type: "stage", key: stage.key, at, showing });
      }
    }
    for (const [zoneId, slot] of due) {
      if (this.#playing.get(zoneId)?.key !== slot.key) await this.presented(zoneId, slot, at);
    }
    this.#playing = due;
    this.#look(at);
  }

  /** Goes on until `until`, with the page `late` ms behind each change. */
  async runTo(until: number, late = 0): Promise<void> {
    while (this.clock.now() < until) {
      const next = await this.plan();
      this.clock.advance(late);
      await this.show();
      this.clock.advance(Math.max(1, Math.min(next, until) - this.clock.now()));
    }
  }

  async order(type: string, args: Record<string, unknown> = {}): Promise<string> {
    const id = newId("cmd");
    await this.#programme.apply({ ...z.discriminatedUnion("type", playCommands).parse({ type, args }), id });
    return id;
  }

  /** Stops, and gives back what was written down. */
  async stop(folder: string): Promise<PlayEvent[]> {
    this.#look(this.clock.now(), true);
    await this.#proof.stop();
    return written(folder);
  }

  #look(at: number, isOver = false): void {
    const by = this.#programme.why().find(({ verdict, layer }) => (verdict === "shows" || verdict === "held") && layer !== "pause");
    for (const [zoneId, seen] of this.#open) {
      const slot = this.#playing.get(zoneId);
      if (!isOver && slot?.item.item_id === seen.itemId && seen.by === `${by!.layer} ${by!.id}`) continue;
      this.seen.push({ ...seen, until: at });
      this.#open.delete(zoneId);
    }
    for (const [zoneId, { item }] of this.#playing) {
      if (!this.#open.has(zoneId))
        this.#open.set(zoneId, { from: at, until: at, itemId: item.item_id, zoneId, by: `${by!.layer} ${by!.id}` });
    }
  }
}

/** The events in the queue, oldest first. */
async function written(folder: string): Promise<PlayEvent[]> {
  const files = (await readdir(join(folder, "plays"))).filter((name) => name.endsWith(".plays")).toSorted();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, "plays", name), "utf8")));
  const lines = texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
  const events = lines.flatMap((line) => (JSON.parse(line.slice(9)) as { event?: unknown }).event ?? []);
  return events.map((event) => PlayEvent.parse(event)).toSorted((a, b) => a.started_monotonic_ms - b.started_monotonic_ms);
}

const byOf = ({ layer, schedule_id, override_id }: PlayEvent): string => `${layer} ${override_id ?? schedule_id}`;

function sums<T>(all: readonly T[], key: (each: T) => string, ms: (each: T) => number): Record<string, number> {
  const total: Record<string, number> = {};
  for (const each of all) total[key(each)] = (total[key(each)] ?? 0) + ms(each);
  return total;
}

/** Equal keys, and each sum within `tolerance` ms. */
function expectSums(told: Record<string, number>, truth: Record<string, number>, tolerance: number): void {
  expect(Object.keys(told).toSorted()).toEqual(Object.keys(truth).toSorted());
  for (const [key, ms] of Object.entries(truth))
    expect(Math.abs(told[key]! - ms), `${key}: ${told[key]} told, ${ms} seen`).toBeLessThanOrEqual(tolerance);
}

test("[POP15] a play names the layout, the layer, the schedule and the override that brought it, with a default layout or without", async () => {
  for (const usual of ["usual", null] as const) {
    await using folder = await temporaryFolder();
    const ids = { schedule: "", interrupt: "" };
    const { ready, layouts } = content(({ other, usual: plain }) => {
      const due = schedule(other.id, iso(t0 + 60_000), iso(t0 + 120_000), { priority: 5 });
      const cut = schedule(plain.id, iso(t0 + 180_000), iso(t0 + 300_000), { priority: 6, interrupt: { share_percent: 50 } });
      Object.assign(ids, { schedule: due.id, interrupt: cut.id });
      return [due, cut];
    }, usual);
    const rig = await Rig.start(folder.path, ready);
    await rig.runTo(t0 + 310_000);
    const override = await rig.order("override.set", { layout_id: layouts.other.id, duration_ms: 30_000 });
    await rig.runTo(t0 + 350_000);
    const alone = await rig.order("override.set", { asset_id: blue.id, level: "emergency" });
    await rig.runTo(t0 + 370_000);
    const events = (await rig.stop(folder.path)).filter(({ result }) => result !== "skipped");
    const brought = new Set(events.map((event) => `${event.layout_id} ${byOf(event)}`));
    const number = blue.id.slice("ast_".length);
    expect(brought).toEqual(
      new Set([
        ...(usual === null ? [] : [`${layouts.usual.id} default null`]),
        `${layouts.other.id} schedule ${ids.schedule}`,
        `${layouts.usual.id} interrupt ${ids.interrupt}`,
        `${layouts.other.id} override ${override}`,
        `lay_${number} override ${alone}`,
      ]),
    );
    const inSchedule = events.filter(({ schedule_id }) => schedule_id === ids.schedule);
    expect(
      sums(
        inSchedule,
        ({ zone_id }) => zone_id,
        ({ duration_ms }) => duration_ms,
      ),
    ).toEqual(Object.fromEntries(layouts.other.zones.map(({ id }) => [id, 60_000])));
  }
});

test("[POP16] half an hour of changes of every kind: the sums by layer, schedule, override, zone and item are the time on the glass", async () => {
  await using folder = await temporaryFolder();
  const minute = 60_000;
  const { ready, layouts } = content(({ usual, other, black }) => [
    // At the edge of an item, amid one, for the layout that is on anyway, twice in a row, for an empty one, and by the hour's grid.
    schedule(other.id, iso(t0 + 2 * minute), iso(t0 + 4 * minute), { priority: 2 }),
    schedule(usual.id, iso(t0 + 4 * minute), iso(t0 + 6 * minute + 3_500), { priority: 2 }),
    schedule(usual.id, iso(t0 + 6 * minute + 3_500), iso(t0 + 8 * minute), { priority: 2 }),
    schedule(black.id, iso(t0 + 9 * minute), iso(t0 + 10 * minute), { priority: 3 }),
    schedule(other.id, iso(t0 + 12 * minute), iso(t0 + 16 * minute), { priority: 4, interrupt: { share_percent: 25 } }),
    schedule(usual.id, iso(t0 + 17 * minute), iso(t0 + 21 * minute), { priority: 4, interrupt: { share_percent: 25 } }),
  ]);
  const rig = await Rig.start(folder.path, ready);
  await rig.runTo(t0 + 22 * minute + 1_234, 11);
  await rig.order("override.set", { layout_id: layouts.other.id });
  await rig.runTo(t0 + 23 * minute + 777, 4);
  await rig.order("override.set", { layout_id: layouts.other.id, duration_ms: 45_000 });
  await rig.runTo(t0 + 25 * minute, 9);
  await rig.order("skip");
  await rig.runTo(t0 + 25 * minute + 4_321, 2);
  await rig.order("override.clear");
  await rig.runTo(t0 + 26 * minute + 2_000, 15);
  await rig.order("pause", { duration_ms: 75_000 });
  await rig.runTo(t0 + 28 * minute, 6);
  await rig.order("override.set", { asset_id: blue.id });
  await rig.runTo(t0 + 29 * minute, 1);
  await rig.order("override.set", { asset_id: blue.id, level: "emergency", duration_ms: 20_000 });
  await rig.runTo(t0 + 30 * minute, 14);
  const events = await rig.stop(folder.path);
  expect(events.filter(({ result }) => result === "skipped" || result === "failed")).toEqual([]);
  const keys: [(event: PlayEvent) => string, (seen: Seen) => string][] = [
    [byOf, ({ by }) => by],
    [({ zone_id }) => zone_id, ({ zoneId }) => zoneId],
    [(event) => `${event.item_id} ${byOf(event)}`, ({ itemId, by }) => `${itemId} ${by}`],
  ];
  for (const [told, truth] of keys) {
    expectSums(
      sums(events, told, ({ duration_ms }) => duration_ms),
      sums(rig.seen, truth, ({ from, until }) => until - from),
      50,
    );
  }
  // No instant of a zone twice, and no id.
  for (const zoneId of new Set(events.map(({ zone_id }) => zone_id))) {
    const row = events.filter(({ zone_id }) => zone_id === zoneId);
    for (const [place, event] of row.slice(1).entries()) {
      expect(event.started_monotonic_ms).toBeGreaterThanOrEqual(row[place]!.ended_monotonic_ms);
    }
  }
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});

test("[POP17] an item that stays while another cause brings it is two plays that touch at the change; one that comes on with it is one", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(({ usual }) => [
    schedule(usual.id, iso(t0 + 13_000), iso(t0 + 40_000), { name: "amid an item" }),
    schedule(usual.id, iso(t0 + 40_000), iso(t0 + 60_000), { name: "with an item" }),
  ]);
  const rig = await Rig.start(folder.path, ready);
  await rig.runTo(t0 + 12_500);
  // The programme is asked late, as on a busy machine: what counts is when the schedule began.
  rig.clock.advance(700);
  await rig.runTo(t0 + 39_000);
  await rig.plan();
  const [, next] = rig.zone().slots;
  // The page has the slot of 40 s under its old cause, comes on in the frame before, and tells it late.
  rig.clock.advance(1_100);
  await rig.plan();
  await rig.presented(rig.zone().id, next!, t0 + 39_995);
  await rig.runTo(t0 + 55_000);
  const events = await rig.stop(folder.path);
  const shape = events.map((event) => [
    event.layer,
    Date.parse(event.started_at) - t0,
    Date.parse(event.ended_at) - t0,
    event.result,
    event.reason,
  ]);
  expect(shape).toEqual([
    ["default", 0, 10_000, "completed", null],
    ["default", 10_000, 13_000, "cut", "cause-changed"],
    ["schedule", 13_000, 20_000, "cut", "began-late"],
    ["schedule", 20_000, 30_000, "completed", null],
    ["schedule", 30_000, 39_995, "completed", null],
    ["schedule", 39_995, 50_000, "completed", null],
    ["schedule", 50_000, 55_000, "cut", "stopped"],
  ]);
  expect(events[4]!.schedule_id).not.toBe(events[5]!.schedule_id);
  expect(events[2]!.schedule_id).toBe(events[3]!.schedule_id);
});

test("[POP18] the last item of the old stage and the first of the new one have each their own cause, however late they are told", async () => {
  await using folder = await temporaryFolder();
  const { ready, layouts } = content(({ other }) => [schedule(other.id, iso(t0 + 20_000), null)]);
  const rig = await Rig.start(folder.path, ready);
  await rig.runTo(t0 + 19_500);
  await rig.plan();
  const old = rig.stage;
  // A page that did not hear of the change in time goes on in the old stage.
  const last = rig.zone().slots[0]!;
  const oldNext = { ...last, key: `${last.key}+`, starts_at: t0 + 20_000, ends_at: t0 + 30_000, offset_ms: 0 };
  rig.clock.advance(520);
  await rig.plan();
  // At the very instant the page went on in the old stage; only then does it hear of the new one.
  await rig.presented(old.zones[0]!.id, oldNext, t0 + 20_000, old.key);
  rig.clock.advance(300);
  await rig.show();
  // Told after the new stage has the glass: it came on while its stage was fading out.
  await rig.presented(old.zones[0]!.id, { ...oldNext, key: `${oldNext.key}x` }, t0 + 20_330, old.key);
  await rig.runTo(t0 + 25_000);
  const events = await rig.stop(folder.path);
  const shape = events.map((event) => [event.layout_id, event.layer, Date.parse(event.started_at) - t0, event.duration_ms]);
  expect(shape).toEqual([
    [layouts.usual.id, "default", 0, 10_000],
    [layouts.usual.id, "default", 10_000, 10_000],
    [layouts.usual.id, "default", 20_000, 320],
    [layouts.other.id, "schedule", 20_320, 4_680],
    [layouts.other.id, "schedule", 20_320, 4_680],
  ]);
});

test("[POP19] every presented item has an event: one that stands in for another, and one whose plan is long gone", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(() => []);
  const rig = await Rig.start(folder.path, ready);
  await rig.plan();
  await rig.show();
  const [first, second, third] = rig.zone().slots as [Slot, Slot, Slot];
  const zoneId = rig.zone().id;
  const { item, cause, key } = second;
  await rig.say({
    type: "failed",
    zone_id: zoneId,
    stage: rig.stage.key,
    key,
    cause,
    item_id: item.item_id,
    asset_id: null,
    code: "decode",
    detail: "",
  });
  rig.clock.advance(14_000);
  // As the page does where all between cannot be shown.
  const standIn: Slot = { ...third, key: `${third.key}~${second.key}`, starts_at: t0 + 14_000, ends_at: second.ends_at };
  await rig.presented(zoneId, standIn, t0 + 14_000);
  rig.clock.advance(6_000);
  await rig.runTo(t0 + 25_000);
  const gone = rig.zone().slots[1]!;
  rig.clock.advance(3_600_000);
  await rig.plan();
  // The page was cut off for an hour, and tells what it played meanwhile.
  await rig.presented(zoneId, gone, t0 + 30_000);
  await rig.show();
  const events = (await rig.stop(folder.path)).filter(({ result }) => result !== "skipped");
  const shape = events.map(({ item_id, result, reason, started_at }) => [item_id, result, reason, Date.parse(started_at) - t0]);
  expect(shape.slice(0, 5)).toEqual([
    [first.item.item_id, "completed", null, 0],
    [second.item.item_id, "failed", "decode", 10_000],
    [third.item.item_id, "completed", null, 14_000],
    [third.item.item_id, "completed", null, 20_000],
    [gone.item.item_id, "completed", null, 30_000],
  ]);
});

test("[POP20] an empty stage, a fallback and a screen of words end what was on the glass, and are no plays", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(({ black }) => [schedule(black.id, iso(t0 + 5_000), iso(t0 + 9_000))]);
  const rig = await Rig.start(folder.path, ready);
  await rig.runTo(t0 + 14_000);
  const zone_id = rig.zone().id;
  // Behind the glass the same zone of a coming stage fell back: what is on the glass stays.
  await rig.say({ type: "fallback", zone_id, stage: "coming", at: rig.clock.now() });
  rig.clock.advance(1_000);
  await rig.say({ type: "fallback", zone_id, stage: rig.stage.key, at: rig.clock.now() });
  rig.clock.advance(1_000);
  await rig.say({ type: "screen", is: "empty", code: null, at: rig.clock.now() });
  const events = await rig.stop(folder.path);
  expect(events.map(({ started_at, duration_ms }) => [Date.parse(started_at) - t0, duration_ms])).toEqual([
    [0, 5_000],
    [9_000, 1_000],
    [10_000, 5_000],
  ]);
});

test("[POP21] a page that is loaded anew and a player that was killed lose no cause; what an older player left open is still told", async () => {
  await using folder = await temporaryFolder();
  let due = "";
  const { ready, layouts } = content(({ other }) => {
    const only = schedule(other.id, iso(t0), null);
    due = only.id;
    return [only];
  }, null);
  const rig = await Rig.start(folder.path, ready);
  await rig.runTo(t0 + 4_000);
  await rig.say({ type: "beat", at: rig.clock.now(), frames: 60 });
  rig.clock.advance(1_000);
  await rig.say({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: t0 + 5_000 });
  const zone = rig.zone();
  await rig.presented(zone.id, zone.slots[0]!, rig.clock.now());
  // Killed here: nothing is stopped, nothing is closed.
  const fake = new FakeClock(t0 + 60_000);
  const next = await ProofOfPlay.open({
    folder: join(folder.path, "plays"),
    bootId: "next",
    clock: new CorrectedClock(fake),
    log: silentLog,
  });
  await next.stop();
  const events = await written(folder.path);
  expect(events.map(({ reason, layer, schedule_id, layout_id }) => [reason, layer, schedule_id, layout_id])).toEqual(
    ["page-lost", "page-lost", "interrupted"].map((reason) => [reason, "schedule", due, layouts.other.id]),
  );

  await using old = await temporaryFolder();
  const clock = new FakeClock(t0);
  const { playLog } = await PlayLog.open(old.path, clock, silentLog);
  const { of, ...open } = leftByOlder();
  await playLog.append([], { bootId: "old", clockOffsetMs: 0, clockErrorMs: null, open: [{ ...open, of } as never] });
  await playLog.close();
  const again = await PlayLog.open(old.path, clock, silentLog);
  expect(again.previousRun.snapshot.open).toMatchObject([
    { id: open.id, of: { layoutId: of.layoutId, scheduleId: null, overrideId: null } },
  ]);
  await again.playLog.close();
});

/** An open play as the versions before the causes wrote it. */
function leftByOlder() {
  const of = { layoutId: newId("lay"), zoneId: newId("zon"), itemId: newId("itm"), assetId: null, sha256: null, revision: "r" };
  return { id: newId("evt"), key: "z k", startsAt: t0, endsAt: t0 + 1_000, of, started: { at: t0, mono: 0 }, trouble: null };
}

test("[POP22] a service that does not know a field of an event gets the event without it", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(({ other }) => [schedule(other.id, iso(t0), null)]);
  const rig = await Rig.start(folder.path, ready);
  await rig.runTo(t0 + 30_000);
  const told = await rig.stop(folder.path);
  expect(told.length).toBeGreaterThan(3);
  const clock = new FakeClock(t0 + 60_000);
  const { playLog } = await PlayLog.open(join(folder.path, "plays"), clock, silentLog);
  const older = PlayEvent.omit({ layer: true, override_id: true });
  const kept: unknown[] = [];
  let broken = 1;
  const deliver = async (events: PlayEvent[]): Promise<PlayEventReceipt> => {
    const rejected: PlayEventReceipt["rejected"] = [];
    for (const [index, event] of events.entries()) {
      const parsed = older.safeParse(event);
      // One is wrong in itself: it is given up, and asked about once.
      if (parsed.success && event.id !== told[0]!.id) kept.push(parsed.data);
      else {
        const fields = Object.keys(event).filter((field) => field === "layer" || field === "override_id");
        if (fields.length === 0) broken -= 1;
        const pointers = fields.length === 0 ? ["/duration_ms"] : fields.map((field) => `/${field}`);
        rejected.push({ index, id: event.id, errors: pointers.map((pointer) => ({ pointer, detail: "unknown field" })) });
      }
    }
    return { accepted: events.length - rejected.length, duplicates: 0, rejected };
  };
  const end = new AbortController();
  const running = playLog.run(deliver, end.signal).catch((error: unknown) => {
    if (!isAbort(error)) throw error;
  });
  await expect.poll(() => kept, { timeout: 10_000 }).toHaveLength(told.length - 1);
  expect(kept).toEqual(told.slice(1).map(({ layer: _layer, override_id: _override, ...event }) => event));
  expect(broken).toBe(0);
  end.abort();
  await running;
  await playLog.close();
});
