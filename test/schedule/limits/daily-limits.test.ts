// Limits of plays per day: never more from midnight to midnight in the player's time zone, and exactly that many if there is room.
import fc from "fast-check";
import { expect, test } from "vitest";
import { stageAt, applyProgram } from "../../../src/playback/playback.ts";
import { forecast } from "../../../src/schedule/forecast.ts";
import { playAt } from "../../../src/schedule/timeline.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { explainAt } from "../../../src/schedule/why.ts";
import type { PlayerContext } from "../../../src/schedule/playable-content.ts";
import type { DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import { desiredOf, newId, readyOf } from "../../support/states.ts";
import { schedule } from "../schedules.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const someDays = { id: newId("cal"), dates: ["2026-03-28", "2026-04-05", "2026-10-25", "2026-10-31"] };
type Ready = ReturnType<typeof readyOf>;

function itemOf(ms: number, limits: object = {}): PlaylistItem {
  return PlaylistItem.parse({ id: newId("itm"), type: "text", text: "a", duration_ms: ms, ...limits });
}

/** A state with layouts of one zone each: the first is the default, the others are for the schedules. */
function stateOf(
  itemLists: PlaylistItem[][],
  schedules: (layouts: DesiredLayout[]) => object[] = () => [],
  timezone: string | null = "UTC",
): Ready {
  const [first, ...others] = itemLists.map((items) => desiredOf(items, []));
  const layouts = [first!, ...others].map(({ layout }) => layout!);
  const playlists = [first!, ...others].flatMap((each) => each.playlists);
  const player = { ...first!.player, timezone };
  const own = { layouts: layouts.slice(1), schedules: schedules(layouts) as Record<string, unknown>[], calendars: [someDays] };
  return readyOf({ ...first!, ...own, player, playlists });
}

interface Shown {
  id: string;
  at: number;
  until: number;
  /** Its end in its loop, before any cut. */
  endsAt: number;
  startsAt: number;
}

/** The plays on screen from `from` to `until`, across changes of program. */
function shownBetween(ready: Ready, from: number, until: number, context?: PlayerContext): Shown[] {
  const found: Shown[] = [];
  for (let at = from; at < until;) {
    const { program, changesAt } = programAt(ready, at, context);
    expect(changesAt).toBeGreaterThan(at);
    const timeline = program.zones[0]?.timeline;
    for (const next = Math.min(changesAt, until); at < next;) {
      const play = timeline === undefined ? null : playAt(timeline, at);
      const end = Math.min(next, play?.endsAt ?? next);
      const id = play?.timedItem.item.id ?? "";
      const before = found.at(-1);
      if (before?.id === id && before.startsAt === (play?.startsAt ?? 0)) before.until = end;
      else found.push({ id, at, until: end, endsAt: play?.endsAt ?? 0, startsAt: play?.startsAt ?? 0 });
      at = end;
    }
  }
  return found;
}

const of = (shown: readonly Shown[], { id }: PlaylistItem): Shown[] => shown.filter((each) => each.id === id);
const inBerlin = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Berlin" });

/** How many of these plays begin on each day in Berlin. */
function aDay(shown: readonly Shown[]): Map<string, number> {
  const days = new Map<string, number>();
  for (const { at } of shown) days.set(inBerlin.format(at), (days.get(inBerlin.format(at)) ?? 0) + 1);
  return days;
}

test.each([
  ["spring", Date.UTC(2026, 2, 8, 23)],
  ["autumn", Date.UTC(2026, 9, 4, 22)],
])(
  "[LIM5] an item begins exactly as often a day as its limit if its layout always plays, across the clock change of %s",
  (_season, midnight) => {
    const [free, other] = [itemOf(170_000), itemOf(50_000)];
    const limited = [1, 4, 25].map((limit, index) => itemOf(20_000 + index * 7_000, { max_plays_per_day: limit }));
    const ready = stateOf([[limited[0]!, free, limited[1]!, other, limited[2]!]], () => [], "Europe/Berlin");
    const shown = shownBetween(ready, midnight, midnight + 40 * dayMs - 2 * hourMs);
    for (const item of limited) {
      const plays = of(shown, item);
      const days = [...aDay(plays).values()];
      expect(days.slice(0, 39)).toEqual(days.slice(0, 39).map(() => item.max_plays_per_day));
      expect(days.length).toBeGreaterThanOrEqual(39);
      // Spread evenly: equal parts of the day apart, within the hour of the clock change and one round.
      const apart = dayMs / item.max_plays_per_day!;
      for (const [index, { at }] of plays.entries()) {
        const before = plays[index - 1]?.at;
        if (before !== undefined) expect(Math.abs(at - before - apart)).toBeLessThan(hourMs + 10 * minuteMs);
      }
    }
    // No play is cut, not even at midnight, and unlimited items keep their order.
    expect(shown.slice(1, -1).filter(({ at, until, startsAt, endsAt }) => at !== startsAt || until !== endsAt)).toEqual([]);
    const rest = shown.map(({ id }) => id).filter((id) => id === free.id || id === other.id);
    expect(rest.some((id, index) => id === rest[index + 1])).toBe(false);
  },
);

test("[LIM5] the day is that of the player's time zone, else of its device, also if the clock is set back at midnight", () => {
  for (const [timezone, deviceZone] of [
    ["Asia/Kathmandu", "UTC"],
    [null, "America/Phoenix"],
    ["Africa/Cairo", "UTC"],
    ["Pacific/Apia", "UTC"],
  ] as const) {
    const limited = itemOf(15_000, { max_plays_per_day: 3 });
    const ready = stateOf([[itemOf(400_000), limited]], () => [], timezone);
    const from = Date.UTC(2026, 9, 26);
    const plays = of(shownBetween(ready, from, from + 8 * dayMs, { interventions: [], deviceTimeZone: deviceZone }), limited);
    const format = new Intl.DateTimeFormat("en-CA", { timeZone: timezone ?? deviceZone });
    const days = Map.groupBy(plays, ({ at }) => format.format(at));
    expect([...days.values()].slice(1, 7).map((each) => each.length)).toEqual([3, 3, 3, 3, 3, 3]);
  }
});

test("[LIM5] a limit per day that is never reached changes nothing; limits do not apply if there is nothing else to show", () => {
  const loopOf = (items: PlaylistItem[]) => programAt(stateOf([items]), Date.UTC(2026, 4, 5)).program.zones[0]!.timeline;
  const [free, often, rare] = [itemOf(20_000), itemOf(40_000, { max_plays_per_day: 2_000 }), itemOf(1_000, { max_plays_per_day: 1 })];
  expect(loopOf([free, often]).items.map(({ item }) => item.id)).toEqual([free.id, often.id]);
  expect(loopOf([often, rare]).items.map(({ item }) => item.id)).toEqual([often.id, rare.id]);
  // A limit one below the number of rounds is reached exactly.
  const limited = itemOf(10_000, { max_plays_per_day: 2_000 });
  const plays = of(shownBetween(stateOf([[itemOf(30_000), limited]]), Date.UTC(2026, 4, 5), Date.UTC(2026, 4, 8)), limited);
  const days = [...Map.groupBy(plays, ({ at }) => Math.floor(at / dayMs)).values()].map((each) => each.length);
  expect(Math.max(...days)).toBeLessThanOrEqual(2_000);
  expect(Math.min(...days)).toBeGreaterThanOrEqual(1_990);
});

const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const day = Date.UTC(2026, 4, 5);
const window = (layout: DesiredLayout, fromMs: number, untilMs: number, about: object = {}) =>
  schedule(layout.id, wall(day + fromMs), wall(day + untilMs), { rrule: "FREQ=DAILY", ...about });
const countsOf = (plays: readonly Shown[]): number[] =>
  [...Map.groupBy(plays, ({ at }) => Math.floor((at - day) / dayMs)).values()].map((each) => each.length);

test("[LIM6] the windows of a day share its plays; a window long enough for one round has a play, however short", () => {
  for (const [about, limit] of [
    [{}, 1],
    [{}, 5],
    [{ loop_from: "window" }, 1],
    [{ loop_from: "window" }, 3],
  ] as const) {
    const limited = itemOf(10_000, { max_plays_per_day: limit });
    const short = stateOf([[itemOf(5_000)], [itemOf(20_000), limited]], ([, layout]) => [
      window(layout!, 12 * hourMs, 12 * hourMs + minuteMs, about),
    ]);
    const few = countsOf(of(shownBetween(short, day, day + 20 * dayMs), limited));
    expect([few.length, Math.max(...few) <= limit, Math.min(...few) >= 1]).toEqual([20, true, true]);
    const windows = [1, 5, 7, 13, 22].map((hour) => [hour * hourMs, hour * hourMs + (hour + 2) * minuteMs] as const);
    const many = stateOf([[itemOf(5_000)], [itemOf(20_000), limited]], ([, layout]) =>
      windows.map(([from, until]) => window(layout!, from, until, about)),
    );
    expect(countsOf(of(shownBetween(many, day, day + 10 * dayMs), limited))).toEqual(Array.from({ length: 10 }, () => limit));
  }
});

test("[LIM6] an item for which a window has no room leaves the room of the others to them", () => {
  const hourly = { max_plays_per_day: 1, max_plays_per_hour: 1 };
  for (const firstMinute of Array.from({ length: 24 }, (_, index) => 40 + index * 53)) {
    const [first, second, daily] = [itemOf(20_000, hourly), itemOf(20_000, hourly), itemOf(20_000, { max_plays_per_day: 1 })];
    const ready = stateOf([[itemOf(5_000)], [itemOf(60_000), first, second, daily]], ([, layout]) => [
      window(layout!, firstMinute * minuteMs, (firstMinute + 60) * minuteMs),
    ]);
    expect(countsOf(of(shownBetween(ready, day, day + 8 * dayMs), daily))).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  }
});

test("[LIM6] an item that waits for the round of its limit per hour takes no room from the items after it", () => {
  const hourly = itemOf(20_000, { max_plays_per_day: 1, max_plays_per_hour: 3 });
  const daily = [
    itemOf(20_000, { max_plays_per_day: 1 }),
    itemOf(132_707, { max_plays_per_day: 6 }),
    itemOf(247_294, { max_plays_per_day: 3 }),
  ];
  const ready = stateOf(
    [[itemOf(5_000)], [itemOf(60_000), hourly, ...daily]],
    ([, layout]) => [window(layout!, 0, 24 * minuteMs)],
    "Europe/Berlin",
  );
  for (const item of daily) expect(aDay(of(shownBetween(ready, day, day + 4 * dayMs), item)).size).toBeGreaterThanOrEqual(4);
});

test("[LIM6] layouts with the same playlist, and turns of an interrupt with it, share the plays of a day", () => {
  const limited = itemOf(10_000, { max_plays_per_day: 4 });
  const shared = stateOf([[itemOf(20_000), limited], [itemOf(5_000)]], ([base, other]) => {
    other!.zones[0]!.playlist_id = base!.zones[0]!.playlist_id;
    return [
      window(other!, 8 * hourMs, 10 * hourMs),
      window(other!, 9 * hourMs, 16 * hourMs, { interrupt: { share_percent: 10, play_ms: 60_000 } }),
    ];
  });
  expect(countsOf(of(shownBetween(shared, day, day + 10 * dayMs), limited))).toEqual(Array.from({ length: 10 }, () => 4));
});

test("[LIM6] the turns of an interrupt share the plays of a day of its items, and hide none of the layout below", () => {
  for (const limit of [1, 3, 50]) {
    const [below, turned] = [itemOf(10_000, { max_plays_per_day: limit }), itemOf(10_000, { max_plays_per_day: limit })];
    const ready = stateOf(
      [
        [itemOf(30_000), below],
        [itemOf(20_000), turned],
      ],
      ([, layout]) => [window(layout!, 8.25 * hourMs, 20.5 * hourMs, { interrupt: { share_percent: 40, play_ms: 60_000 } })],
    );
    const shown = shownBetween(ready, day, day + 5 * dayMs);
    for (const item of [below, turned]) {
      const plays = of(shown, item);
      expect(countsOf(plays)).toEqual([limit, limit, limit, limit, limit]);
      expect(plays.every(({ at, until }) => until - at === 10_000)).toBe(true);
    }
  }
});

test("[LIM6] a limited item that is valid for ten minutes of a day plays within those ten minutes", () => {
  const valid = { valid_from: new Date(day + 7 * minuteMs).toISOString(), valid_until: new Date(day + 17 * minuteMs).toISOString() };
  const lunch = { dayparts: [{ from: "12:00", until: "12:10" }] };
  const [once, daily, always] = [valid, lunch, {}].map((more) => itemOf(10_000, { max_plays_per_day: 1, ...more }));
  const shown = shownBetween(stateOf([[itemOf(30_000), once!, daily!, always!]]), day, day + 5 * dayMs);
  expect([once!, daily!, always!].map((item) => countsOf(of(shown, item)))).toEqual([[1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]);
});

test("[LIM7] two players agree whenever they start, and an override moves no later play", () => {
  const limited = itemOf(10_000, { max_plays_per_day: 7 });
  const make = () =>
    stateOf(
      [
        [itemOf(33_000), limited, itemOf(21_000)],
        [itemOf(20_000), limited],
      ],
      ([, layout]) => [window(layout!, 8 * hourMs, 9 * hourMs, { interrupt: { share_percent: 20, play_ms: 45_000 } })],
    );
  const ready = make();
  const other = readyOf(structuredClone(ready.desired));
  const whole = shownBetween(ready, day, day + 2 * dayMs);
  for (const from of [0.1, 0.35, 0.3712, 0.5, 0.9999, 1, 1.4].map((part) => day + Math.round(part * dayMs))) {
    const rest = shownBetween(other, from, day + 2 * dayMs).slice(1);
    expect(rest).toEqual(whole.filter(({ at }) => at >= rest[0]!.at));
  }
  const at = of(whole, limited)[2]!.at;
  const override = {
    is: "override",
    id: "cmd_1",
    at,
    until: at + 5 * minuteMs,
    level: "normal",
    show: { layoutId: ready.desired.layouts[0]!.id },
  } as const;
  const after = shownBetween(ready, at, day + 2 * dayMs, { interventions: [override], deviceTimeZone: "UTC" }).filter(
    (each) => each.startsAt >= override.until,
  );
  expect(after).toEqual(whole.filter(({ startsAt }) => startsAt >= override.until));
});

test("[LIM7] a skip starts the next item, also a limited one, and later plays stay where they were", () => {
  const [free, limited] = [itemOf(30_000), itemOf(10_000, { max_plays_per_day: 2 })];
  const ready = stateOf([[free, limited]]);
  const whole = shownBetween(ready, day, day + dayMs);
  const play = of(whole, limited)[0]!;
  const before = whole[whole.indexOf(play) - 1]!;
  const zoneId = ready.desired.layout!.zones[0]!.id;
  const skip = ({ id, at, startsAt }: Shown) => ({ is: "skip", id: "cmd_1", zoneId, itemId: id, startsAt, at: at + 4_000 }) as const;
  const after = (skipped: Shown) =>
    shownBetween(ready, skipped.at, play.endsAt + minuteMs, { interventions: [skip(skipped)], deviceTimeZone: "UTC" }).map(({ id, at }) => [
      id,
      at,
    ]);
  expect(after(before).slice(0, 2)).toEqual([
    [free.id, before.at],
    [limited.id, before.at + 4_000],
  ]);
  expect(after(play).slice(0, 2)).toEqual([
    [limited.id, play.at],
    [free.id, play.at + 4_000],
  ]);
  expect(after(play).slice(2)).toEqual(
    [
      [free.id, play.endsAt + 30_000],
      [free.id, play.endsAt + 60_000],
    ].slice(0, after(play).length - 2),
  );
});

test("[LIM8] a limit per hour and a limit per day apply together, and neither prevents the other", () => {
  for (const [hour, daily] of [
    [1, 1],
    [1, 5],
    [3, 20],
    [2, 30],
  ] as const) {
    const both = itemOf(10_000, { max_plays_per_hour: hour, max_plays_per_day: daily });
    const hourly = itemOf(10_000, { max_plays_per_hour: 4 });
    const plays = of(shownBetween(stateOf([[itemOf(30_000), both, hourly]]), day, day + 10 * dayMs), both);
    expect(
      Math.max(...plays.map(({ at }) => plays.filter((other) => other.at >= at && other.at < at + hourMs).length)),
    ).toBeLessThanOrEqual(hour);
    expect(countsOf(plays)).toEqual(Array.from({ length: 10 }, () => daily));
    const short = stateOf([[itemOf(5_000)], [itemOf(30_000), both]], ([, layout]) => [
      window(layout!, 12 * hourMs, 12 * hourMs + 10 * minuteMs),
    ]);
    const few = countsOf(of(shownBetween(short, day, day + 10 * dayMs), both));
    expect([few.length, Math.max(...few) <= Math.min(hour, daily)]).toEqual([10, true]);
  }
});

test("[LIM9] an explanation says when an item with a limit per day plays next; the limit does not change the forecast of layouts", () => {
  const limited = itemOf(10_000, { max_plays_per_day: 3 });
  const ready = stateOf([[itemOf(30_000), limited]]);
  const plays = of(shownBetween(ready, day, day + dayMs), limited);
  const reason = (at: number) => explainAt(ready, at).find(({ layer }) => layer === "item");
  expect(reason(plays[0]!.at + 1_000)).toBeUndefined();
  const detail = `at most 3 plays a day: its next begins at ${new Date(plays[1]!.at).toISOString()}`;
  expect(reason(plays[0]!.at + 10_000)).toMatchObject({ id: limited.id, verdict: "set-aside", detail });
  expect(reason(plays[2]!.at + 10_000)?.detail).toBe(`at most 3 plays a day: none is left before ${new Date(day + dayMs).toISOString()}`);
  const intervals = [...forecast(ready, day, day + 3 * dayMs)];
  expect(intervals).toMatchObject([{ from: day, until: day + 3 * dayMs, layoutId: ready.desired.layout!.id, by: "default" }]);
});

/** The days that begin and end between two instants, by the dates of `format`. */
function midnights(format: Intl.DateTimeFormat, from: number, until: number): [number, number][] {
  const starts: number[] = [];
  for (let at = from + minuteMs; at < until; at += minuteMs) if (format.format(at) !== format.format(at - minuteMs)) starts.push(at);
  return starts.slice(1).map((start, index) => [starts[index]!, start]);
}

const zones = ["Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana", "UTC"];
const someItem = fc.record(
  {
    ms: fc.integer({ min: 20_000, max: 400_000 }),
    max_plays_per_day: fc.integer({ min: 1, max: 30 }),
    max_plays_per_hour: fc.integer({ min: 1, max: 4 }),
    dayparts: fc.constantFrom([{ from: "08:00", until: "17:30" }], [{ from: "22:00", until: "03:00" }, { weekdays: ["SU"] }]),
    // Rarely, so that enough items are left that may always play.
    conditions: fc.option(
      fc.constantFrom([{ type: "calendar", calendar_id: someDays.id, is_listed: true }], [{ type: "tag", tag: "bar" }]),
      { freq: 1, nil: undefined },
    ),
  },
  { requiredKeys: ["ms", "max_plays_per_day"] },
);
const someWindow = fc.record({
  layoutIndex: fc.integer({ min: 0, max: 2 }),
  fromMinute: fc.integer({ min: 0, max: 1_439 }),
  minutes: fc.integer({ min: 2, max: 600 }),
  timezone: fc.constantFrom(null, "America/New_York"),
  loop_from: fc.constantFrom("epoch", "window"),
  interrupt: fc.option(fc.record({ share_percent: fc.integer({ min: 5, max: 60 }), play_ms: fc.integer({ min: 30_000, max: 300_000 }) }), {
    freq: 1,
  }),
});

test("[LIM6] no item plays more often a day than its limit, with any windows, interrupts, dayparts, conditions and other limits", () => {
  let [plays, due] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.array(someItem, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 3 }),
      fc.array(someWindow, { maxLength: 4 }),
      fc.constantFrom(...zones),
      fc.constantFrom(Date.UTC(2026, 2, 27), Date.UTC(2026, 3, 3), Date.UTC(2026, 9, 23), Date.UTC(2026, 9, 30), day),
      (itemLists, windows, timezone, from) => {
        const free = () => itemOf(60_000);
        const items = itemLists.map((list) => [free(), ...list.map(({ ms, ...limits }) => itemOf(ms, limits))]);
        const ready = stateOf(
          items,
          (layouts) =>
            windows.map(({ layoutIndex, fromMinute, minutes, ...about }) => {
              const begins = Date.UTC(2026, 0, 1) + fromMinute * minuteMs;
              return schedule(layouts[layoutIndex]!.id, wall(begins), wall(begins + minutes * minuteMs), { rrule: "FREQ=DAILY", ...about });
            }),
          timezone,
        );
        const shown = shownBetween(ready, from, from + 4 * dayMs);
        const format = new Intl.DateTimeFormat("en-CA", { timeZone: timezone });
        for (const item of items.flat()) {
          const { max_plays_per_day: limit } = item;
          if (limit === undefined) continue;
          // A play that is cut by the ends of the test, or continues after a turn, does not count.
          const own = of(shown.slice(1, -1), item).filter(({ at, startsAt }) => at === startsAt);
          const days = Map.groupBy(own, ({ at }) => format.format(at));
          for (const [date, each] of days) if (each.length > limit) expect.fail(`${each.length} of ${limit} on ${date} in ${timezone}`);
          // An item with only a daily limit is always seen completely.
          const isTimed = (item.dayparts ?? item.conditions) !== undefined;
          if (!isTimed && item.max_plays_per_hour === undefined) expect(own.filter(({ until, endsAt }) => until !== endsAt)).toEqual([]);
          plays += own.length;
          // There may be no room between the turns of interrupts, and a limit per hour may exclude the item from a window.
          if (isTimed || item.max_plays_per_hour !== undefined || windows.some(({ interrupt }) => interrupt !== null)) continue;
          const layoutIndex = items.findIndex((each) => each.includes(item));
          const roundMs = items[layoutIndex]!.reduce((sum, { duration_ms }) => sum + duration_ms!, 0);
          const layoutId = [ready.desired.layout!, ...ready.desired.layouts][layoutIndex]!.id;
          const isOn = new Set<string>();
          for (const midnight of midnights(format, from, from + 4 * dayMs)) {
            for (const each of forecast(ready, ...midnight)) {
              if (each.layoutId === layoutId && each.until - each.from >= roundMs) isOn.add(format.format(each.from));
            }
          }
          expect([...isOn].filter((date) => !days.has(date))).toEqual([]);
          due += isOn.size;
        }
      },
    ),
    { numRuns: 100 },
  );
  expect([plays > 1_000, due > 0]).toEqual([true, true]);
});

