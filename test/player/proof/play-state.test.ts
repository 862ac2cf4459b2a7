// The state machine of proof of play: which plays start and end, and with which result.
import { expect, test } from "vitest";
import { step } from "../../../src/player/proof/play-state.ts";
import {
  initialPlayState,
  type FinishedPlay,
  type PlannedPlay,
  type PlayInput,
  type PlayState,
} from "../../../src/player/proof/play-types.ts";
import { newId } from "../../support/states.ts";

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

/** The plays that these inputs finish, in a short form. */
function run(inputs: readonly PlayInput[]): string[] {
  let plays: PlayState = initialPlayState;
  let count = 0;
  const done: FinishedPlay[] = [];
  for (const each of inputs) {
    const next = step(plays, each, () => `evt_${count++}`);
    plays = next.plays;
    done.push(...next.done);
  }
  return done.map(
    ({ result, reason, started, ended }) => `${result}${reason === null ? "" : ` ${reason}`} ${started.at / 1_000}-${ended.at / 1_000}`,
  );
}

test("[POP8] a play lasts from its first frame to the first frame of the next; it is completed if it was whole, else cut, with the reason", () => {
  const [a, b, c] = [due("a", 0, 10), due("b", 10, 20), due("c", 20, 30)];
  const plan = planned(0, [a, b, c]);
  const page: PlayInput = { is: "page", openedAt: 1 };
  expect(run([page, plan, presented(a, 0.01), presented(b, 10.01), presented(c, 20.01)])).toEqual([
    "completed 0.01-10.01",
    "completed 10.01-20.01",
  ]);
  expect(run([page, plan, presented(a, 4), presented(b, 10)])).toEqual(["cut began-late 4-10"]);
  // A new revision removes the item at once.
  expect(run([page, plan, presented(a, 0), planned(4, [c]), presented(c, 4.1)])).toEqual(["cut ended-early 0-4.1"]);
  // Another page connects: the plays of the one before end at its last frame.
  const frame: PlayInput = { is: "frame", at: at(3) };
  expect(run([page, plan, presented(a, 0), frame, { is: "page", openedAt: 2 }, presented(a, 6), presented(b, 10)])).toEqual([
    "cut page-lost 0-3",
    "cut began-late 6-10",
  ]);
  // The same page reconnects: it kept playing.
  expect(run([page, plan, presented(a, 0), frame, page, presented(b, 10)])).toEqual(["completed 0-10"]);
  expect(run([page, plan, presented(a, 0), { is: "stopped", now: at(5) }])).toEqual(["cut stopped 0-5"]);
  expect(run([page, plan, presented(a, 0), { is: "screen", at: at(5) }])).toEqual(["cut ended-early 0-5"]);
  expect(run([page, plan, presented(a, 0), planned(5, [])])).toEqual(["cut ended-early 0-5"]);
});

test("[POP9] an item that cannot be shown is reported as failed and a play without frames as skipped; the previous item stays on the screen", () => {
  const [a, b, c] = [due("a", 0, 10), due("b", 10, 20), due("c", 20, 30)];
  const plan = planned(0, [a, b, c]);
  const frame = (seconds: number): PlayInput => ({ is: "frame", at: at(seconds) });
  const failed = (about: PlannedPlay): PlayInput => ({ is: "failed", play: about, code: "decode", at: null, now: at(2) });
  expect(run([plan, presented(a, 0), failed(b), presented(c, 20)])).toEqual(["failed decode 10-10", "completed 0-20"]);
  expect(run([plan, presented(a, 0), failed(a), failed(a), presented(b, 10)])).toEqual(["failed decode 0-10"]);
  expect(run([plan, presented(a, 0), frame(19), planned(21, [c]), planned(24, [c])])).toEqual(["skipped not-ready 10-10"]);
  expect(run([plan, planned(10, [b, c]), planned(20, [c]), planned(30, [])])).toEqual(["skipped no-page 0-0", "skipped no-page 10-10"]);
  // Replaced before its start, or during it without a frame: it was not due any more.
  expect(run([plan, presented(a, 0), planned(5, [a, c]), planned(15, [c]), planned(40, [])])).toEqual([
    "skipped no-page 20-20",
    "completed 0-40",
  ]);
});

test("[REM10] a play that crashes on screen fails and ends at that moment; a play whose zone can show nothing ends with the fallback", () => {
  const [a, b] = [due("a", 0, 10), due("b", 10, 20)];
  const plan = planned(0, [a, b]);
  const died = (seconds: number): PlayInput => ({ is: "failed", play: a, code: "crashed", at: at(seconds), now: at(seconds) });
  expect(run([plan, presented(a, 0), died(4), presented(b, 10), planned(24, [])])).toEqual(["failed crashed 0-4", "completed 10-24"]);
  // After a restart it is another play of the same slot.
  expect(run([plan, presented(a, 0), died(4), presented(a, 5), presented(b, 10)])).toEqual(["failed crashed 0-4", "cut began-late 5-10"]);
  const cleared: PlayInput = { is: "fallback", stage: a.stage, zoneId, at: at(6) };
  expect(run([plan, presented(a, 0), planned(3, [b]), cleared, presented(b, 10)])).toEqual(["cut ended-early 0-6"]);
});

