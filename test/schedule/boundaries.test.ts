// Changes of program: the plays that the page is sent in advance do not depend on when the player computes them.
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import type { ReadyState } from "../../src/player/content/ready-content.ts";
import { InterventionStore } from "../../src/player/playback/intervention-store.ts";
import { upcomingLeadMs, pagePlanAt, type PagePlan } from "../../src/playback/page-plan.ts";
import { ScheduleFollower } from "../../src/player/playback/schedule-follower.ts";
import { step } from "../../src/player/proof/play-state.ts";
import { initialPlayState, type FinishedPlay, type PlannedPlay, type PlayInput } from "../../src/player/proof/play-types.ts";
import { loopEpochMs, type DesiredLayout } from "../../src/protocol/device/desired-state.ts";
import type { PlayCommand } from "../../src/protocol/device/play-commands.ts";
import type { Slot, Stage } from "../../src/protocol/scene.ts";
import { schedule } from "./schedules.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../support/states.ts";

const assets = ["red", "green", "blue", "teal", "amber"].map((name) => assetOf(Buffer.from(name)));
const [red, green, blue, teal, amber] = assets as [(typeof assets)[0], (typeof assets)[0], (typeof assets)[0], (typeof assets)[0], (typeof assets)[0]]; // prettier-ignore
const t0 = loopEpochMs + 86_400_000_000;
const iso = (at: number): string => new Date(at).toISOString();

/** A default layout with red and green and another with blue, teal and amber, ten seconds each, and schedules of the other. */
function stateOf(
  schedules: (other: DesiredLayout, own: DesiredLayout) => Record<string, unknown>[],
  more: { default?: boolean } = {},
): ReadyState {
  const desired = desiredOf([imageItem(red, 10_000), imageItem(green, 10_000)], assets);
  const playlist = { id: newId("pls"), items: [imageItem(blue, 10_000), imageItem(teal, 10_000), imageItem(amber, 10_000)] };
  const own = desired.layout!;
  const other = { ...own, id: newId("lay"), zones: [{ ...own.zones[0]!, id: newId("zon"), playlist_id: playlist.id }] };
  const layout = more.default === false ? null : own;
  const layouts = more.default === false ? [own, other] : [other];
  return readyOf({ ...desired, layout, layouts, schedules: schedules(other, own), playlists: [...desired.playlists, playlist] });
}

/** The other layout plays every second ten seconds, from `t0 + 10 s` on. */
const alternating = stateOf((other) =>
  Array.from({ length: 30 }, (_, turn) => {
    const from = t0 + 10_000 + turn * 20_000;
    return schedule(other.id, iso(from), iso(from + 10_000));
  }),
);

/** Windows that end in the middle of items: at 13 s, 26 s and so on. */
const midItem = stateOf((other) =>
  Array.from({ length: 20 }, (_, turn) => {
    const from = t0 + 13_000 + turn * 26_000;
    return schedule(other.id, iso(from), iso(from + 13_000));
  }),
);

async function playerOf(folder: string, at: number) {
  const clock = new FakeClock(at);
  const follower = new ScheduleFollower(await InterventionStore.open(folder, silentLog), clock, silentLog, "UTC");
  return {
    clock,
    outlook(ready: ReadyState, instant: number): PagePlan {
      clock.advance(instant - clock.now());
      return pagePlanAt(follower.follow(ready, instant), instant, "UTC");
    },
    send(type: PlayCommand["type"], args: object, madeAt?: number) {
      return follower.apply({ type, args, id: newId("cmd"), ttl_s: 600, madeAt } as Parameters<ScheduleFollower["apply"]>[0]);
    },
  };
}

function slotsOf(stage: Stage | null): readonly Slot[] {
  return stage?.zones[0]?.slots ?? [];
}

const spans = (slots: readonly Slot[]) => slots.map(({ item, starts_at, ends_at }) => [item.asset_id, starts_at, ends_at]);

test("[BND1] no play sent to the page extends beyond a change of program, the last is cut there, and none has a length of zero", async () => {
  await using folder = await temporaryFolder();
  for (const [name, ready, lengthMs] of [
    ["even", alternating, 10_000],
    ["midItem", midItem, 13_000],
  ] as const) {
    // prettier-ignore
    const player = await playerOf(join(folder.path, name), t0);
    let cuts = 0;
    for (let instant = t0; instant < t0 + 400_000; instant += 487) {
      const { stage, upcoming } = player.outlook(ready, instant);
      const change = t0 + Math.floor((instant - t0) / lengthMs + 1) * lengthMs;
      const slots = slotsOf(stage);
      for (const { starts_at, ends_at } of slots) {
        expect(ends_at).toBeGreaterThan(starts_at);
        expect(ends_at).toBeLessThanOrEqual(change);
      }
      for (const [index, slot] of slots.slice(1).entries()) expect(slot.starts_at).toBe(slots[index]!.ends_at);
      if (slots.at(-1)!.ends_at === change && slots.at(-1)!.whole_ends_at !== undefined) cuts += 1;
      if (change - instant <= upcomingLeadMs) expect(upcoming[0]?.at).toBe(change);
    }
    // In even windows each item ends exactly when the program changes.
    if (name === "even") expect(cuts).toBe(0);
    else expect(cuts).toBeGreaterThan(100);
  }
});

