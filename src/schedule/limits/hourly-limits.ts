// How often items with a limit stand in a loop: as many rounds as fill an hour, each limited item in some of them, spread evenly.
import type { TimedItem } from "../timeline.ts";

/** One of the turns of an interrupt in an hour, which share what its items may play. */
export interface TurnOfHour {
  /** Counted from 0 to `of` - 1. */
  number: number;
  of: number;
  lengthMs: number;
}

const hourMs = 3_600_000;
// Rounds shorter than any item that can be made would be too many to write down.
const minRoundMs = 100;

/**
 * The items of a loop in which none begins more often in any hour than its `max_plays_per_hour`: an hour's rounds one after
 * the other, each with every unlimited item and some of the limited ones. Since the loop is an hour long or longer, what it
 * holds is never played in less. The turns of an interrupt share the hour's plays evenly.
 *
 * Where nothing unlimited is left to fill the time between, limits do not count: no screen is left empty for them.
 * @param isBrief the loop is on for less than its length: its first round has a play of every item
 */
export function withinLimits(items: readonly TimedItem[], turn: TurnOfHour | null, isBrief: boolean): readonly TimedItem[] {
  const limited = items.filter(({ item }) => item.max_plays_per_hour !== undefined);
  if (limited.length === 0) return items;
  const fillMs = items.reduce((sum, { item, durationMs }) => (item.max_plays_per_hour === undefined ? sum + durationMs : sum), 0);
  if (fillMs < minRoundMs) return items;
  const plays = new Map(limited.map((timed) => [timed, playsOf(timed.item.max_plays_per_hour!, turn)]));
  const rounds = roundsToFill(turn?.lengthMs ?? hourMs, fillMs, plays);
  if (limited.every((timed) => plays.get(timed)! >= rounds)) return items;
  const places = new Map(limited.map((timed, index) => [timed, placesOf(plays.get(timed)!, rounds, index, limited.length, isBrief)]));
  return Array.from({ length: rounds }, (_, round) => items.filter((timed) => places.get(timed)?.has(round) ?? true)).flat();
}

/** An hour's plays, or those of them that fall to one turn. */
function playsOf(limit: number, turn: TurnOfHour | null): number {
  if (turn === null) return limit;
  return Math.ceil(((turn.number + 1) * limit) / turn.of) - Math.ceil((turn.number * limit) / turn.of);
}

/** The fewest rounds that last `spanMs`. */
function roundsToFill(spanMs: number, fillMs: number, plays: ReadonlyMap<TimedItem, number>): number {
  const lengthOf = (rounds: number): number => {
    let lengthMs = rounds * fillMs;
    for (const [{ durationMs }, count] of plays) lengthMs += Math.min(count, rounds) * durationMs;
    return lengthMs;
  };
  let [low, high] = [1, Math.ceil(spanMs / fillMs)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (lengthOf(middle) >= spanMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The rounds that have one of `count` plays. In a brief loop the first is one of them; in others each of the `of` limited items begins at another part of the spacing, so that
 * they do not meet in the same rounds. Whole numbers until the last division: every machine finds the same rounds.
 */
function placesOf(count: number, rounds: number, index: number, of: number, isBrief: boolean): ReadonlySet<number> {
  if (count >= rounds) return new Set(Array.from({ length: rounds }, (_, round) => round));
  if (isBrief) return new Set(Array.from({ length: count }, (_, play) => Math.floor((play * rounds) / count)));
  return new Set(Array.from({ length: count }, (_, play) => Math.floor(((2 * (play * of + index) + 1) * rounds) / (2 * of * count))));
}