test("[POP10] the plays of a layout end with the first frame of the next layout, in every zone", () => {
  const [one, other, third] = [newId("zon"), newId("zon"), newId("zon")];
  const plays = [due("a", 0, 100, one), due("b", 0, 100, other)];
  const steps: PlayInput[] = [
    { is: "planned", now: at(0), since: at(0), stage: "s", zones: plays.map((each) => ({ id: each.of.zoneId, plays: [each] })) },
    ...plays.map((each) => presented(each, 0)),
  ];
  const next = due("n", 10, 20, third, "t");
  const cut = ["cut ended-early 0-12", "cut ended-early 0-12"];
  expect(run([...steps, planned(10, [next], third, "t"), presented(next, 12)])).toEqual(cut);
  // The same if the next layout has no item.
  expect(run([...steps, planned(10, [], third, "t"), { is: "stage", key: "t", showing: [], at: at(12) }])).toEqual(cut);
});

test("[POP17] an item that appears up to 50 ms before its cause changes belongs to the new cause; one that appears earlier is counted for both", () => {
  const a = due("a", 0, 10);
  const other = { ...a, of: { ...a.of, scheduleId: newId("sch"), layer: "schedule" as const } };
  const inputs = (appearsAt: number): PlayInput[] => [
    planned(0, [a]),
    presented(a, appearsAt),
    planned(5, [other]),
    { is: "stopped", now: at(8) },
  ];
  expect(run(inputs(4.98))).toEqual(["cut stopped 4.98-8"]);
  expect(run(inputs(4.9))).toEqual(["cut cause-changed 4.9-5", "cut stopped 5-8"]);
});

test("[DHR19] plays while the display is off on purpose are not shown; one that it cuts off ends then, and nothing further is reported of it", () => {
  const [a, b, c, d] = [due("a", 0, 10), due("b", 10, 20), due("c", 20, 30), due("d", 30, 40)];
  const plan = planned(0, [a, b, c, d]);
  const display = (isOff: boolean, seconds: number): PlayInput => ({ is: "display", isOff, at: at(seconds) });
  const shown = [presented(b, 10), presented(c, 20), presented(d, 30)];
  expect(run([plan, presented(a, 0), display(true, 4), ...shown])).toEqual([
    "cut display_off 0-4",
    "not_shown display_off 10-10",
    "not_shown display_off 20-20",
  ]);
  // Switched on in the middle of a play: the rest of it is shown.
  expect(
    run([plan, presented(a, 0), display(true, 4), ...shown.slice(0, 2), display(false, 26), presented(d, 30), planned(40, [])]),
  ).toEqual(["cut display_off 0-4", "not_shown display_off 10-10", "cut began-late 26-30", "completed 30-40"]);
  // Off and on again within one play.
  expect(run([plan, presented(a, 0), display(true, 4), display(true, 5), display(false, 7), presented(b, 10)])).toEqual([
    "cut display_off 0-4",
    "cut began-late 7-10",
  ]);
  // Off at the very end of a play: it was shown as a whole.
  expect(run([plan, presented(a, 0), display(true, 9.9), presented(b, 10), { is: "stopped", now: at(12) }])).toEqual([
    "completed 0-9.9",
    "not_shown display_off 10-10",
  ]);
});

test("[DHR20] plays without frames are not shown if the display was off on purpose when they were due, and skipped if it was on", () => {
  const [a, b, c] = [due("a", 0, 10), due("b", 10, 20), due("c", 20, 30)];
  const plan = planned(0, [a, b, c]);
  const display = (isOff: boolean, seconds: number): PlayInput => ({ is: "display", isOff, at: at(seconds) });
  const later = (seconds: number): PlayInput => planned(seconds, []);
  const failed: PlayInput = { is: "failed", play: b, code: "decode", at: null, now: at(2) };
  // Off from before its beginning, and on again shortly before it is found missing.
  expect(run([plan, display(true, 5), planned(20, [c]), display(false, 22), planned(23, [c]), later(33)])).toEqual([
    "skipped no-page 0-0",
    "not_shown display_off 10-10",
    "not_shown display_off 20-20",
  ]);
  expect(run([plan, display(true, 5), planned(20, [c]), display(false, 19), planned(23, [c]), later(33)])).toEqual([
    "skipped no-page 0-0",
    "not_shown display_off 10-10",
    "skipped no-page 20-20",
  ]);
  expect(run([plan, display(true, 5), failed, later(20)])).toEqual(["not_shown display_off 10-10", "skipped no-page 0-0"]);
});
