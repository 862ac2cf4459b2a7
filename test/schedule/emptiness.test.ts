// When forecasts and plans say that a screen is empty, compared with the programs that the player computes.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlaylistItem } from "../../src/protocol/content/items.ts";
import type { DesiredLayout } from "../../src/protocol/device/desired-state.ts";
import { forecast } from "../../src/schedule/forecast.ts";
import type { Intervention } from "../../src/schedule/interventions.ts";
import type { PlayableContent } from "../../src/schedule/playable-content.ts";
import { planOf } from "../../src/schedule/plan.ts";
import { programAt } from "../../src/schedule/program.ts";
import { isOnDisplay } from "../../src/schedule/wall.ts";
import { assetOf, desiredOf, imageItem, newId, readyOf } from "../support/states.ts";
import { schedule } from "./schedules.ts";

const hour = 3_600_000;
// On the second day the clocks in London are put forward.
const first = Date.UTC(2026, 2, 28);
const until = first + 60 * hour;
const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const red = assetOf(Buffer.from("red"));
const calendar = { id: newId("cal"), dates: ["2026-03-29"] };
const image = (about: Partial<PlaylistItem> = {}): PlaylistItem => ({ ...imageItem(red, 60_000), ...about }) as PlaylistItem;
const daypart = (from: string, to: string): Partial<PlaylistItem> => ({ dayparts: [{ from, until: to }] });

/** A layout with a zone for each playlist, side by side. */
function layoutOf(playlistIds: readonly string[], about: Partial<DesiredLayout> = {}): DesiredLayout {
  const zones = playlistIds.map((playlist_id, index) => {
    return { id: newId("zon"), name: `z${index}`, left: index * 100, top: 0, width: 100, height: 100, z_index: 0, playlist_id };
  });
  return { id: newId("lay"), width: 200, height: 100, background_color: "#ff0000", zones, ...about };
}

/** A player with this layout of its own, and one playlist for each list of items. */
function contentOf(lists: readonly PlaylistItem[][], about: Partial<DesiredLayout> = {}): PlayableContent {
  const playlists = lists.map((items) => ({ id: newId("pls"), items }));
  const base = desiredOf([], [red]);
  const layout = layoutOf(
    playlists.map(({ id }) => id),
    about,
  );
  return readyOf({ ...base, player: { ...base.player, timezone: "UTC" }, playlists, layout });
}

/** The hours in which a content is empty, from the first instant on, for two days. */
function emptyHours(content: PlayableContent): (readonly [number, number])[] {
  const empty = [...forecast(content, first, first + 48 * hour)].filter(({ isEmpty }) => isEmpty);
  return empty.map((each) => [(each.from - first) / hour, (each.until - first) / hour]);
}

/** Whether the program that the player computes for an instant has nothing to show. */
function showsNothing(content: PlayableContent, instant: number, interventions: readonly Intervention[]): boolean {
  const { layout, zones, wall: part } = programAt(content, instant, { deviceTimeZone: "UTC", interventions }).program;
  const hasBackground = content.desired.assets.some(({ id }) => id === layout?.background_asset_id);
  return !hasBackground && zones.every(({ zone, timeline }) => timeline.totalMs === 0 || !isOnDisplay(zone, layout!, part));
}