test("[BND2] the next stage is sent ahead with its instant and is then due; its plays begin there, in the middle of an item if necessary", async () => {
  await using folder = await temporaryFolder();
  const ready = stateOf((other) => [schedule(other.id, iso(t0 + 23_000), iso(t0 + 60_000))]);
  const player = await playerOf(folder.path, t0);
  expect(player.outlook(ready, t0)).toMatchObject({ upcoming: [], changesAt: t0 + 23_000 - upcomingLeadMs });
  const before = player.outlook(ready, t0 + 23_000 - upcomingLeadMs);
  expect(before.upcoming[0]?.at).toBe(t0 + 23_000);
  expect(before.stage!.until).toBe(t0 + 23_000);
  const [first, second] = slotsOf(before.upcoming[0]!.stage);
  expect(first).toMatchObject({ starts_at: t0 + 23_000, ends_at: t0 + 30_000 });
  expect((first!.starts_at - first!.offset_ms - loopEpochMs) % 10_000).toBe(0);
  expect(second!.starts_at).toBe(t0 + 30_000);
  const due = player.outlook(ready, t0 + 23_000);
  expect(due.stage!.key).toBe(before.upcoming[0]!.stage.key);
  expect(slotsOf(due.stage)[0]).toEqual(first);
  // Then, until its end, the return of the player's own layout is sent ahead.
  expect(player.outlook(ready, t0 + 50_000).upcoming).toMatchObject([{ at: t0 + 60_000, stage: { key: before.stage!.key } }]);
});

test("[BND2] a screen without a layout is not sent ahead; the stage after it is", async () => {
  await using folder = await temporaryFolder();
  const ready = stateOf((other) => [schedule(other.id, iso(t0 + 10_000), iso(t0 + 20_000))], { default: false });
  const player = await playerOf(folder.path, t0);
  expect(player.outlook(ready, t0)).toMatchObject({ stage: null, upcoming: [{ at: t0 + 10_000 }] });
  const last = player.outlook(ready, t0 + 12_000);
  expect(last).toMatchObject({ stage: { until: t0 + 20_000 }, upcoming: [], changesAt: t0 + 20_000 });
  expect(slotsOf(last.stage).at(-1)!.ends_at).toBe(t0 + 20_000);
  expect(player.outlook(ready, t0 + 20_000)).toMatchObject({ stage: null, upcoming: [] });
});

test("[BND15] a very short stage and the one after it are both sent ahead; a longer one leaves time for the next", async () => {
  await using folder = await temporaryFolder();
  // Between two windows of the other layout the player's own layout plays for six milliseconds.
  const brief = stateOf((other) => [
    schedule(other.id, iso(t0), iso(t0 + 20_000)),
    schedule(other.id, iso(t0 + 20_006), iso(t0 + 40_000)),
    schedule(other.id, iso(t0 + 20_006 + 19_000), iso(t0 + 60_000)),
  ]);
  const player = await playerOf(folder.path, t0);
  const { stage, upcoming } = player.outlook(brief, t0 + 10_000);
  expect(upcoming.map(({ at }) => at)).toEqual([t0 + 20_000, t0 + 20_006]);
  expect(upcoming[0]!.stage.until).toBe(t0 + 20_006);
  expect(upcoming[1]!.stage.key).toBe(stage!.key);
  expect(slotsOf(upcoming[1]!.stage)[0]!.starts_at).toBe(t0 + 20_006);
  const during = player.outlook(brief, t0 + 20_002);
  expect(during.upcoming).toMatchObject([{ at: t0 + 20_006, stage: { key: stage!.key } }]);
  // Two changes ten seconds apart are both within the lead time, but the page prepares only one.
  const lasting = await playerOf(join(folder.path, "lasting"), t0);
  expect(lasting.outlook(alternating, t0 + 6_000).upcoming.map(({ at }) => at)).toEqual([t0 + 10_000]);
});

