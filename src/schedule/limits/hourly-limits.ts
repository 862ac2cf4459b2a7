// Applies limits of plays per hour: repeats a loop for an hour, with each limited item in some of the rounds, spread evenly.
import { hourMs } from "../../base/time.ts";
import type { TimedItem } from "../playlist/playable-playlist.ts";

/** One of the turns of an interrupt in an hour. The turns share the plays of its limited items. */
export interface TurnInHour {
  /** From 0 to `of` - 1. */
  number: number;
  of: number;
  lengthMs: number;
}

// Below this an hour has too many rounds to list. No item can be so short.
const minRoundMs = 100;

/**
 * The loop of `items` in which none begins more often in any hour than its `max_plays_per_hour`: the rounds of an hour, each
 * with every unlimited item and some of the limited ones. The loop is an hour long or longer, so it never repeats within an
 * hour. The turns of an interrupt share the plays of the hour evenly.
 *
 * If there is no unlimited item to fill the time between, limits do not apply: a limit never leaves a screen empty.
 * @param isShortRun the loop plays for less than its length, so its first round has every item
 */
export function withinLimits(items: readonly TimedItem[], turn: TurnInHour | null, isShortRun: boolean): readonly TimedItem[] {
  const limitedItems = items.filter(({ item }) => item.max_plays_per_hour !== undefined);
  if (limitedItems.length === 0) return items;
  const unlimitedMs = items.reduce((sum, { item, durationMs }) => (item.max_plays_per_hour === undefined ? sum + durationMs : sum), 0);
  if (unlimitedMs < minRoundMs) return items;
  const plays = new Map(limitedItems.map((timedItem) => [timedItem, playsInTurn(timedItem.item.max_plays_per_hour!, turn)]));
  const rounds = roundsToFill(turn?.lengthMs ?? hourMs, unlimitedMs, plays);
  if (limitedItems.every((timedItem) => plays.get(timedItem)! >= rounds)) return items;
  const roundsOf = new Map(
    limitedItems.map((timedItem, index) => [
      timedItem,
      spreadOverRounds(plays.get(timedItem)!, rounds, index, limitedItems.length, isShortRun),
    ]),
  );
  return Array.from({ length: rounds }, (_, round) => items.filter((timedItem) => roundsOf.get(timedItem)?.has(round) ?? true)).flat();
}

/** The plays of an hour, or the part of them that belongs to one turn. */
function playsInTurn(limit: number, turn: TurnInHour | null): number {
  if (turn === null) return limit;
  return Math.ceil(((turn.number + 1) * limit) / turn.of) - Math.ceil((turn.number * limit) / turn.of);
}

/** The fewest rounds that last `spanMs`. */
function roundsToFill(spanMs: number, unlimitedMs: number, plays: ReadonlyMap<TimedItem, number>): number {
  const lengthOf = (rounds: number): number => {
    let lengthMs = rounds * unlimitedMs;
    for (const [{ durationMs }, count] of plays) lengthMs += Math.min(count, rounds) * durationMs;
    return lengthMs;
  };
  let [low, high] = [1, Math.ceil(spanMs / unlimitedMs)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (lengthOf(middle) >= spanMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The rounds that have one of `count` plays. In a short run the first round is one of them; otherwise each of the `of` limited
 * items begins at a different part of the spacing, so that they do not share rounds. Integers until the last division, so that
 * every machine computes the same rounds.
 */
function spreadOverRounds(count: number, rounds: number, index: number, of: number, isShortRun: boolean): ReadonlySet<number> {
  if (count >= rounds) return new Set(Array.from({ length: rounds }, (_, round) => round));
  if (isShortRun) return new Set(Array.from({ length: count }, (_, play) => Math.floor((play * rounds) / count)));
  return new Set(Array.from({ length: count }, (_, play) => Math.floor(((2 * (play * of + index) + 1) * rounds) / (2 * of * count))));
}
