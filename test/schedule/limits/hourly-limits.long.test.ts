// Limits of plays per hour of items and interrupts: compared with a naive computation, and as properties.
import fc from "fast-check";
import { expect, test } from "vitest";
import { forecast } from "../../../src/schedule/forecast.ts";
import { playAt } from "../../../src/schedule/timeline.ts";
import { programAt } from "../../../src/schedule/program.ts";
import { explainAt } from "../../../src/schedule/why.ts";
import { loopEpochMs, type DesiredLayout } from "../../../src/protocol/device/desired-state.ts";
import { PlaylistItem } from "../../../src/protocol/content/items.ts";
import { desiredOf, newId, readyOf } from "../../support/states.ts";
import { naiveHour, naiveLoop, type NaiveInterrupt, type NaiveItem } from "./limits-oracle.ts";
import { schedule } from "../schedules.ts";

const hourMs = 3_600_000;
const day = Date.UTC(2026, 4, 5);

function itemOf(ms: number, limit?: number, more: object = {}): PlaylistItem {
  return PlaylistItem.parse({ id: newId("itm"), type: "text", text: "a", duration_ms: ms, max_plays_per_hour: limit, ...more });
}

function loopOf(items: PlaylistItem[]) {
  return programAt(readyOf(desiredOf(items, [])), day).program.zones[0]!.timeline;
}

/** The items whose plays begin from `from` to `until`, with the instants. */
function startedAt(items: PlaylistItem[], from: number, until: number): { id: string; at: number }[] {
  const timeline = loopOf(items);
  const plays: { id: string; at: number }[] = [];
  for (let at = playAt(timeline, from)!.endsAt; at < until;) {
    const play = playAt(timeline, at)!;
    plays.push({ id: play.timedItem.item.id, at: play.startsAt });
    at = play.endsAt;
  }
  return plays;
}

const durations = fc.integer({ min: 1_000, max: 90_000 });
const someItems = fc
  .tuple(
    fc.array(durations, { minLength: 1, maxLength: 4 }),
    fc.array(fc.record({ ms: durations, limit: fc.integer({ min: 1, max: 400 }) }), { minLength: 1, maxLength: 4 }),
  )
  .chain(([free, limited]) => {
    const all = [...free.map((ms) => itemOf(ms)), ...limited.map(({ ms, limit }) => itemOf(ms, limit))];
    return fc.shuffledSubarray(all, { minLength: all.length });
  });
const instants = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) });