test("[BND3] if the geometry stays, the next plays belong to the same stage; an item that stays unchanged in the same loop continues", async () => {
  await using folder = await temporaryFolder();
  // The same layout by a schedule whose loop restarts, in the middle of an item.
  const restarting = stateOf((_, own) => [schedule(own.id, iso(t0 + 7_000), iso(t0 + 60_000), { loop_from: "window" })]);
  const player = await playerOf(join(folder.path, "restarting"), t0);
  const { stage, upcoming } = player.outlook(restarting, t0 + 1_000);
  expect(upcoming).toEqual([]);
  expect(spans(slotsOf(stage)).slice(0, 3)).toEqual([
    [slotsOf(stage)[0]!.item.asset_id, t0, t0 + 7_000],
    [red.id, t0 + 7_000, t0 + 17_000],
    [green.id, t0 + 17_000, t0 + 27_000],
  ]);
  expect(spans(slotsOf(player.outlook(restarting, t0 + 7_000).stage)).slice(0, 2)).toEqual(spans(slotsOf(stage)).slice(1, 3));
  // Another item becomes valid: the item on screen plays to its end first.
  const valid = stateOf(() => []);
  const items = valid.desired.playlists[0]!.items;
  items.push({ ...imageItem(blue, 10_000), valid_from: iso(t0 + 7_000) });
  const second = await playerOf(join(folder.path, "valid"), t0);
  const plays = slotsOf(second.outlook(valid, t0 + 1_000).stage);
  expect(plays[0]).toMatchObject({ starts_at: t0, ends_at: t0 + 10_000 });
  expect(plays[0]!.whole_ends_at).toBeUndefined();
  expect(plays[1]!.starts_at).toBe(t0 + 10_000);
  for (const instant of [t0 + 7_000, t0 + 8_000]) expect(slotsOf(second.outlook(valid, instant).stage)[0]).toEqual(plays[0]);
});

test("[BND4] a player that computes its program late or repeatedly plays the same as one that computes it on time", async () => {
  await using folder = await temporaryFolder();
  // In the second state plays begin in the middle of an item when a window begins; computed late, they still have that start.
  for (const [name, ready] of Object.entries({ alternating, midItem })) {
    const prompt = await playerOf(join(folder.path, `${name}-prompt`), t0);
    for (let instant = t0; instant < t0 + 200_000; instant += 250) prompt.outlook(ready, instant);
    const late = await playerOf(join(folder.path, `${name}-late`), t0);
    late.outlook(ready, t0 + 3_000);
    for (const instant of [t0 + 203_000, t0 + 209_000, t0 + 247_777, t0 + 263_000]) {
      const wanted = prompt.outlook(ready, instant);
      expect(late.outlook(ready, instant)).toEqual(wanted);
      expect(wanted.stage).not.toBeNull();
    }
  }
  const prompt = await playerOf(join(folder.path, "prompt"), t0 + 3_000);
  for (let instant = t0 + 3_000; instant < t0 + 595_000; instant += 5_000) prompt.outlook(alternating, instant);
  const asleep = await playerOf(join(folder.path, "asleep"), t0);
  asleep.outlook(alternating, t0 + 3_000);
  // A longer gap than it processes change by change.
  const [one, other] = [asleep.outlook(alternating, t0 + 595_000), prompt.outlook(alternating, t0 + 595_000)];
  expect(spans(slotsOf(one.stage)).at(-1)).toEqual(spans(slotsOf(other.stage)).at(-1));
  // Its clock is set back: the same changes are upcoming again.
  const back = prompt.outlook(alternating, t0 + 495_000);
  expect(back.upcoming).toMatchObject([{ at: t0 + 500_000, stage: { key: expect.any(String) } }]);
});

test("[BND4] an override or a new state changes the upcoming stage at once; the end of an override is sent ahead", async () => {
  await using folder = await temporaryFolder();
  const player = await playerOf(folder.path, t0);
  const [own, other] = [alternating.desired.layout!, alternating.desired.layouts[0]!];
  const before = player.outlook(alternating, t0 + 1_000);
  expect(before.upcoming[0]?.at).toBe(t0 + 10_000);
  await player.send("override.set", { layout_id: own.id, duration_ms: 12_000, level: "normal" });
  const during = player.outlook(alternating, t0 + 1_000);
  // The override lasts across the boundary at ten seconds until thirteen, when the other layout is due.
  expect(during).toMatchObject({
    stage: { until: t0 + 13_000 },
    upcoming: [{ at: t0 + 13_000, stage: { key: before.upcoming[0]!.stage.key } }],
  });
  expect(slotsOf(during.upcoming[0]!.stage)[0]).toMatchObject({ starts_at: t0 + 13_000, ends_at: t0 + 20_000 });
  await player.send("override.clear", {});
  expect(player.outlook(alternating, t0 + 1_001).upcoming[0]?.at).toBe(t0 + 10_000);
  const without = readyOf({ ...alternating.desired, revision: "r2", schedules: [] });
  expect(player.outlook(without, t0 + 1_002).upcoming).toEqual([]);
  expect(other.id).not.toBe(own.id);
});