const someTimes: fc.Arbitrary<Partial<PlaylistItem>> = fc.oneof(
  fc.constant({}),
  fc.record({ from: fc.integer({ min: 0, max: 20 }), hours: fc.integer({ min: 1, max: 9 }) }).map(({ from, hours }) => {
    const time = (at: number): string => `${String(at % 24).padStart(2, "0")}:30`;
    return daypart(time(from), time(from + hours));
  }),
  fc.integer({ min: 0, max: 50 }).map((at) => ({ valid_from: new Date(first + at * hour).toISOString() })),
  fc.integer({ min: 0, max: 50 }).map((at) => ({ valid_until: new Date(first + at * hour).toISOString() })),
  fc.boolean().map((is_listed) => ({ conditions: [{ type: "calendar" as const, calendar_id: calendar.id, is_listed }] })),
  fc.boolean().map((is_present) => ({ conditions: [{ type: "tag" as const, tag: "bar", is_present }] })),
  fc.integer({ min: 0, max: 9 }).map((value) => {
    return { conditions: [{ type: "variable" as const, name: "guests", op: "at_least" as const, value }] };
  }),
);
const someLimit = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 3 }).map((count) => ({ max_plays_per_hour: count })),
  fc.integer({ min: 1, max: 3 }).map((count) => ({ max_plays_per_day: count })),
);
const someItems = fc.array(
  fc.record({ times: someTimes, limit: someLimit }).map(({ times, limit }) => image({ ...times, ...limit })),
  { maxLength: 3 },
);
const someSchedule = fc.record({
  startsAt: fc.integer({ min: -20, max: 50 }),
  hours: fc.integer({ min: 1, max: 20 }),
  isDaily: fc.boolean(),
  place: fc.integer({ min: 0, max: 2 }),
  share: fc.option(fc.integer({ min: 5, max: 60 })),
});
const span = fc.record({ at: fc.integer({ min: -8, max: 50 }), hours: fc.integer({ min: 1, max: 9 }) });
const someInterventions = fc.array(
  fc.oneof(
    span.map(({ at, hours }): Intervention => {
      return { is: "pause", id: `cmd_p_${at}`, at: first + at * hour, until: first + (at + hours) * hour };
    }),
    span.map(({ at, hours }): Intervention => {
      const set = { id: `cmd_v_${at}`, at: first + at * hour, until: first + (at + hours) * hour };
      return { is: "variable", name: "guests", value: hours, ...set };
    }),
  ),
  { maxLength: 2 },
);

test("[FOR8] a forecast says at each instant whether nothing is shown, as the player's programs have it, in pauses and on walls too", () => {
  const property = fc.property(
    fc.array(someItems, { minLength: 3, maxLength: 3 }),
    fc.array(someSchedule, { maxLength: 3 }),
    someInterventions,
    fc.record({ hasBackground: fc.boolean(), isWall: fc.boolean(), isInBar: fc.boolean() }),
    fc.array(fc.integer({ min: 0, max: until - first - 1 }), { minLength: 20, maxLength: 20 }),
    (lists, planned, interventions, { hasBackground, isWall, isInBar }, offsets) => {
      const base = contentOf(lists);
      const [a, b, c] = base.desired.playlists.map(({ id }) => id);
      const background = hasBackground ? { background_asset_id: red.id } : {};
      const layouts = [layoutOf([a!, b!]), layoutOf([c!], background), layoutOf([])];
      const schedules = planned.map(({ startsAt, hours, isDaily, place, share }) => {
        const start = first + startsAt * hour;
        const interrupt = share === null ? null : { share_percent: share, play_ms: 600_000 };
        return schedule(layouts[place]!.id, wall(start), wall(start + hours * hour), { rrule: isDaily ? "FREQ=DAILY" : null, interrupt });
      });
      const part = { wall_width: 200, wall_height: 100, left: 100, top: 0, width: 100, height: 100 };
      const about = { tags: isInBar ? ["bar"] : [], variables: { guests: 5 }, timezone: "Europe/London" };
      const player = { ...base.desired.player, ...about, ...(isWall ? { wall: part } : {}) };
      const content = readyOf({ ...base.desired, player, layout: layoutOf([a!]), layouts, schedules, calendars: [calendar] });
      const intervals = [...forecast(content, first, until, { deviceTimeZone: "UTC", interventions })];
      expect(intervals.map(({ from }) => from)).toEqual([first, ...intervals.slice(0, -1).map((each) => each.until)]);
      for (const instant of [...offsets.map((offset) => first + offset), ...intervals.map(({ from }) => from)]) {
        const { isEmpty } = intervals.find((each) => each.from <= instant && instant < each.until)!;
        expect(isEmpty, new Date(instant).toISOString()).toBe(showsNothing(content, instant, interventions));
      }
    },
  );
  fc.assert(property, { numRuns: 150 });
});

