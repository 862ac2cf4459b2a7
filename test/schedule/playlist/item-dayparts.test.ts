// Dayparts of items: in the loop only at some times of day, by the clock of the player's time zone.
import { expect, test } from "vitest";
import { forecast } from "../../../src/schedule/forecast.ts";
import { playAt } from "../../../src/schedule/timeline.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { explainAt } from "../../../src/schedule/why.ts";
import { itemOf, loopAt, spansOf, stateOf } from "./limited-items.ts";

const hourMs = 3_600_000;
const at = (text: string): number => Date.parse(text);

test("[DAY1] an item with dayparts is in the loop during any of them, by the player's clock, past midnight and on its weekdays", () => {
  const dayparts = [
    { from: "06:00", until: "10:30" },
    { from: "10:00", until: "11:00" },
    { weekdays: ["FR"], from: "22:00", until: "02:00" },
  ];
  const item = itemOf({ dayparts });
  const ready = stateOf([itemOf(), item], { timezone: "America/Phoenix" });
  // Thursday to Sunday, seven hours behind UTC.
  expect(spansOf(ready, item, at("2026-06-04T07:00Z"), at("2026-06-07T07:00Z"))).toEqual([
    "06-04T13:00 5",
    "06-05T13:00 5",
    "06-06T05:00 4",
    "06-06T13:00 5",
  ]);
  const rare = itemOf({
    dayparts: [{ weekdays: ["MO"], from: "09:00", until: "10:00" }],
    valid_from: "2026-06-09T00:00:00Z",
    valid_until: "2026-06-22T09:30:00Z",
  });
  expect(spansOf(stateOf([itemOf(), rare]), rare, at("2026-06-01T00:00Z"), at("2026-07-31T00:00Z"))).toEqual([
    "06-15T09:00 1",
    "06-22T09:00 0.5",
  ]);
});

test("[DAY1] across clock changes dayparts follow the wall clock, as those of schedules do", () => {
  const night = itemOf({ dayparts: [{ from: "01:30", until: "03:30" }] });
  const ready = stateOf([itemOf(), night], { timezone: "Europe/Berlin" });
  expect(spansOf(ready, night, at("2026-03-28T00:00Z"), at("2026-03-30T12:00Z"))).toEqual(
    ["03-28T00:30 2", "03-29T00:30 1", "03-30T23:30 2"].map((text) => text.replace("03-30T23:30", "03-29T23:30")),
  );
  expect(spansOf(ready, night, at("2026-10-24T12:00Z"), at("2026-10-26T12:00Z"))).toEqual(["10-24T23:30 3", "10-26T00:30 2"]);
  const gone = itemOf({ dayparts: [{ weekdays: ["SU"], from: "02:10", until: "02:50" }] });
  expect(spansOf(stateOf([itemOf(), gone], { timezone: "Europe/Berlin" }), gone, at("2026-03-23T00:00Z"), at("2026-04-06T00:00Z"))).toEqual(
    [`04-05T00:10 ${40 / 60}`],
  );
});

test("[DAY1] a player without its own time zone uses its device's time zone", () => {
  const item = itemOf({ dayparts: [{ from: "12:00", until: "13:00" }] });
  const ready = stateOf([item], { timezone: null });
  const count = (deviceTimeZone: string) => loopAt(ready, at("2026-06-01T02:00Z"), { interventions: [], deviceTimeZone }).length;
  expect([count("Australia/Lord_Howe"), count("UTC")]).toEqual([1, 0]);
});

test("[DAY2] if no item is in its dayparts the zone is empty, its layout stays, and explanation and forecast agree", () => {
  const item = itemOf({ dayparts: [{ from: "12:00", until: "13:00" }] });
  const ready = stateOf([item]);
  const morning = at("2026-06-01T08:00Z");
  const { program, changesAt } = programAt(ready, morning);
  expect([program.layout?.id, playAt(program.zones[0]!.timeline, morning), changesAt]).toEqual([
    ready.desired.layout!.id,
    null,
    at("2026-06-01T12:00Z"),
  ]);
  const reasons = explainAt(ready, morning);
  expect(reasons[0]).toMatchObject({ layer: "default", verdict: "shows" });
  const detail = "not in its dayparts: the next begins at 2026-06-01T12:00:00.000Z";
  expect(reasons.at(-1)).toMatchObject({ layer: "item", id: item.id, verdict: "set-aside", detail });
  expect(explainAt(ready, at("2026-06-01T12:30Z")).some(({ layer }) => layer === "item")).toBe(false);
  const intervals = [...forecast(ready, morning, morning + 48 * hourMs)];
  const ofLayout = [ready.desired.layout!.id, "default"];
  expect(intervals.map(({ from, layoutId, by, isEmpty }) => [new Date(from).toISOString().slice(5, 16), layoutId, by, isEmpty])).toEqual([
    ["06-01T08:00", ...ofLayout, true],
    ["06-01T12:00", ...ofLayout, false],
    ["06-01T13:00", ...ofLayout, true],
    ["06-02T12:00", ...ofLayout, false],
    ["06-02T13:00", ...ofLayout, true],
  ]);
});

test("[DAY2] a limit per hour applies in dayparts: each daypart has a play, and dayparts within one hour share it", () => {
  const limited = itemOf({
    max_plays_per_hour: 1,
    dayparts: [
      { from: "09:00", until: "09:10" },
      { from: "09:20", until: "09:30" },
      { from: "15:00", until: "15:10" },
    ],
  });
  const ready = stateOf([itemOf(), limited]);
  const begins: string[] = [];
  let before = 0;
  for (let instant = at("2026-06-01T00:00Z"); instant < at("2026-06-06T00:00Z"); instant += 5_000) {
    const play = playAt(programAt(ready, instant).program.zones[0]!.timeline, instant)!;
    if (play.timedItem.item.id === limited.id && play.startsAt !== before)
      begins.push(new Date((before = play.startsAt)).toISOString().slice(11, 15));
  }
  expect(begins).toEqual(Array.from({ length: 5 }, () => ["09:0", "15:0"]).flat());
});