test("[LIM1] no item begins more often in any hour than its limit, nor much less often than possible", () => {
  fc.assert(
    fc.property(someItems, instants, (items, from) => {
      const plays = startedAt(items, from, from + 3 * hourMs);
      const roundMs = items.reduce((sum, { duration_ms }) => sum + duration_ms!, 0);
      for (const { id, max_plays_per_hour: limit } of items) {
        if (limit === undefined) continue;
        const times: number[] = plays.filter((play) => play.id === id).map(({ at }) => at);
        for (const [index, at] of times.entries()) {
          // `limit` plays later at least an hour has passed.
          const later: number | undefined = times[index + limit];
          if (later !== undefined && later - at < hourMs) expect.fail(`${limit + 1} plays in ${later - at} ms`);
          // Spread evenly: never more than twice the even distance plus one round apart.
          const next = times[index + 1];
          if (next !== undefined && next - at > 2 * (hourMs / limit) + 2 * roundMs) expect.fail(`${next - at} ms without a play`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("[LIM1] the unlimited items of a loop play in order and without a gap, as they would without limits", () => {
  fc.assert(
    fc.property(someItems, instants, (items, from) => {
      const free = items.filter((item) => item.max_plays_per_hour === undefined).map(({ id }) => id);
      const shown = startedAt(items, from, from + hourMs).filter(({ id }) => free.includes(id));
      for (const [index, { id }] of shown.entries()) {
        const before = shown[index - 1];
        if (before !== undefined) expect(id).toBe(free[(free.indexOf(before.id) + 1) % free.length]);
      }
    }),
    { numRuns: 200 },
  );
});

test("[LIM1] a limit that is never reached changes nothing; limits do not apply if there is nothing else to show", () => {
  const [a, b, c] = [itemOf(20_000), itemOf(40_000, 60), itemOf(1_000, 1)];
  expect(loopOf([a, b]).items.map(({ item }) => item.id)).toEqual([a.id, b.id]);
  expect(loopOf([b, c]).items.map(({ item }) => item.id)).toEqual([b.id, c.id]);
  const [from, until] = ["2026-05-05T10:00:00Z", "2026-05-05T11:00:00Z"];
  const brief = itemOf(10_000, undefined, { valid_from: from, valid_until: until });
  const ready = readyOf(desiredOf([brief, c], []));
  const count = (instant: number) => programAt(ready, instant).program.zones[0]!.timeline.items.length;
  expect([count(Date.parse(from) - 1), count(Date.parse(from)), count(Date.parse(until))]).toEqual([1, 361, 1]);
});

test("[LIM1] the reasons say why a limited item is not in this round, and when it plays next", () => {
  const limited = itemOf(10_000, 4);
  const ready = readyOf(desiredOf([itemOf(10_000), limited], []));
  const plays = startedAt([...ready.desired.playlists[0]!.items], day, day + 2 * hourMs).filter(({ id }) => id === limited.id);
  const [first, second] = [plays[0]!, plays[1]!];
  const reason = (instant: number) => explainAt(ready, instant).find(({ layer }) => layer === "item");
  const next = expect.stringContaining(new Date(second.at).toISOString());
  expect(reason(first.at + 5_000)).toBeUndefined();
  expect(reason(first.at + 15_000)).toMatchObject({ id: limited.id, verdict: "set-aside", detail: next });
});

test("[INT1] the turns of an interrupt share the plays of its limited items, and the explanation states its own limit", () => {
  const [free, limited] = [itemOf(10_000), itemOf(10_000, 3)];
  const ready = stateOf([{ items: [itemOf(5_000)] }, { items: [free, limited] }], (layouts) => [
    schedule(layouts[1]!.id, "2026-01-01T00:00", null, { interrupt: { share_percent: 10, play_ms: 40_000, max_plays_per_hour: 7 } }),
  ]);
  const turns = [...forecast(ready, day, day + hourMs)].filter(({ layoutId }) => layoutId === ready.desired.layouts[0]!.id);
  expect(turns).toHaveLength(7);
  const shown = turns.map(({ from, until }) => {
    const { timeline } = programAt(ready, from).program.zones[0]!;
    let plays = 0;
    for (let at = from; at < until;) {
      const play = playAt(timeline, at)!;
      if (play.timedItem.item.id === limited.id) plays += 1;
      at = play.endsAt;
    }
    return plays;
  });
  expect(shown).toEqual([1, 0, 1, 0, 1, 0, 0]);
  const reasons = explainAt(ready, turns[1]!.from + 1);
  expect(reasons[0]).toMatchObject({ layer: "interrupt", detail: expect.stringContaining("at most 7 plays") });
  expect(reasons.find(({ layer }) => layer === "item")).toMatchObject({
    id: limited.id,
    detail: expect.stringContaining("not in this turn"),
  });
});

test("[INT3] second by second over two days of interrupts and limits, layout and item equal those of a naive computation", () => {
  const naive = (items: readonly PlaylistItem[]): NaiveItem[] =>
    items.map(({ id, duration_ms, max_plays_per_hour }) => ({
      id,
      ms: duration_ms!,
      ...(max_plays_per_hour === undefined ? {} : { limit: max_plays_per_hour }),
    }));
  const itemLists = [
    { items: [itemOf(7_000), itemOf(11_000, 6), itemOf(5_000, 40), itemOf(13_000)] },
    { items: [itemOf(4_000), itemOf(6_000, 3), itemOf(3_000, 20)] },
    { items: [itemOf(15_000)] },
    { items: [itemOf(8_000, 5), itemOf(9_000)] },
    { items: [itemOf(17_000), itemOf(19_000, 2)] },
  ];
  // The interrupts in the order that decides ties: by priority, then the window that began last.
  const interrupts: (NaiveInterrupt & { layoutIndex: number; hours: [number, number]; priority: number })[] = [
    { name: "3", layoutIndex: 3, share: 25, playMs: 30_000, limit: 12, hours: [12, 18.75], priority: 1 },
    { name: "2", layoutIndex: 2, share: 5, playMs: 15_000, hours: [10.25, 15.5], priority: 0 },
    { name: "1", layoutIndex: 1, share: 10, playMs: 20_000, limit: 9, hours: [0, 24], priority: 0 },
  ];
  const above = { layoutIndex: 4, hours: [14, 16] as const, priority: 1 };
  const wall = (hours: number) => new Date(day + hours * hourMs).toISOString().slice(0, 16);
  const ready = stateOf(itemLists, (layouts) => [
    ...interrupts.map(({ layoutIndex, share, playMs, limit, hours, priority }) =>
      schedule(layouts[layoutIndex]!.id, wall(hours[0]), wall(hours[1]), {
        rrule: "FREQ=DAILY",
        priority,
        interrupt: { share_percent: share, play_ms: playMs, ...(limit === undefined ? {} : { max_plays_per_hour: limit }) },
      }),
    ),
    schedule(layouts[above.layoutIndex]!.id, wall(above.hours[0]), wall(above.hours[1]), { rrule: "FREQ=DAILY", priority: above.priority }),
  ]);
  const layouts = [ready.desired.layout!, ...ready.desired.layouts];
  const loops = new Map<string, NaiveItem[]>();
  const once = (key: string, make: () => NaiveItem[]) => loops.get(key) ?? loops.set(key, make()).get(key)!;
  const hours = new Map<string, ReturnType<typeof naiveHour>>();
  const within = (hour: number, [from, until]: readonly [number, number]) => hour >= from && hour < until;
  let [compared, near] = [0, 0];
  const seen = new Set<string>();
  for (let instant = day + 500; instant < day + 2 * 24 * hourMs; instant += 1_000) {
    const hour = ((instant - day) / hourMs) % 24;
    const isAbove = within(hour, above.hours);
    const live = interrupts.filter((each) => within(hour, each.hours) && (!isAbove || each.priority >= above.priority));
    const key = live.map(({ name }) => name).join();
    const grid = hours.get(key) ?? hours.set(key, naiveHour(live)).get(key)!;
    const into = (instant - day) % hourMs;
    const turn = grid.find(({ from, until }) => into >= from && into < until);
    // Within two milliseconds of an edge rounding decides, and either result is correct.
    if (grid.some(({ from, until }) => Math.min(Math.abs(into - from), Math.abs(into - until)) < 2)) {
      near += 1;
      continue;
    }
    const layoutIndex =
      turn === undefined ? (isAbove ? above.layoutIndex : 0) : interrupts.find(({ name }) => name === turn.name)!.layoutIndex;
    const loop = once(`${layoutIndex} ${key} ${turn?.number ?? ""}`, () => {
      if (turn === undefined) return naiveLoop(naive(itemLists[layoutIndex]!.items), hourMs, (limit) => limit);
      // The first turn that lies completely in the window has the first play.
      const begins = (interrupts.find(({ name }) => name === turn.name)!.hours[0] % 1) * hourMs;
      const first = grid.findIndex(({ name, from }) => name === turn.name && Math.round(from) >= begins);
      const number = (turn.number - (grid[first]?.number ?? 0) + turn.of) % turn.of;
      const turns = Array.from({ length: turn.of }, (_, n) => n);
      const plays = (limit: number) => {
        // A turn gets a play as soon as the even share of plays up to it exceeds the plays so far.
        let had = 0;
        return turns.map((n) => {
          const due = Math.ceil(((n + 1) * limit) / turn.of) - had;
          had += due;
          return due;
        })[number]!;
      };
      return naiveLoop(naive(itemLists[layoutIndex]!.items), Math.round(turn.until) - Math.round(turn.from), plays);
    });
    const total = loop.reduce((sum, { ms }) => sum + ms, 0);
    let left = turn === undefined ? (instant - loopEpochMs) % total : (into - Math.round(turn.from)) % total;
    const expected = loop.find(({ ms }) => (left -= ms) < 0)!.id;
    const { program } = programAt(ready, instant);
    const shown = playAt(program.zones[0]!.timeline, instant)!.timedItem.item.id;
    if (program.layout!.id !== layouts[layoutIndex]!.id || shown !== expected) {
      expect.fail(`${new Date(instant).toISOString()}: ${program.layout!.id}, ${shown} instead of layout ${layoutIndex}, ${expected}`);
    }
    seen.add(`${layoutIndex} ${shown}`);
    compared += 1;
  }
  expect(compared + near).toBe(2 * 24 * 3_600);
  expect(near).toBeLessThan(compared / 100);
  // The comparison proves something only if every item of every layout has played.
  expect(seen.size).toBe(itemLists.flatMap(({ items }) => items).length);
  process.stdout.write(`limits: ${compared} instants compared, all equal\n`);
}, 120_000);

/** A state with layouts of one zone each: the first is the default, the others are for the schedules. */
function stateOf(itemLists: { items: PlaylistItem[] }[], schedules: (layouts: DesiredLayout[]) => Record<string, unknown>[]) {
  const [first, ...others] = itemLists.map(({ items }) => desiredOf(items, []));
  const layouts = [first!, ...others].map(({ layout }) => layout!);
  const playlists = [first!, ...others].flatMap((each) => each.playlists);
  const player = { ...first!.player, timezone: "UTC" };
  return readyOf({ ...first!, player, layouts: layouts.slice(1), playlists, schedules: schedules(layouts) });
}
