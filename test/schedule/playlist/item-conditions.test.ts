// Conditions of items: in the loop only on players with some tags, at some values of variables, and on the days of calendars.
import fc from "fast-check";
import { expect, test } from "vitest";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import type { Intervention } from "../../../src/schedule/interventions.ts";
import { defaultContext } from "../../../src/schedule/playable-content.ts";
import { forecast } from "../../../src/schedule/forecast.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { playAt } from "../../../src/schedule/timeline.ts";
import { explainAt } from "../../../src/schedule/why.ts";
import { newId } from "../../support/states.ts";
import { layout, schedule } from "../schedules.ts";
import { itemOf, loopAt, spansOf, stateOf } from "./limited-items.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const at = (text: string): number => Date.parse(text);
const noon = at("2026-12-24T12:00Z");
const holidays = { id: newId("cal"), dates: ["2026-12-25", "2026-12-26"] };
const onHolidays = (is_listed: boolean) => ({ type: "calendar", calendar_id: holidays.id, is_listed });

test("[DAY3] an item is in the loop only on players that have, or do not have, the tags of its conditions; all must hold together", () => {
  const items = [
    itemOf(),
    itemOf({ conditions: [{ type: "tag", tag: "bar" }] }),
    itemOf({ conditions: [{ type: "tag", tag: "bar", is_present: false }] }),
    itemOf({
      conditions: [
        { type: "tag", tag: "bar" },
        { type: "tag", tag: "closed", is_present: false },
      ],
    }),
  ];
  const shown = (...tags: string[]) => loopAt(stateOf(items, { tags }), noon).map((id) => items.findIndex((item) => item.id === id));
  expect([shown(), shown("bar"), shown("bar", "closed")]).toEqual([
    [0, 2],
    [0, 1, 3],
    [0, 1],
  ]);
});

test("[DAY3] a variable that is set takes an item out of the loop at once, and for as long as it is set; a pause holds what it shows", () => {
  const soup = itemOf({ conditions: [{ type: "variable", name: "sold_out", value: false }] });
  const ready = stateOf([itemOf(), soup], { variables: { sold_out: false } });
  const set: Intervention = { id: "cmd_1", is: "variable", name: "sold_out", value: true, at: noon, until: noon + hourMs };
  const spans = (...interventions: Intervention[]) =>
    spansOf(ready, soup, noon - 2 * hourMs, noon + 3 * hourMs, { ...defaultContext, interventions: [...interventions, fence] });
  // Nothing else ends the last span.
  const fence: Intervention = { ...set, id: "cmd_2", at: noon + 2 * hourMs, until: null };
  expect(spans(set)).toEqual(["12-24T10:00 2", "12-24T13:00 1"]);
  const pause: Intervention = { id: "cmd_3", is: "pause", at: noon - hourMs / 2, until: noon + hourMs / 2 };
  expect(spans(set, pause)).toEqual(["12-24T10:00 2.5", "12-24T13:00 1"]);
});

test("[DAY4] an item is in the loop on the days of its calendars, from midnight to midnight on the player's clock", () => {
  const closed = itemOf({ conditions: [onHolidays(true)] });
  const open = itemOf({ conditions: [onHolidays(false)], valid_from: "2026-12-23T00:00:00Z", valid_until: "2026-12-27T06:00:00Z" });
  const ready = stateOf([itemOf(), closed, open], { timezone: "Asia/Kathmandu" }, { calendars: [holidays] });
  const spans = (item: PlaylistItem) => spansOf(ready, item, at("2026-12-20T00:00Z"), at("2027-02-20T00:00Z"));
  expect(spans(closed)).toEqual(["12-24T18:15 48"]);
  expect(spans(open)).toEqual(["12-23T00:00 42.25", "12-26T18:15 11.75"]);
});