test("[LIM6] an override counts its plays separately, per day and with at least one", () => {
  const limited = itemOf(10_000, { max_plays_per_day: 2 });
  const ready = stateOf([[itemOf(5_000)], [itemOf(20_000), limited]]);
  const show = { layoutId: ready.desired.layouts[0]!.id };
  for (const length of [minuteMs, 3 * hourMs, null]) {
    const at = day + 15 * hourMs + 1_234;
    const override = { is: "override", id: "cmd_1", at, until: length === null ? null : at + length, level: "normal", show } as const;
    const counts = countsOf(of(shownBetween(ready, day, day + 3 * dayMs, { interventions: [override], deviceTimeZone: "UTC" }), limited));
    expect(counts).toEqual(length === null ? [2, 2, 2] : [length === minuteMs ? counts[0] : 2]);
    expect(counts[0]).toBeGreaterThanOrEqual(1);
    expect(counts[0]).toBeLessThanOrEqual(2);
  }
});

test("[LIM5] across midnight the page is sent one play, not two, and the limited item in its loop", () => {
  const limited = itemOf(10_000, { max_plays_per_day: 5 });
  const ready = stateOf([[itemOf(37_000), limited, itemOf(23_000)]]);
  const evening = day + dayMs - 1_000;
  const { program, changesAt } = programAt(ready, evening);
  expect(changesAt).toBe(day + dayMs);
  const before = applyProgram(null, program, evening);
  const after = applyProgram(before, programAt(ready, changesAt).program, changesAt, [], changesAt);
  const [last] = stageAt(before, evening, "UTC", undefined, changesAt)!.stage.zones[0]!.slots.slice(-1);
  const { slots, loop } = stageAt(after, changesAt, "UTC")!.stage.zones[0]!;
  expect([slots[0]!.key, slots[0]!.ends_at, slots[0]!.offset_ms]).toEqual([last!.key, last!.whole_ends_at, 0]);
  expect(loop?.some((name) => name.startsWith(limited.id))).toBe(true);
});
