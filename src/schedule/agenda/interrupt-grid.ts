// Lays out the plays of interrupts on a grid of the UTC hour, spread evenly. Depends on the hour alone, not on past plays.
import { hourMs } from "../../base/time.ts";
import type { Interval } from "../calendar/intervals.ts";
import type { ActiveSchedule, AgendaEntry } from "./active-schedule.ts";

/** One play of an interrupt on the grid; `fromMs` and `untilMs` count from the start of the hour. */
export interface GridPlay {
  entry: AgendaEntry;
  fromMs: number;
  untilMs: number;
  /** It is the `number`-th (from 0) of the entry's `of` plays in the hour. */
  number: number;
  of: number;
}

/** A play of the grid, or the free time between two plays. In UTC ms, the end excluded. */
export interface Turn extends Interval {
  play: GridPlay | null;
}

/** The turn at `instant` while `interrupts` share the hour. */
export function turnAt(interrupts: readonly ActiveSchedule[], instant: number): Turn {
  const hour = Math.floor(instant / hourMs) * hourMs;
  const intoHour = instant - hour;
  let freeFrom = 0;
  for (const play of gridOf(interrupts)) {
    const { fromMs, untilMs } = play;
    if (intoHour < fromMs) return { play: null, from: hour + freeFrom, until: hour + fromMs };
    if (intoHour < untilMs) return { play, from: hour + fromMs, until: hour + untilMs };
    freeFrom = untilMs;
  }
  return { play: null, from: hour + freeFrom, until: hour + hourMs };
}

/** The plays of all `interrupts` from `from` to `until`, in order and cut to that span. */
export function turnsBetween(
  interrupts: readonly ActiveSchedule[],
  from: number,
  until: number,
): { entry: AgendaEntry; from: number; until: number }[] {
  const turns: { entry: AgendaEntry; from: number; until: number }[] = [];
  if (interrupts.length === 0) return turns;
  for (let hour = Math.floor(from / hourMs) * hourMs; hour < until; hour += hourMs) {
    for (const { entry, fromMs, untilMs } of gridOf(interrupts)) {
      const [start, end] = [Math.max(from, hour + fromMs), Math.min(until, hour + untilMs)];
      if (start < end) turns.push({ entry, from: start, until: end });
    }
  }
  return turns;
}

/** The number (from 0) of the first of the hour's turns that lies completely in the window of `active`. */
export function firstTurnOf(interrupts: readonly ActiveSchedule[], active: ActiveSchedule): number {
  if (!Number.isFinite(active.from)) return 0;
  const intoHour = active.from - Math.floor(active.from / hourMs) * hourMs;
  return gridOf(interrupts).find(({ entry, fromMs }) => entry === active.entry && fromMs >= intoHour)?.number ?? 0;
}

const grids = new WeakMap<readonly ActiveSchedule[], readonly GridPlay[]>();

function gridOf(interrupts: readonly ActiveSchedule[]): readonly GridPlay[] {
  let grid = grids.get(interrupts);
  if (grid === undefined) {
    grid = layOut(interrupts.map(({ entry }) => entry));
    grids.set(interrupts, grid);
  }
  return grid;
}

/**
 * Each interrupt gets the number of plays that comes nearest to its share, within its limit. The plays are ordered
 * as if those of each interrupt were spread evenly over the hour. Then they are laid out with equal pauses.
 */
function layOut(entries: readonly AgendaEntry[]): GridPlay[] {
  const shares = entries.map(({ schedule }) => schedule.interrupt!.share_percent);
  const scale = Math.min(1, 100 / shares.reduce((sum, share) => sum + share, 0));
  const plays = entries.flatMap((entry, index) => {
    const shareMs = (hourMs * shares[index]! * scale) / 100;
    const nearest = Math.max(1, Math.round(shareMs / entry.playMs));
    const count = Math.min(nearest, entry.schedule.interrupt!.max_plays_per_hour ?? nearest);
    // A share smaller than one play shortens the play; otherwise plays have their full length.
    const lengthMs = nearest === 1 ? Math.min(entry.playMs, shareMs) : entry.playMs;
    return Array.from({ length: count }, (_, number) => ({ entry, lengthMs, place: (number + 0.5) / count, index, number, of: count }));
  });
  plays.sort((a, b) => a.place - b.place || a.index - b.index);
  const totalMs = plays.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
  // Rounding up may exceed the hour a little.
  const shrink = Math.min(1, hourMs / totalMs);
  const pauseMs = Math.max(0, hourMs - totalMs) / plays.length;
  let at = 0;
  return plays.map(({ entry, lengthMs, number, of }): GridPlay => {
    // Half a pause at either end of the hour, so that the spacing is even across hours.
    const fromMs = Math.round(at + pauseMs / 2);
    at += pauseMs + lengthMs * shrink;
    return { entry, fromMs, untilMs: Math.min(hourMs, Math.round(at - pauseMs / 2)), number, of };
  });
}
