// Loops that begin with their window: with the first item, for every kind of window, and the same on every player.
import { expect, test } from "vitest";
import { forecast } from "../../../src/schedule/forecast.ts";
import { playAt } from "../../../src/schedule/timeline.ts";
import { programAt } from "../../../src/schedule/program.ts";
import type { PlayerContext } from "../../../src/schedule/playable-content.ts";
import type { ReadyState } from "../../../src/player/content/ready-content.ts";
import type { Intervention } from "../../../src/schedule/interventions.ts";
import type { DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../../support/states.ts";
import { layout, schedule } from "../schedules.ts";

const assets = ["first", "second", "third"].map((name) => assetOf(Buffer.from(name)));
// A length that does not divide an hour or a day.
const lengthMs = 7_001;

function withLoop(schedules: (windowed: DesiredLayout) => Record<string, unknown>[], timezone = "Europe/Berlin"): ReadyState {
  const desired = desiredOf(
    assets.map((asset) => imageItem(asset, lengthMs)),
    assets,
  );
  const windowed = { ...desired.layout!, id: newId("lay") };
  const player = { ...desired.player, timezone };
  return readyOf({ ...desired, player, layout: layout(), layouts: [windowed, ...more], schedules: schedules(windowed) });
}
const interrupting = layout();
const more = [interrupting];

/** How far into its loop the layout is, in ms; null if it does not play. */
function positionInLoop(ready: ReadyState, instant: number, context?: PlayerContext): number | null {
  const { program } = programAt(ready, instant, context);
  const timeline = program.zones[0]?.timeline;
  if (timeline === undefined) return null;
  const play = playAt(timeline, instant)!;
  return assets.findIndex(({ id }) => id === play.timedItem.asset?.id) * lengthMs + instant - play.startsAt;
}

const at = (text: string): number => Date.parse(text);

test.each([
  ["once", "2026-03-10T08:00", "2026-03-10T12:00", {}, ["2026-03-10T07:00:00Z"]],
  [
    "daily across the spring change",
    "2026-03-27T08:00",
    "2026-03-27T12:00",
    { rrule: "FREQ=DAILY" },
    ["2026-03-28T07:00:00Z", "2026-03-29T06:00:00Z", "2026-03-30T06:00:00Z"],
  ],
  [
    "daily across the autumn change",
    "2026-10-23T01:30",
    "2026-10-23T05:00",
    { rrule: "FREQ=DAILY" },
    ["2026-10-23T23:30:00Z", "2026-10-24T23:30:00Z", "2026-10-26T00:30:00Z"],
  ],
  [
    "in the hour that the spring change skips",
    "2026-03-28T02:30",
    "2026-03-28T05:00",
    { rrule: "FREQ=DAILY" },
    ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z"],
  ],
  [
    "past midnight",
    "2026-03-13T22:00",
    "2026-03-14T02:00",
    { rrule: "FREQ=WEEKLY;BYDAY=FR" },
    ["2026-03-13T21:00:00Z", "2026-03-20T21:00:00Z"],
  ],
  [
    "cut by a daypart",
    "2026-03-02T00:00",
    "2026-03-30T00:00",
    { conditions: [{ type: "daypart", from: "11:00", until: "14:00" }] },
    ["2026-03-02T10:00:00Z", "2026-03-29T09:00:00Z"],
  ],
  [
    "yearly by an instant",
    "2026-01-05T06:00:00Z",
    "2026-01-05T08:00:00Z",
    { rrule: "FREQ=YEARLY" },
    ["2026-01-05T06:00:00Z", "2027-01-05T06:00:00Z"],
  ],
] as const)("[BND11] a loop that begins with its window begins with its first item: %s", (_name, starts_at, ends_at, about, begins) => {
  const ready = withLoop((windowed) => [schedule(windowed.id, starts_at, ends_at, { ...about, loop_from: "window" })]);
  for (const begin of begins) {
    expect(positionInLoop(ready, at(begin) - 1)).toBeNull();
    expect(positionInLoop(ready, at(begin))).toBe(0);
    // A player that starts later, or computes instants in another order, is at the same position.
    for (const laterMs of [1, 3_500_000, 5_400_000, 1_234_567]) {
      expect(positionInLoop(ready, at(begin) + laterMs)).toBe(laterMs % (3 * lengthMs));
      expect(positionInLoop(readyOf(ready.desired), at(begin) + laterMs)).toBe(laterMs % (3 * lengthMs));
    }
  }
});

test("[BND11] without loop_from: window a loop counts from the epoch, whenever its window begins", () => {
  const windows = (about: Record<string, unknown>) =>
    withLoop((windowed) => [schedule(windowed.id, "2026-03-10T08:00", "2026-03-10T12:00", about)]);
  const begin = at("2026-03-10T07:00:00Z");
  expect(positionInLoop(windows({}), begin)).toBe((begin - Date.UTC(2024, 0, 1)) % (3 * lengthMs));
  expect(positionInLoop(windows({ loop_from: "epoch" }), begin)).toBe(positionInLoop(windows({}), begin));
  expect(positionInLoop(windows({ sync_epoch: "2026-03-10T06:59:59.000Z" }), begin)).toBe(1_000);
});

test("[BND12] windows that touch or overlap each restart the loop, and the forecast says from when it counts", () => {
  const touching = withLoop((windowed) => [
    schedule(windowed.id, "2026-03-10T00:00", "2026-03-11T00:00", { rrule: "FREQ=DAILY", loop_from: "window" }),
  ]);
  const overlapping = withLoop((windowed) => [
    schedule(windowed.id, "2026-03-10T00:00", "2026-03-12T06:00", { rrule: "FREQ=DAILY", loop_from: "window" }),
  ]);
  // The agenda plans day by day: windows may touch exactly at midnight UTC.
  const utc = readyOf({ ...touching.desired, player: { ...touching.desired.player, timezone: "UTC" } });
  for (const [ready, hour] of [
    [touching, 23],
    [overlapping, 23],
    [utc, 24],
  ] as const) {
    // prettier-ignore
    const begins = [10, 11, 12].map((day) => Date.UTC(2026, 2, day, hour));
    for (const begin of begins) {
      expect(positionInLoop(ready, begin)).toBe(0);
      expect(programAt(ready, begin - 60_000).changesAt).toBe(begin);
      expect(positionInLoop(ready, begin - 1)).toBe((86_400_000 - 1) % (3 * lengthMs));
    }
    const intervals = [...forecast(ready, begins[0]!, begins[2]! + 1)];
    expect(intervals.map(({ from, loopsFrom }) => [from, loopsFrom])).toEqual(begins.map((begin) => [begin, begin]));
  }
});

test("[BND12] content that interrupts a window does not restart its loop; interrupts and overrides begin with their own first item", () => {
  const interrupt = { interrupt: { share_percent: 25, play_ms: 60_000 } };
  const ready = withLoop((windowed) => [
    schedule(windowed.id, "2026-03-10T08:00", "2026-03-10T12:00", { loop_from: "window" }),
    schedule(interrupting.id, "2026-03-10T08:30", "2026-03-10T09:00", { priority: 5 }),
    schedule(windowed.id, "2026-03-10T09:00", "2026-03-10T10:00", { ...interrupt, loop_from: "window" }),
  ]);
  const begin = at("2026-03-10T07:00:00Z");
  expect(positionInLoop(ready, begin + 45 * 60_000)).toBeNull();
  expect(positionInLoop(ready, begin + 60 * 60_000 - 1)).toBeNull();
  let turns = 0;
  for (let instant = begin + 60 * 60_000; instant < begin + 120 * 60_000;) {
    const { changesAt } = programAt(ready, instant);
    const isTurn = changesAt - instant === 60_000;
    if (isTurn) turns += 1;
    expect(positionInLoop(ready, instant)).toBe(isTurn ? 0 : (instant - begin) % (3 * lengthMs));
    instant = changesAt;
  }
  expect(turns).toBe(15);
  const since = begin + 150 * 60_000;
  const layoutId = ready.desired.layouts[0]!.id;
  const override: Intervention = { id: newId("cmd"), is: "override", at: since + 214, loopsFrom: since, until: since + 60_000, level: "normal", show: { layoutId } }; // prettier-ignore
  const overridden = { interventions: [override], deviceTimeZone: "UTC" };
  expect(positionInLoop(ready, since + 1_000, overridden)).toBe(1_000);
  expect(positionInLoop(ready, since + 60_000, overridden)).toBe((since + 60_000 - begin) % (3 * lengthMs));
});
