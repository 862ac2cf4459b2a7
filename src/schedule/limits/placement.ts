// Places the plays of a day in a loop: each in the first gap after it is due in which it can be seen completely.
import type { Interval } from "../calendar/intervals.ts";
import type { TimedItem } from "../playlist/playable-playlist.ts";

/** A play of an item. `at` is when it is due; in the result of {@link placePlays}, when it begins. UTC ms. */
export interface DuePlay {
  timedItem: TimedItem;
  at: number;
  /** The whole interval in which its layout is due, interrupts included (`run` of an airing). */
  run: Interval;
}

/**
 * Places as many plays as possible of `due`, which are those of one span.
 * @param loop the items of the loop, several rounds long if necessary. The items to place are in it wherever they may play, with a
 * duration of zero: the loop waits while they play, so they take none of its own time
 * @param countsFrom the instant from which the loop would count without them
 * @param pieces the parts of the span in which the loop is on screen, in order
 */
export function placePlays(
  due: readonly DuePlay[],
  loop: readonly TimedItem[],
  countsFrom: number,
  span: Interval,
  pieces: readonly Interval[],
): readonly DuePlay[] {
  const plays = place(due, loop, countsFrom, pieces);
  if (plays.length === due.length) return plays;
  // Some plays did not fit into the span: try again with the plays spread from its beginning.
  const earlier = place(spreadFromStart(due, span), loop, countsFrom, pieces);
  return hasMorePlays(earlier, plays) ? earlier : plays;
}

/** The same plays, spread over the span from its beginning. */
function spreadFromStart(due: readonly DuePlay[], span: Interval): DuePlay[] {
  const counts = new Map<TimedItem, number>();
  for (const { timedItem } of due) counts.set(timedItem, (counts.get(timedItem) ?? 0) + 1);
  const spread = new Map<TimedItem, number>();
  return due
    .map((play): DuePlay => {
      const number = spread.get(play.timedItem) ?? 0;
      spread.set(play.timedItem, number + 1);
      return { ...play, at: span.from + Math.floor((number * (span.until - span.from)) / counts.get(play.timedItem)!) };
    })
    .toSorted((a, b) => a.at - b.at);
}

/** True if `plays` are of more items than `others`, or of as many items but more plays. */
function hasMorePlays(plays: readonly DuePlay[], others: readonly DuePlay[]): boolean {
  const countItems = (all: readonly DuePlay[]) => new Set(all.map(({ timedItem }) => timedItem)).size;
  return countItems(plays) > countItems(others) || (countItems(plays) === countItems(others) && plays.length > others.length);
}

/** A place in the loop, in ms, at which an item may play; `order` distinguishes items at the same place. */
interface Gap {
  place: number;
  order: number;
}

/** The plays of an item that are due, in order, and the gap in which the first of them can begin. */
interface WaitingItem {
  id: string;
  plays: DuePlay[];
  gap: Gap;
}

/**
 * Places each play in the first gap after it is due that is on screen completely; leaves out plays without one. Gaps are filled in
 * the order of the loop, so a play that waits long for its gap takes no room from those due after it.
 */
function place(due: readonly DuePlay[], loop: readonly TimedItem[], countsFrom: number, pieces: readonly Interval[]): DuePlay[] {
  const { gaps, loopMs } = gapsOf(loop);
  if (loopMs === 0) return [];
  const placed: DuePlay[] = [];
  const waiting = new Map<string, WaitingItem>();
  /** The ids of items with a play that had no room: their later plays have none either. */
  const withoutRoom = new Set<string>();
  let last: Gap = { place: Number.NEGATIVE_INFINITY, order: 0 };
  let loopStart = countsFrom;
  /** The piece of the last play. No later play is in a piece before it. */
  let firstPiece = 0;
  /** The first gap at `from` or later that no play has taken. */
  const freeGap = (own: readonly Gap[], from: number): Gap => {
    const gap = gapFrom(own, loopMs, Math.max(last.place, from));
    return isAfter(gap, last) ? gap : gapFrom(own, loopMs, last.place + 1);
  };
  for (let number = 0; number < due.length || waiting.size > 0;) {
    const first = firstInLoop(waiting.values());
    const next = due[number];
    if (next !== undefined && (first === undefined || next.at - loopStart <= first.gap.place)) {
      const { id } = next.timedItem.item;
      const own = gaps.get(id);
      if (waiting.has(id)) waiting.get(id)!.plays.push(next);
      else if (own !== undefined && !withoutRoom.has(id)) waiting.set(id, { id, plays: [next], gap: freeGap(own, next.at - loopStart) });
      number += 1;
      continue;
    }
    const { id, plays, gap } = first!;
    const play = plays[0]!;
    const at = Math.round(gap.place + loopStart);
    const until = at + play.timedItem.durationMs;
    let piece = firstPiece;
    while (piece < pieces.length && pieces[piece]!.until < until) piece += 1;
    const visible = pieces[piece];
    if (visible === undefined) {
      waiting.delete(id);
      withoutRoom.add(id);
    } else if (at < visible.from) {
      first!.gap = freeGap(gaps.get(id)!, Math.max(gap.place + 1, visible.from - loopStart));
    } else {
      placed.push({ ...play, at });
      // The loop waits while the item plays.
      loopStart += play.timedItem.durationMs;
      [last, firstPiece] = [gap, piece];
      plays.shift();
      if (plays.length === 0) waiting.delete(id);
      else first!.gap = freeGap(gaps.get(id)!, plays[0]!.at - loopStart);
    }
  }
  return placed;
}

/** The item whose gap comes first in the loop. */
function firstInLoop(items: Iterable<WaitingItem>): WaitingItem | undefined {
  let first: WaitingItem | undefined;
  for (const item of items) if (first === undefined || isAfter(first.gap, item.gap)) first = item;
  return first;
}

function isAfter(gap: Gap, other: Gap): boolean {
  return gap.place > other.place || (gap.place === other.place && gap.order > other.order);
}

/** The gaps of one loop by item id, and its length. A duration of zero marks an item to place: see {@link placePlays}. */
function gapsOf(loop: readonly TimedItem[]): { gaps: ReadonlyMap<string, readonly Gap[]>; loopMs: number } {
  const gaps = new Map<string, Gap[]>();
  let loopMs = 0;
  for (const [order, { item, durationMs }] of loop.entries()) {
    loopMs += durationMs;
    if (durationMs > 0) continue;
    const own = gaps.get(item.id);
    if (own === undefined) gaps.set(item.id, [{ place: loopMs, order }]);
    else own.push({ place: loopMs, order });
  }
  return { gaps, loopMs };
}

/** The first gap at `from` or later, counted through repeated loops. */
function gapFrom(gaps: readonly Gap[], loopMs: number, from: number): Gap {
  const round = Math.floor(from / loopMs) * loopMs;
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (round + gaps[middle]!.place >= from) high = middle;
    else low = middle + 1;
  }
  const { place: inLoop, order } = gaps[low % gaps.length]!;
  return { place: round + inLoop + (low === gaps.length ? loopMs : 0), order };
}