test("[DAY4] an item is in the loop exactly when a schedule with its conditions and dayparts would play", () => {
  const someDates = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 8 });
  const someTimes = fc.record({
    weekdays: fc.constantFrom(undefined, ["MO", "TH"], ["SA", "SU"]),
    from: fc.constantFrom("00:00", "09:00", "22:00"),
    until: fc.constantFrom("03:00", "12:00", "24:00"),
  });
  const ownConditions = fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("tag"), tag: fc.constantFrom("bar", "hall"), is_present: fc.boolean() }),
      fc.record({
        type: fc.constant("variable"),
        name: fc.constant("guests"),
        op: fc.constantFrom("at_least", "at_most"),
        value: fc.constant(5),
      }),
      fc.record({ type: fc.constant("calendar"), calendar_id: fc.constantFrom(holidays.id), is_listed: fc.boolean() }),
    ),
    { minLength: 1, maxLength: 3 },
  );
  let changes = 0;
  fc.assert(
    fc.property(
      ownConditions,
      fc.option(fc.array(someTimes, { minLength: 1, maxLength: 3 }), { nil: undefined }),
      someDates,
      fc.constantFrom("UTC", "Europe/Berlin", "America/Havana", "Pacific/Apia"),
      fc.integer({ min: 0, max: 9 }),
      fc.constantFrom("2026-03-22T00:00Z", "2026-10-18T00:00Z", "2026-12-20T00:00Z"),
      (conditions, dayparts, days, timezone, guests, first) => {
        const from = at(first);
        const dates = days.map((day) => new Date(from + day * dayMs).toISOString().slice(0, 10));
        const item = itemOf({ conditions, ...(dayparts === undefined ? {} : { dayparts }) });
        const special = layout();
        const hours = dayparts === undefined ? [] : [{ type: "hours", open: dayparts }];
        const equal = schedule(special.id, "2026-01-01T00:00", null, { conditions: [...hours, ...conditions] });
        const ready = stateOf(
          [itemOf(), item],
          { timezone, tags: ["bar"], variables: { guests } },
          { calendars: [{ id: holidays.id, dates }] },
        );
        const scheduled = { ...ready, desired: { ...ready.desired, layouts: [special], schedules: [equal] } };
        for (const { from: start, until, layoutId } of forecast(scheduled, from, from + 12 * dayMs)) {
          const isDue = layoutId === special.id;
          const instants = [start, (start + until) / 2, until - 1];
          expect(instants.map((instant) => loopAt(ready, instant).includes(item.id))).toEqual([isDue, isDue, isDue]);
          changes += 1;
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(changes).toBeGreaterThan(300);
});

test("[DAY5] where no condition holds the zone is empty and its layout stays; the explanation names the condition, also a calendar that is missing", () => {
  const items = [
    itemOf({ conditions: [{ type: "tag", tag: "bar" }] }),
    itemOf({ conditions: [{ type: "variable", name: "guests", op: "at_least", value: 5 }] }),
    itemOf({ conditions: [onHolidays(true)], dayparts: [{ from: "09:00", until: "10:00" }] }),
    itemOf({ conditions: [{ type: "calendar", calendar_id: newId("cal"), is_listed: false }] }),
  ];
  const ready = stateOf(items, {}, { calendars: [holidays] });
  const { program } = programAt(ready, noon);
  expect([program.layout?.id, playAt(program.zones[0]!.timeline, noon)]).toEqual([ready.desired.layout!.id, null]);
  const reasons = explainAt(ready, noon).filter(({ layer }) => layer === "item");
  const missing = items[3]!.conditions![0] as { calendar_id: string };
  expect(new Map(reasons.map(({ id, detail }) => [id, detail]))).toEqual(
    new Map([
      [items[0]!.id, "its condition does not hold: the tag “bar” must be present"],
      [items[1]!.id, "its condition does not hold: guests must be at least 5"],
      [items[2]!.id, "not in its dayparts on the days of its calendars: the next begins at 2026-12-25T09:00:00.000Z"],
      [items[3]!.id, `its calendar ${missing.calendar_id} does not exist`],
    ]),
  );
});

test("[DAY6] the displays of a wall show the same item at each instant if they have the tags and variables that conditions name", () => {
  const items = [
    itemOf({ duration_ms: 7_000 }),
    itemOf({ duration_ms: 11_000, conditions: [{ type: "tag", tag: "wall" }, onHolidays(false)] }),
    itemOf({
      duration_ms: 13_000,
      max_plays_per_hour: 20,
      conditions: [{ type: "variable", name: "sold_out", op: "not_equals", value: true }],
    }),
    itemOf({ duration_ms: 17_000, max_plays_per_day: 90, conditions: [onHolidays(true)] }),
  ];
  const part = (left: number, ...more: string[]) => {
    const wall = { wall_width: 3_840, wall_height: 1_080, left, top: 0, width: 1_920, height: 1_080 };
    return stateOf(items, { tags: ["wall", ...more], wall, variables: { screen: left } }, { calendars: [holidays] });
  };
  const [left, right, other] = [part(0, "left"), part(1_920, "right"), stateOf(items, { tags: [] }, { calendars: [holidays] })];
  const set: Intervention = { id: "cmd_1", is: "variable", name: "sold_out", value: true, at: noon + 6 * hourMs, until: null };
  const showing = (ready: typeof left, instant: number) => {
    const play = playAt(programAt(ready, instant, { ...defaultContext, interventions: [set] }).program.zones[0]!.timeline, instant);
    return play === null ? null : [items.findIndex(({ id }) => id === play.timedItem.item.id), play.startsAt];
  };
  const seen = new Set<unknown>();
  for (let instant = noon; instant < noon + dayMs; instant += 61_000) {
    expect([instant, showing(right, instant)]).toEqual([instant, showing(left, instant)]);
    seen.add(showing(left, instant)?.[0]);
  }
  expect(seen).toEqual(new Set([0, 1, 2, 3]));
  // A display without the tag has another loop: it decides by itself, as with conditions of schedules.
  expect(loopAt(other, noon)).not.toContain(items[1]!.id);
});
