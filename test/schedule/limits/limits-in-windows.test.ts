// Limits of plays per hour, of several items and in layouts that play for less than an hour at a time: at most that many, and never none.
import { expect, test } from "vitest";
import { playAt } from "../../../src/schedule/timeline.ts";
import { programAt } from "../../../src/schedule/program.ts";
import type { DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import { desiredOf, newId, readyOf } from "../../support/states.ts";
import { schedule } from "../schedules.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const day = Date.UTC(2026, 4, 5);

function itemOf(ms: number, limit?: number, more: object = {}): PlaylistItem {
  return PlaylistItem.parse({ id: newId("itm"), type: "text", text: "a", duration_ms: ms, max_plays_per_hour: limit, ...more });
}

/** A state with layouts of one zone each: the first is the default, the others are for the schedules. */
function stateOf(itemLists: PlaylistItem[][], schedules: (layouts: DesiredLayout[]) => Record<string, unknown>[]) {
  const [first, ...others] = itemLists.map((items) => desiredOf(items, []));
  const layouts = [first!, ...others].map(({ layout }) => layout!);
  const playlists = [first!, ...others].flatMap((each) => each.playlists);
  const player = { ...first!.player, timezone: "UTC" };
  return readyOf({ ...first!, player, layouts: layouts.slice(1), playlists, schedules: schedules(layouts) });
}

/** When plays of an item appear on screen from `from` to `until`, across changes of program. */
function startsOf(ready: ReturnType<typeof stateOf>, { id }: PlaylistItem, from: number, until: number): number[] {
  const found: number[] = [];
  let before = "";
  for (let at = from; at < until;) {
    const { program, changesAt } = programAt(ready, at);
    const { timeline } = program.zones[0]!;
    for (const next = Math.min(changesAt, until); at < next;) {
      const play = playAt(timeline, at)!;
      const now = `${program.layout!.id} ${play.timedItem.item.id} ${play.startsAt}`;
      if (now !== before && play.timedItem.item.id === id) found.push(at);
      before = now;
      at = Math.min(next, play.endsAt);
    }
  }
  return found;
}

/** The largest number of plays that begin within an hour. */
function maxInAnHour(times: readonly number[]): number {
  return Math.max(0, ...times.map((at) => times.filter((other) => other >= at && other < at + hourMs).length));
}

const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const window = (layout: DesiredLayout, fromMs: number, untilMs: number, about: object = {}) =>
  schedule(layout.id, wall(day + fromMs), wall(day + untilMs), { rrule: "FREQ=DAILY", ...about });

test("[LIM1] a limit that is never reached does not let another item exceed its own", () => {
  const [free, limited, often] = [itemOf(10 * minuteMs), itemOf(10_000, 1), itemOf(10 * minuteMs, 100)];
  const ready = stateOf([[free, limited, often]], () => []);
  expect(maxInAnHour(startsOf(ready, limited, day, day + dayMs))).toBe(1);
});

test("[LIM2] a limited item plays in every window, however short, and never exceeds its limit in any hour", () => {
  const [free, limited] = [itemOf(10_000), itemOf(10_000, 1)];
  const ready = stateOf([[itemOf(5_000)], [free, limited]], ([, layout]) => [window(layout!, 12 * hourMs, 12 * hourMs + 10 * minuteMs)]);
  const times = startsOf(ready, limited, day, day + 30 * dayMs);
  expect(times).toHaveLength(30);
  // It plays as early as possible: in the first round of the loop.
  expect(new Set(times.map((at) => at % dayMs))).toEqual(new Set([12 * hourMs + 10_000]));
});

test("[LIM2] a limited item plays in each ten minutes that a higher priority leaves its layout, by schedule, daypart or default", () => {
  const [free, limited] = [itemOf(10_000), itemOf(10_000, 2)];
  const short = stateOf([[itemOf(5_000)], [itemOf(5_000)], [free, limited]], ([, above, below]) => [
    window(above!, 10 * minuteMs, dayMs, { priority: 5 }),
    schedule(below!.id, wall(day), null),
  ]);
  expect(startsOf(short, limited, day, day + 30 * dayMs)).toHaveLength(30);
  const daypart = stateOf([[itemOf(5_000)], [free, limited]], ([, layout]) => [
    schedule(layout!.id, wall(day), null, { conditions: [{ type: "daypart", from: "09:05", until: "09:15" }] }),
  ]);
  expect(startsOf(daypart, limited, day, day + 30 * dayMs)).toHaveLength(30);
  const byDefault = stateOf([[free, limited], [itemOf(5_000)]], ([, above]) => [window(above!, 10 * minuteMs, dayMs)]);
  // On the first day its ten minutes end a window of years.
  expect(startsOf(byDefault, limited, day + dayMs, day + 31 * dayMs)).toHaveLength(30);
});

test("[LIM2] windows less than an hour apart share the plays of the hour, even if other layouts play between them", () => {
  for (const limit of [1, 3]) {
    const [free, limited] = [itemOf(7_000), itemOf(11_000, limit)];
    // The default plays for ten minutes, then not for ten: no schedule here is longer.
    const above = Array.from({ length: 72 }, (_, n) => (2 * n + 1) * 10 * minuteMs);
    const ready = stateOf([[free, limited], [itemOf(5_000)]], ([, layout]) =>
      above.map((from) => window(layout!, from, from + 10 * minuteMs)),
    );
    const times = startsOf(ready, limited, day - dayMs, day + 5 * dayMs);
    for (let from = day; from < day + 5 * dayMs; from += dayMs) {
      // In an endless chain of short windows the count restarts with each UTC day.
      const today = times.filter((at) => at >= from && at < from + dayMs);
      expect(maxInAnHour(today)).toBeLessThanOrEqual(limit);
      expect(today.length).toBeGreaterThanOrEqual(22);
    }
  }
});

test("[LIM2] a window in every hour plays it every hour; next to a long window the loop continues", () => {
  const [free, limited] = [itemOf(10_000), itemOf(10_000, 1)];
  const news = Array.from({ length: 24 }, (_, hour) => hour * hourMs);
  const ready = stateOf([[itemOf(5_000)], [free, limited]], ([, layout]) =>
    news.map((from) => window(layout!, from + 50 * minuteMs, from + hourMs)),
  );
  const times = startsOf(ready, limited, day, day + 3 * dayMs);
  expect([times.length, maxInAnHour(times)]).toEqual([72, 1]);
  const cut = stateOf([[free, limited], [itemOf(5_000)]], ([, above]) => [
    window(above!, 12 * hourMs, 12 * hourMs + 5 * minuteMs),
    window(above!, 12 * hourMs + 15 * minuteMs, 12 * hourMs + 20 * minuteMs),
  ]);
  expect(maxInAnHour(startsOf(cut, limited, day, day + 3 * dayMs))).toBe(1);
});

test("[LIM3] a limited item that is valid for only ten minutes plays within those ten minutes", () => {
  const valid = { valid_from: new Date(day + 7 * minuteMs).toISOString(), valid_until: new Date(day + 17 * minuteMs).toISOString() };
  const [free, limited] = [itemOf(10_000), itemOf(10_000, 1, valid)];
  const ready = stateOf([[free, limited]], () => []);
  expect(startsOf(ready, limited, day, day + hourMs)).toHaveLength(1);
});

test("[LIM4] the first turn of an interrupt's window has the first play of its limited items", () => {
  const [free, limited] = [itemOf(10_000), itemOf(10_000, 1)];
  for (const minute of [0, 15, 25, 40, 50]) {
    const ready = stateOf([[itemOf(5_000)], [free, limited]], ([, layout]) => [
      window(layout!, minute * minuteMs, (minute + 10) * minuteMs, { interrupt: { share_percent: 20, play_ms: 60_000 } }),
    ]);
    expect(startsOf(ready, limited, day, day + 10 * dayMs)).toHaveLength(10);
  }
  const long = stateOf([[itemOf(5_000)], [free, limited]], ([, layout]) => [
    window(layout!, 25 * minuteMs, 5 * hourMs, { interrupt: { share_percent: 20, play_ms: 60_000 } }),
  ]);
  const times = startsOf(long, limited, day, day + dayMs);
  expect([times.length, maxInAnHour(times)]).toEqual([5, 1]);
});
