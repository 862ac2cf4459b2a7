// Limits of plays a day: which instants of a day are those of a limited item, and between which plays of its loop it comes in.
import type { DesiredLayout } from "../../protocol/device/desired-state.ts";
import type { Airing } from "./airtime.ts";
import { placePlays, type Target } from "./placement.ts";
import type { TurnOfHour } from "./hourly-limits.ts";
import type { PlayablePlaylist, TimedItem } from "../timeline.ts";
import type { Interval } from "../calendar/windows.ts";
import type { TimeZoneRules } from "../calendar/time-zone.ts";

/** A play between two of the loop, which waits meanwhile; `waitedMs`: for how long it has since its epoch, this play included. */
export interface DailyPlay {
  timed: TimedItem;
  at: number;
  waitedMs: number;
}

/** What comes into a loop besides what it holds, until `until`. */
export interface DailyPlays {
  items: readonly TimedItem[];
  /** In order. */
  plays: readonly DailyPlay[];
  /** For how long the loop has waited before the first of them. */
  waitedMs: number;
  until: number;
}

/** A local day, `number` counted since 1970. */
interface Day extends Interval {
  number: number;
}

/** A part of an airing in which the same items are valid; `span` is the part of its run in which they are. */
interface Part extends Interval {
  run: Interval;
  span: Interval;
}

/** What the limits of a reel come to on a day. */
interface Plan {
  airings: readonly Airing[];
  parts: readonly Part[];
  /** Of all its items with a limit a day. */
  targets: readonly Target[];
}

/** What plays a day hang on besides the items. */
export interface DailyTiming {
  /** The turn of an interrupt that the loop is for. */
  turn: TurnOfHour | null;
  /** The player's. */
  timeZone: TimeZoneRules;
  /** What is seen in a span, in order. */
  airings: (from: number, until: number) => readonly Airing[];
  /** Whether a layout has the playlist of the reel. */
  hasPlaylist: (layout: DesiredLayout) => boolean;
}

