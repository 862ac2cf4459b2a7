// How interrupts share an hour: a grid of plays, spread evenly. Counted from the UTC hour alone, never from what was played.
import type { AgendaEntry, ActiveSchedule } from "./agenda.ts";

/** One play of an interrupt on the grid; `fromMs` and `untilMs` count from the start of the hour. */
export interface GridPlay {
  entry: AgendaEntry;
  fromMs: number;
  untilMs: number;
  /** It is the `number`-th (from 0) of the entry's `of` plays in the hour. */
  number: number;
  of: number;
}

const hourMs = 3_600_000;

/** What the grid says at an instant: a play, or the free time between two. In UTC ms, the end excluded. */
export interface Turn {
  play: GridPlay | null;
  from: number;
  until: number;
}

/** The turn at `instant` when `lives` share the hour. The same set in another order gives the same. */
export function turnAt(lives: readonly ActiveSchedule[], instant: number): Turn {
  const hour = Math.floor(instant / hourMs) * hourMs;
  const intoHour = instant - hour;
  let freeFrom = 0;
  for (const play of gridOf(lives)) {
    const { fromMs, untilMs } = play;
    if (intoHour < fromMs) return { play: null, from: hour + freeFrom, until: hour + fromMs };
    if (intoHour < untilMs) return { play, from: hour + fromMs, until: hour + untilMs };
    freeFrom = untilMs;
  }
  return { play: null, from: hour + freeFrom, until: hour + hourMs };
}

/** The turns of all `lives` from `from` to `until`, in order and cut to that span. */
export function turnsBetween(
  lives: readonly ActiveSchedule[],
  from: number,
  until: number,
): { entry: AgendaEntry; from: number; until: number }[] {
  const turns: { entry: AgendaEntry; from: number; until: number }[] = [];
  if (lives.length === 0) return turns;
  for (let hour = Math.floor(from / hourMs) * hourMs; hour < until; hour += hourMs) {
    for (const { entry, fromMs, untilMs } of gridOf(lives)) {
      const [begins, ends] = [Math.max(from, hour + fromMs), Math.min(until, hour + untilMs)];
      if (begins < ends) turns.push({ entry, from: begins, until: ends });
    }
  }
  return turns;
}

/** Which of the hour's turns, from 0, is the first that lies wholly in the window of `live`. */
export function firstTurnOf(lives: readonly ActiveSchedule[], live: ActiveSchedule): number {
  if (!Number.isFinite(live.from)) return 0;
  const intoHour = live.from - Math.floor(live.from / hourMs) * hourMs;
  return gridOf(lives).find(({ entry, fromMs }) => entry === live.entry && fromMs >= intoHour)?.number ?? 0;
}

const grids = new WeakMap<readonly ActiveSchedule[], readonly GridPlay[]>();

function gridOf(lives: readonly ActiveSchedule[]): readonly GridPlay[] {
  let grid = grids.get(lives);
  if (grid === undefined) {
    grid = layOut(lives.map(({ entry }) => entry));
    grids.set(lives, grid);
  }
  return grid;
}

/**
 * Each interrupt gets as many plays as come nearest to its share, at most its limit; the plays are put in the order in
 * which even spacing wants them, with equal pauses between them.
 */
function layOut(entries: readonly AgendaEntry[]): GridPlay[] {
  const shares = entries.map(({ schedule }) => schedule.interrupt!.share_percent);
  const scale = Math.min(1, 100 / shares.reduce((sum, share) => sum + share, 0));
  const plays = entries.flatMap((entry, index) => {
    const shareMs = (hourMs * shares[index]! * scale) / 100;
    const wanted = Math.max(1, Math.round(shareMs / entry.playMs));
    const count = Math.min(wanted, entry.schedule.interrupt!.max_plays_per_hour ?? wanted);
    // A share smaller than one play shortens it; otherwise plays are whole, and the nearest number of them.
    const lengthMs = wanted === 1 ? Math.min(entry.playMs, shareMs) : entry.playMs;
    return Array.from({ length: count }, (_, number) => ({ entry, lengthMs, place: (number + 0.5) / count, index, number, of: count }));
  });
  plays.sort((a, b) => a.place - b.place || a.index - b.index);
  const taken = plays.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
  // Rounding up may ask for a little more than the hour has.
  const shrink = Math.min(1, hourMs / taken);
  const pauseMs = Math.max(0, hourMs - taken) / plays.length;
  let at = 0;
  return plays.map(({ entry, lengthMs, number, of }): GridPlay => {
    // Half a pause at either end of the hour, so that hours join evenly.
    const fromMs = Math.round(at + pauseMs / 2);
    at += pauseMs + lengthMs * shrink;
    return { entry, fromMs, untilMs: Math.min(hourMs, Math.round(at - pauseMs / 2)), number, of };
  });
}
