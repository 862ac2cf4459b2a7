// Proof of play by cause: every play is counted for the layout, schedule, override and layer that caused it, through all changes.
import { join } from "node:path";
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import { ProofOfPlay } from "../../../src/player/proof/proof-of-play.ts";
import { PlayEvent } from "../../../src/protocol/device/play-events.ts";
import type { Slot } from "../../../src/protocol/scene.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";
import { schedule } from "../../schedule/schedules.ts";
import {
  t0,
  iso,
  blue,
  content,
  SimulatedPlayer,
  writtenEvents,
  causeOf,
  sums,
  expectSums,
  type ObservedSpan,
} from "./simulated-player.ts";

test("[POP15] a play names its layout, layer, schedule and override, with or without a default layout", async () => {
  for (const usual of ["usual", null] as const) {
    await using folder = await temporaryFolder();
    const ids = { schedule: "", interrupt: "" };
    const { ready, layouts } = content(({ other, usual: plain }) => {
      const due = schedule(other.id, iso(t0 + 60_000), iso(t0 + 120_000), { priority: 5 });
      const cut = schedule(plain.id, iso(t0 + 180_000), iso(t0 + 300_000), { priority: 6, interrupt: { share_percent: 50 } });
      Object.assign(ids, { schedule: due.id, interrupt: cut.id });
      return [due, cut];
    }, usual);
    const player = await SimulatedPlayer.start(folder.path, ready);
    await player.runTo(t0 + 310_000);
    const override = await player.command("override.set", { layout_id: layouts.other.id, duration_ms: 30_000 });
    await player.runTo(t0 + 350_000);
    const alone = await player.command("override.set", { asset_id: blue.id, level: "emergency" });
    await player.runTo(t0 + 370_000);
    const events = (await player.stop(folder.path)).filter(({ result }) => result !== "skipped");
    const brought = new Set(events.map((event) => `${event.layout_id} ${causeOf(event)}`));
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

test("[POP16] over half an hour of every kind of change, the sums by layer, schedule, override, zone and item are the time on the screen", async () => {
  await using folder = await temporaryFolder();
  const minute = 60_000;
  const { ready, layouts } = content(({ usual, other, black }) => [
    // Changes at the boundary of an item, during an item, to the same layout, twice in a row, to an empty layout, and by interrupts.
    schedule(other.id, iso(t0 + 2 * minute), iso(t0 + 4 * minute), { priority: 2 }),
    schedule(usual.id, iso(t0 + 4 * minute), iso(t0 + 6 * minute + 3_500), { priority: 2 }),
    schedule(usual.id, iso(t0 + 6 * minute + 3_500), iso(t0 + 8 * minute), { priority: 2 }),
    schedule(black.id, iso(t0 + 9 * minute), iso(t0 + 10 * minute), { priority: 3 }),
    schedule(other.id, iso(t0 + 12 * minute), iso(t0 + 16 * minute), { priority: 4, interrupt: { share_percent: 25 } }),
    schedule(usual.id, iso(t0 + 17 * minute), iso(t0 + 21 * minute), { priority: 4, interrupt: { share_percent: 25 } }),
  ]);
  const player = await SimulatedPlayer.start(folder.path, ready);
  await player.runTo(t0 + 22 * minute + 1_234, 11);
  await player.command("override.set", { layout_id: layouts.other.id });
  await player.runTo(t0 + 23 * minute + 777, 4);
  await player.command("override.set", { layout_id: layouts.other.id, duration_ms: 45_000 });
  await player.runTo(t0 + 25 * minute, 9);
  await player.command("skip");
  await player.runTo(t0 + 25 * minute + 4_321, 2);
  await player.command("override.clear");
  await player.runTo(t0 + 26 * minute + 2_000, 15);
  await player.command("pause", { duration_ms: 75_000 });
  await player.runTo(t0 + 28 * minute, 6);
  await player.command("override.set", { asset_id: blue.id });
  await player.runTo(t0 + 29 * minute, 1);
  await player.command("override.set", { asset_id: blue.id, level: "emergency", duration_ms: 20_000 });
  await player.runTo(t0 + 30 * minute, 14);
  const events = await player.stop(folder.path);
  expect(events.filter(({ result }) => result === "skipped" || result === "failed")).toEqual([]);
  const keys: [(event: PlayEvent) => string, (span: ObservedSpan) => string][] = [
    [causeOf, ({ by }) => by],
    [({ zone_id }) => zone_id, ({ zoneId }) => zoneId],
    [(event) => `${event.item_id} ${causeOf(event)}`, ({ itemId, by }) => `${itemId} ${by}`],
  ];
  for (const [reported, observed] of keys) {
    expectSums(
      sums(events, reported, ({ duration_ms }) => duration_ms),
      sums(player.observed, observed, ({ from, until }) => until - from),
      50,
    );
  }
  // No instant of a zone and no id occurs twice.
  for (const zoneId of new Set(events.map(({ zone_id }) => zone_id))) {
    const row = events.filter(({ zone_id }) => zone_id === zoneId);
    for (const [place, event] of row.slice(1).entries()) {
      expect(event.started_monotonic_ms).toBeGreaterThanOrEqual(row[place]!.ended_monotonic_ms);
    }
  }
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
});

test("[POP17] an item that stays while its cause changes is counted as two consecutive plays; an item that appears with the change is counted as one", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(({ usual }) => [
    schedule(usual.id, iso(t0 + 13_000), iso(t0 + 40_000), { name: "during an item" }),
    schedule(usual.id, iso(t0 + 40_000), iso(t0 + 60_000), { name: "with an item" }),
  ]);
  const player = await SimulatedPlayer.start(folder.path, ready);
  await player.runTo(t0 + 12_500);
  // The plan is late, as on a busy machine. The cause is decided by the start of the schedule.
  player.clock.advance(700);
  await player.runTo(t0 + 39_000);
  await player.plan();
  const [, next] = player.zone().slots;
  // The page has the slot at 40 s with its old cause, presents it one frame early, and reports it late.
  player.clock.advance(1_100);
  await player.plan();
  await player.reportPresented(player.zone().id, next!, t0 + 39_995);
  await player.runTo(t0 + 55_000);
  const events = await player.stop(folder.path);
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

test("[POP18] the last item of the old stage and the first of the new one each have their own cause, however late they are reported", async () => {
  await using folder = await temporaryFolder();
  const { ready, layouts } = content(({ other }) => [schedule(other.id, iso(t0 + 20_000), null)]);
  const player = await SimulatedPlayer.start(folder.path, ready);
  await player.runTo(t0 + 19_500);
  await player.plan();
  const old = player.stage;
  // A page that did not learn of the change in time continues in the old stage.
  const last = player.zone().slots[0]!;
  const oldNext = { ...last, key: `${last.key}+`, starts_at: t0 + 20_000, ends_at: t0 + 30_000, offset_ms: 0 };
  player.clock.advance(520);
  await player.plan();
  // At that instant the page continued in the old stage. Only then does it get the new one.
  await player.reportPresented(old.zones[0]!.id, oldNext, t0 + 20_000, old.key);
  player.clock.advance(300);
  await player.present();
  // Reported after the new stage appeared: the item appeared while its stage was fading out.
  await player.reportPresented(old.zones[0]!.id, { ...oldNext, key: `${oldNext.key}x` }, t0 + 20_330, old.key);
  await player.runTo(t0 + 25_000);
  const events = await player.stop(folder.path);
  const shape = events.map((event) => [event.layout_id, event.layer, Date.parse(event.started_at) - t0, event.duration_ms]);
  expect(shape).toEqual([
    [layouts.usual.id, "default", 0, 10_000],
    [layouts.usual.id, "default", 10_000, 10_000],
    [layouts.usual.id, "default", 20_000, 320],
    [layouts.other.id, "schedule", 20_320, 4_680],
    [layouts.other.id, "schedule", 20_320, 4_680],
  ]);
});

test("[POP19] every presented item has an event, even a replacement and an item whose plan no longer exists", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(() => []);
  const player = await SimulatedPlayer.start(folder.path, ready);
  await player.plan();
  await player.present();
  const [first, second, third] = player.zone().slots as [Slot, Slot, Slot];
  const zoneId = player.zone().id;
  const { item, cause, key } = second;
  await player.report({
    type: "failed",
    zone_id: zoneId,
    stage: player.stage.key,
    key,
    cause,
    item_id: item.item_id,
    asset_id: null,
    code: "decode",
    detail: "",
  });
  player.clock.advance(14_000);
  // The page does this if it can show none of the items in between.
  const replacement: Slot = { ...third, key: `${third.key}~${second.key}`, starts_at: t0 + 14_000, ends_at: second.ends_at };
  await player.reportPresented(zoneId, replacement, t0 + 14_000);
  player.clock.advance(6_000);
  await player.runTo(t0 + 25_000);
  const gone = player.zone().slots[1]!;
  player.clock.advance(3_600_000);
  await player.plan();
  // The page was disconnected for an hour and reports the plays of that hour.
  await player.reportPresented(zoneId, gone, t0 + 30_000);
  await player.present();
  const events = (await player.stop(folder.path)).filter(({ result }) => result !== "skipped");
  const shape = events.map(({ item_id, result, reason, started_at }) => [item_id, result, reason, Date.parse(started_at) - t0]);
  expect(shape.slice(0, 5)).toEqual([
    [first.item.item_id, "completed", null, 0],
    [second.item.item_id, "failed", "decode", 10_000],
    [third.item.item_id, "completed", null, 14_000],
    [third.item.item_id, "completed", null, 20_000],
    [gone.item.item_id, "completed", null, 30_000],
  ]);
});

test("[POP20] an empty stage, a fallback and a screen of text end the current plays and are not plays themselves", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(({ black }) => [schedule(black.id, iso(t0 + 5_000), iso(t0 + 9_000))]);
  const player = await SimulatedPlayer.start(folder.path, ready);
  await player.runTo(t0 + 14_000);
  const zone_id = player.zone().id;
  // The same zone of a hidden upcoming stage has nothing to show. The stage on the screen stays.
  await player.report({ type: "fallback", zone_id, stage: "coming", at: player.clock.now() });
  player.clock.advance(1_000);
  await player.report({ type: "fallback", zone_id, stage: player.stage.key, at: player.clock.now() });
  player.clock.advance(1_000);
  await player.report({ type: "screen", is: "empty", code: null, at: player.clock.now() });
  const events = await player.stop(folder.path);
  expect(events.map(({ started_at, duration_ms }) => [Date.parse(started_at) - t0, duration_ms])).toEqual([
    [0, 5_000],
    [9_000, 1_000],
    [10_000, 5_000],
  ]);
});

test("[POP21] a reload of the page or a kill of the player loses no cause; plays that an older version left open are still reported", async () => {
  await using folder = await temporaryFolder();
  let due = "";
  const { ready, layouts } = content(({ other }) => {
    const only = schedule(other.id, iso(t0), null);
    due = only.id;
    return [only];
  }, null);
  const player = await SimulatedPlayer.start(folder.path, ready);
  await player.runTo(t0 + 4_000);
  await player.report({ type: "beat", at: player.clock.now(), frames: 60 });
  player.clock.advance(1_000);
  await player.report({ type: "hello", viewport: { width: 1, height: 1, device_pixel_ratio: 1 }, opened_at: t0 + 5_000 });
  const zone = player.zone();
  await player.reportPresented(zone.id, zone.slots[0]!, player.clock.now());
  // The player is killed here: it neither stops nor closes anything.
  const fake = new FakeClock(t0 + 60_000);
  const next = await ProofOfPlay.open({
    folder: join(folder.path, "plays"),
    bootId: "next",
    clock: new CorrectedClock(fake),
    log: silentLog,
  });
  await next.stop();
  const events = await writtenEvents(folder.path);
  expect(events.map(({ reason, layer, schedule_id, layout_id }) => [reason, layer, schedule_id, layout_id])).toEqual(
    ["page-lost", "page-lost", "interrupted"].map((reason) => [reason, "schedule", due, layouts.other.id]),
  );

  await using old = await temporaryFolder();
  const clock = new FakeClock(t0);
  const { playLog } = await PlayLog.open(old.path, clock, silentLog);
  const { of, ...open } = openPlayOfOlderVersion();
  await playLog.append([], { bootId: "old", clockOffsetMs: 0, clockErrorMs: null, open: [{ ...open, of } as never] });
  await playLog.close();
  const again = await PlayLog.open(old.path, clock, silentLog);
  expect(again.previousRun.snapshot.open).toMatchObject([
    { id: open.id, of: { layoutId: of.layoutId, scheduleId: null, overrideId: null } },
  ]);
  await again.playLog.close();
});

/** An open play as written by versions without causes. */
function openPlayOfOlderVersion() {
  const of = { layoutId: newId("lay"), zoneId: newId("zon"), itemId: newId("itm"), assetId: null, sha256: null, revision: "r" };
  return { id: newId("evt"), key: "z k", startsAt: t0, endsAt: t0 + 1_000, of, started: { at: t0, mono: 0 }, trouble: null };
}