/** The limited items of a loop at an instant. */
export interface DailyLimits {
  items: readonly TimedItem[];
  /** Until when it is these. */
  until: number;
  /**
   * Their plays in a loop that counts from `epochMs`.
   * @param loop has each of `items` in the rounds in which it may come in, without length
   */
  playsIn(loop: readonly TimedItem[], epochMs: number): DailyPlays;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The items of `reel` whose limit of plays a day counts at `instant`; null: none has one.
 *
 * The plays of a day are spread evenly over the time in which the items' playlist is seen and they are valid. Each is due
 * from an instant of its own and begins with the next round of the loop that has room for it; the loop goes on after it.
 * Since all days have as many, the loop of a layout that is always on goes on over midnight without a cut.
 */
export function dailyLimitsAt(
  reel: PlayablePlaylist,
  valid: readonly TimedItem[],
  instant: number,
  { turn, timeZone: zone, airings, hasPlaylist: shows }: DailyTiming,
): DailyLimits | null {
  if (!reel.items.some(isCapped)) return null;
  const day = dayAt(zone, instant);
  const { parts, targets } = planOf(reel, day, airings(day.from, day.until), shows);
  const here = parts.find(({ from, until }) => from <= instant && instant < until);
  const items = valid.filter((timed) => isCapped(timed) && mayReach(timed, reel, day, parts.length));
  const until = here?.span.until ?? day.until;
  // With nothing else to show, no screen is left empty for limits.
  if (items.length === 0 || items.length === valid.length) return { items: [], until, playsIn: () => none(until) };
  const own = targets.filter(({ timed }) => items.includes(timed));
  return {
    items,
    until,
    playsIn: (loop, epochMs) => {
      if (here === undefined) return none(until);
      const { span, run } = here;
      const before = (end: number) => own.reduce((sum, { timed, at }) => (at < end ? sum + timed.durationMs : sum), 0);
      const epochDay = dayAt(zone, epochMs).number;
      const aDayMs = items.reduce((sum, { item, durationMs }) => sum + item.max_plays_per_day! * durationMs, 0);
      const since = (day.number - epochDay) * aDayMs + before(span.from) - (epochDay === day.number ? before(epochMs) : 0);
      const waitedMs = turn === null ? since : 0;
      const pieces = parts.filter((part) => part.run === run && part.from >= span.from && part.until <= span.until);
      const due = own.filter(({ at, run: other }) => other === run && at >= span.from && at < span.until).toSorted((a, b) => a.at - b.at);
      const plays = placePlays(due, loop, epochMs + waitedMs, span, pieces);
      let waited = waitedMs;
      return { items, waitedMs, until, plays: plays.map(({ timed, at }) => ({ timed, at, waitedMs: (waited += timed.durationMs) })) };
    },
  };
}

function none(until: number): DailyPlays {
  return { items: [], plays: [], waitedMs: 0, until };
}

// Asked for with each change of program; a day of many interrupts has thousands of airings.
const lastPlan = new WeakMap<PlayablePlaylist, Plan>();

function planOf(reel: PlayablePlaylist, day: Day, airings: readonly Airing[], shows: (layout: DesiredLayout) => boolean): Plan {
  const last = lastPlan.get(reel);
  if (last?.airings === airings) return last;
  const own = airings.filter(({ layout }) => layout !== null && shows(layout));
  const parts = partsOf(own, edgesIn(reel, day));
  const capped = reel.items.filter(isCapped);
  const plan = { airings, parts, targets: capped.flatMap((timed) => targetsOf(timed, capped, reel, day, parts)) };
  lastPlan.set(reel, plan);
  return plan;
}

function isCapped({ item }: TimedItem): boolean {
  return item.max_plays_per_day !== undefined;
}

/** Days end where the next begins: an hour before midnight that is repeated after it belongs to the day that has begun. */
function dayAt(zone: TimeZoneRules, instant: number): Day {
  const wallDay = Math.floor(zone.wallAt(instant) / dayMs);
  const number = zone.instantOf((wallDay + 1) * dayMs) <= instant ? wallDay + 1 : wallDay;
  return { number, from: zone.instantOf(number * dayMs), until: zone.instantOf((number + 1) * dayMs) };
}

/** The instants of the day at which items begin or end to be valid. */
function edgesIn({ validity }: PlayablePlaylist, day: Day): number[] {
  const edges = [...validity.values()].flatMap((each) => each.between(day.from, day.until).flatMap(({ from, until }) => [from, until]));
  return [...new Set(edges)].toSorted((a, b) => a - b);
}

function partsOf(airings: readonly Airing[], edges: readonly number[]): Part[] {
  return airings.flatMap(({ from, until, run }) => {
    const cuts = [from, ...edges.filter((edge) => edge > from && edge < until), until];
    return cuts.slice(1).map((end, index): Part => {
      const begin = cuts[index]!;
      const span = {
        from: Math.max(run.from, edges.findLast((edge) => edge <= begin) ?? run.from),
        until: Math.min(run.until, edges.find((edge) => edge >= end) ?? run.until),
      };
      return { from: begin, until: end, run, span };
    });
  });
}

/** Whether an item in every round that it may have would come on more often than it may. */
function mayReach({ item, durationMs }: TimedItem, { items, validity }: PlayablePlaylist, day: Day, parts: number): boolean {
  const isAlways = (timed: TimedItem) =>
    !validity.has(timed) && timed.item.max_plays_per_day === undefined && timed.item.max_plays_per_hour === undefined;
  const roundMs = items.reduce((sum, timed) => (isAlways(timed) ? sum + timed.durationMs : sum), durationMs);
  const most = Math.ceil((day.until - day.from) / roundMs) + parts;
  const { max_plays_per_day: limit, max_plays_per_hour: hourly } = item;
  return limit! < Math.min(most, hourly === undefined ? most : (Math.ceil((day.until - day.from) / hourMs) + parts) * hourly);
}

/**
 * The day's instants of an item: evenly spaced in the time that it has, each item's at another part of the spacing. Where
 * that time has parts that last a whole round, only those count.
 */
function targetsOf(timed: TimedItem, capped: readonly TimedItem[], reel: PlayablePlaylist, day: Day, parts: readonly Part[]): Target[] {
  const roundMs = reel.items.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const times = reel.validity.get(timed)?.between(day.from, day.until) ?? [day];
  const own = parts.filter(({ from }) => times.some((time) => time.from <= from && from < time.until));
  const long = own.filter(({ span }) => span.until - span.from >= roundMs);
  const counted = long.length > 0 ? long : own;
  const totalMs = counted.reduce((sum, { from, until }) => sum + until - from, 0);
  const count = timed.item.max_plays_per_day!;
  const [index, of] = [capped.indexOf(timed), capped.length];
  const targets: Target[] = [];
  let passedMs = 0;
  for (const { from, until, run } of counted) {
    while (targets.length < count) {
      const intoMs = Math.floor(((2 * (targets.length * of + index) + 1) * totalMs) / (2 * of * count));
      if (intoMs >= passedMs + until - from) break;
      targets.push({ timed, at: from + intoMs - passedMs, run });
    }
    passedMs += until - from;
  }
  return targets;
}