test("[FOR9] a layout is empty without zones, with empty playlists, and outside of the times of all its items", () => {
  const always = [[0, 48]];
  expect(emptyHours(contentOf([]))).toEqual(always);
  expect(emptyHours(contentOf([[], []]))).toEqual(always);
  expect(emptyHours(contentOf([[image()], []]))).toEqual([]);
  expect(emptyHours(contentOf([[image(daypart("08:00", "12:00")), image(daypart("11:00", "14:00"))], []]))).toEqual([
    [0, 8],
    [14, 32],
    [38, 48],
  ]);
  // One zone has something to show while the other has not.
  const both = [[image(daypart("08:00", "12:00"))], [image(daypart("12:00", "09:00"))]];
  expect(emptyHours(contentOf(both))).toEqual([]);
  const ends = { valid_until: new Date(first + 30 * hour).toISOString() };
  expect(emptyHours(contentOf([[image(ends)]]))).toEqual([[30, 48]]);
  expect(emptyHours(contentOf([[image({ conditions: [{ type: "tag", tag: "bar", is_present: true }] })]]))).toEqual(always);
});

test("[FOR9] a background image and an item that is only heard are something; a color, and a file that is missing, are nothing", () => {
  expect(emptyHours(contentOf([], { background_asset_id: red.id }))).toEqual([]);
  expect(emptyHours(contentOf([], { background_asset_id: newId("ast") }))).toEqual([[0, 48]]);
  const missing: PlaylistItem = { ...imageItem(red, 60_000), asset_id: newId("ast") } as PlaylistItem;
  expect(emptyHours(contentOf([[missing]]))).toEqual([[0, 48]]);
  const heard = { id: newId("itm"), type: "audio", asset_id: red.id, start_ms: 0, volume: 1 } as PlaylistItem;
  expect(emptyHours(contentOf([[heard]]))).toEqual([]);
});

test("[FOR9] limits of plays leave no screen empty in a forecast, however few plays they allow", () => {
  const limits = [{ max_plays_per_hour: 1 }, { max_plays_per_day: 1 }, { max_plays_per_hour: 1, max_plays_per_day: 1 }];
  for (const limit of limits) expect(emptyHours(contentOf([[image(limit), image(limit)]]))).toEqual([]);
});

test("[FOR9] a pause holds what is shown, and also that nothing is shown, beyond the times of the items", () => {
  const shows = contentOf([[image(daypart("23:00", "00:30"))]]);
  const pause: Intervention = { is: "pause", id: "cmd_p", at: first + 0.25 * hour, until: first + 3 * hour };
  const emptyFrom = (from: number): number[] => {
    const [empty] = [...forecast(shows, from, first + 23 * hour, { deviceTimeZone: "UTC", interventions: [pause] })].filter(
      ({ isEmpty }) => isEmpty,
    );
    return [(empty!.from - first) / hour, (empty!.until - first) / hour];
  };
  expect(emptyFrom(first)).toEqual([3, 23]);
  expect(emptyFrom(first + hour)).toEqual([3, 23]);
  const late = contentOf([[image(daypart("01:00", "05:00"))]]);
  const context = { deviceTimeZone: "UTC", interventions: [pause] };
  const intervals = [...forecast(late, first + 2 * hour, first + 6 * hour, context)];
  expect(intervals.map((each) => [(each.from - first) / hour, each.isEmpty])).toEqual([
    [2, true],
    [3, false],
    [5, true],
  ]);
});

test("[FOR10] a stretch of a plan with turns is empty only while none of them shows anything either", () => {
  const items = [image(daypart("08:00", "12:00"))];
  const base = contentOf([items]);
  const turn = layoutOf([base.desired.playlists[0]!.id]);
  const interrupt = { share_percent: 20, play_ms: 10_000 };
  const turns = [schedule(turn.id, wall(first), null, { interrupt })];
  for (const layout of [layoutOf([]), null]) {
    const content = readyOf({ ...base.desired, layout, layouts: [turn], schedules: turns });
    const plan = [...planOf(content, first, first + 24 * hour)];
    expect(plan.map((each) => [(each.from - first) / hour, each.isEmpty, each.turns.length])).toEqual([
      [0, true, 1],
      [8, false, 1],
      [12, true, 1],
    ]);
  }
});