test("[BND9] items of an upcoming stage that the page shows before its player knows that the stage is due count as played; items that it only prepares do not", () => {
  const at = (seconds: number) => ({ at: seconds * 1_000, mono: seconds * 1_000 });
  const cause = { layer: "schedule", scheduleId: newId("sch"), overrideId: null } as const;
  const play = (stage: string, key: string, from: number, until: number): PlannedPlay => {
    const about = { layoutId: newId("lay"), itemId: newId("itm"), assetId: null, sha256: null, revision: "r" };
    return { key, stage, startsAt: from * 1_000, endsAt: until * 1_000, of: { ...cause, ...about, zoneId: newId("zon") } };
  };
  const [first, second, third] = [play("one", "a", 0, 20), play("two", "b", 10, 20), play("two", "c", 10, 20)];
  const done = (steps: PlayInput[]): string[] => {
    let plays = initialPlayState;
    const all: FinishedPlay[] = [];
    for (const each of steps) {
      const next = step(plays, each, () => newId("evt"));
      plays = next.plays;
      all.push(...next.done);
    }
    return [...all.map(({ result, started, ended }) => `${result} ${started.at / 1_000}-${ended.at / 1_000}`), `${plays.open.size} open`];
  };
  const planned = (seconds: number, since: number, ...plays: PlannedPlay[]): PlayInput => {
    const zones = plays.map((each) => ({ id: each.of.zoneId, plays: [each] }));
    return { is: "planned", now: at(seconds), since: at(since), stage: plays[0]!.stage, zones };
  };
  const turnTo = (seconds: number, ...plays: PlannedPlay[]): PlayInput[] => [
    { is: "stage", key: plays[0]!.stage, showing: plays, at: at(seconds) },
    ...plays.map((each): PlayInput => ({ is: "presented", play: each, at: at(seconds) })),
  ];
  const begin: PlayInput[] = [{ is: "page", openedAt: 1 }, planned(0, 0, first), ...turnTo(0, first)];
  // The page presents a moment before the player's own timer fires.
  expect(done([...begin, ...turnTo(9.99, second, third), planned(10.01, 10, second, third)])).toEqual(["cut 0-9.99", "2 open"]);
  // Cancelled: it was never on screen.
  expect(done([...begin, planned(5, 5, first), planned(15, 5, first)])).toEqual(["1 open"]);
});

test("[BND10] the loop of an override counts from the instant in its command on all players, or from its receipt if it has none", async () => {
  await using folder = await temporaryFolder();
  const other = alternating.desired.layouts[0]!;
  const place = async (name: string, receivedAt: number, madeAt?: number, duration_ms?: number) => {
    const player = await playerOf(join(folder.path, name), receivedAt);
    player.outlook(alternating, receivedAt);
    await player.send("override.set", { layout_id: other.id, level: "normal", ...(duration_ms === undefined ? {} : { duration_ms }) }, madeAt); // prettier-ignore
    return player;
  };
  const madeAt = t0 + 4_321;
  const [near, far, old] = [
    await place("near", t0 + 4_400, madeAt),
    await place("far", t0 + 4_614, madeAt),
    await place("old", t0 + 4_614),
  ];
  const at = t0 + 50_000;
  const last = (player: typeof near) => spans(slotsOf(player.outlook(alternating, at).stage));
  expect(last(far)).toEqual(last(near));
  expect(last(near)[0]).toEqual([teal.id, madeAt + 40_000, madeAt + 50_000]);
  expect(last(old)[0]![1]).toBe(t0 + 4_614 + 40_000);
  // After a restart it is the same.
  const again = await playerOf(join(folder.path, "far"), at);
  expect(last(again)).toEqual(last(near));
});

test("[BND10] all players that receive an override in time end it together; a player that was away shows it for its whole duration", async () => {
  await using folder = await temporaryFolder();
  const other = alternating.desired.layouts[0]!;
  const madeAt = t0 + 1_000;
  for (const [name, receivedAt, until] of [
    ["near", t0 + 1_080, t0 + 7_000],
    ["far", t0 + 1_300, t0 + 7_000],
    ["away", t0 + 30_000, t0 + 36_000],
  ] as const) {
    // prettier-ignore
    const player = await playerOf(join(folder.path, name), receivedAt);
    player.outlook(alternating, receivedAt);
    const answer = await player.send("override.set", { layout_id: other.id, level: "normal", duration_ms: 6_000 }, madeAt);
    expect(answer).toMatchObject({ until: iso(until) });
  }
});
