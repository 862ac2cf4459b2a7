// Makes the timeline of a zone: the valid items of its playlist, within their limits, in a loop.
import { dayMs } from "../../base/time.ts";
import type { Interval } from "../calendar/intervals.ts";
import { dailyLimitsAt, type DailyTiming } from "../limits/daily-limits.ts";
import { withinLimits } from "../limits/hourly-limits.ts";
import { loopRestart } from "../limits/loop-restart.ts";
import type { Timeline } from "../timeline.ts";
import type { ItemValidity } from "./item-validity.ts";
import { totalMsOf, validItemsAt, type PlayablePlaylist, type TimedItem } from "./playable-playlist.ts";

/** An interval in which the layout stays, and from when a loop counts within it; see `LayoutRun` of the agenda. */
interface Run extends Interval {
  loopRestart(loopMs: number): number | null;
}

/** The inputs of the timeline besides the playlist and the instant; see `Decision`. */
export interface LoopTiming extends DailyTiming {
  epochMs: number;
  /** How long the layout stays; null: `turn` decides. */
  layoutRun: (() => Run) | null;
}

/** The timeline of `playlist` at `instant`, and the next instant at which it changes; Infinity: it never does. */
export function timelineAt(playlist: PlayablePlaylist, instant: number, timing: LoopTiming): { timeline: Timeline; changesAt: number } {
  const { epochMs, turn, layoutRun } = timing;
  const { items: valid, until } = validItemsAt(playlist, instant);
  const dailyLimits = dailyLimitsAt(playlist, valid, instant, timing);
  // Items with a daily limit have a place in the loop but no duration there: the loop waits while one of them plays.
  const hasDaily = dailyLimits !== null && dailyLimits.items.length > 0;
  const candidates = hasDaily
    ? valid.map((timedItem) => (dailyLimits.items.includes(timedItem) ? { ...timedItem, durationMs: 0 } : timedItem))
    : valid;
  let loop = withinLimits(candidates, turn, false);
  let countsFrom = epochMs;
  if (loop !== candidates && layoutRun !== null) {
    const restart = restartOf(playlist, valid, instant, layoutRun(), totalMsOf(loop));
    if (restart !== null) [loop, countsFrom] = [withinLimits(candidates, turn, true), restart];
  }
  const dailyPlays = hasDaily ? dailyLimits.playsIn(loop, countsFrom) : null;
  const items = hasDaily ? loop.filter(({ durationMs }) => durationMs > 0) : loop;
  return {
    timeline: { items, totalMs: totalMsOf(items), epochMs: countsFrom, skips: [], pause: null, dailyPlays },
    changesAt: Math.min(until, dailyLimits?.until ?? Number.POSITIVE_INFINITY),
  };
}

/** The instant from which a loop of `loopMs` counts if the layout, or one of its items, stays for less than that; null: its epoch. */
function restartOf({ validity }: PlayablePlaylist, valid: readonly TimedItem[], instant: number, run: Run, loopMs: number): number | null {
  const restarts = valid.flatMap((timedItem) => {
    const ownValidity = timedItem.item.max_plays_per_hour === undefined ? undefined : validity.get(timedItem);
    return ownValidity === undefined ? [] : (itemRestart(ownValidity, instant, run, loopMs) ?? []);
  });
  return restarts.length === 0 ? run.loopRestart(loopMs) : Math.max(...restarts);
}

/** The same for one item: its intervals of validity within an hour share its plays, as short windows do. */
function itemRestart(validity: ItemValidity, instant: number, run: Run, loopMs: number): number | null {
  const first = (Math.floor(instant / dayMs) - 3) * dayMs;
  const intervals = validity.between(first, first + 6 * dayMs);
  const current = intervals.find(({ from, until }) => from <= instant && instant < until)!;
  const isLongEnough = current.from <= run.from || Math.min(current.until, run.until) - current.from >= loopMs;
  return isLongEnough ? null : loopRestart(current, intervals, intervals[0]!.from === first, loopMs);
}
