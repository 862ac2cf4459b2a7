// Finds room for plays a day: the first gap in the loop, from the instant on at which each is due, in which it is seen whole.
import type { TimedItem } from "../timeline.ts";
import type { Interval } from "../calendar/windows.ts";

/** An item that is due once from the instant `at` on, in this run of its layout; or, once it is placed, then. */
export interface Target {
  timed: TimedItem;
  at: number;
  run: Interval;
}

/**
 * The plays of `due`, which are those of one span; as many of them as there is room for.
 * @param loop has each of their items in the rounds in which it may come in, without length
 * @param countsFrom the instant from which the loop would count without them
 * @param pieces the parts of the span in which it is seen, in order
 */
export function placePlays(
  due: readonly Target[],
  loop: readonly TimedItem[],
  countsFrom: number,
  span: Interval,
  pieces: readonly Interval[],
): readonly Target[] {
  const plays = place(due, loop, countsFrom, pieces);
  if (plays.length === due.length) return plays;
  // Begun with the span, so that none comes too late for it.
  const earlier = place(early(due, span), loop, countsFrom, pieces);
  return isFuller(earlier, plays) ? earlier : plays;
}

/** The same plays spread over the span from its beginning. */
function early(due: readonly Target[], span: Interval): Target[] {
  const counts = new Map<TimedItem, number>();
  for (const { timed } of due) counts.set(timed, (counts.get(timed) ?? 0) + 1);
  const had = new Map<TimedItem, number>();
  return due
    .map((target): Target => {
      const number = had.get(target.timed) ?? 0;
      had.set(target.timed, number + 1);
      return { ...target, at: span.from + Math.floor((number * (span.until - span.from)) / counts.get(target.timed)!) };
    })
    .toSorted((a, b) => a.at - b.at);
}

/** Whether these are plays of more items, or of as many and more plays. */
function isFuller(plays: readonly Target[], others: readonly Target[]): boolean {
  const itemsOf = (all: readonly Target[]) => new Set(all.map(({ timed }) => timed)).size;
  return itemsOf(plays) > itemsOf(others) || (itemsOf(plays) === itemsOf(others) && plays.length > others.length);
}

/** Where in the loop an item may come in; `order` tells apart those that share a place. */
interface Slot {
  place: number;
  order: number;
}

/** The plays of `due`, each in the first slot from its instant on that is seen whole; those without one are left out. */
function place(due: readonly Target[], loop: readonly TimedItem[], countsFrom: number, pieces: readonly Interval[]): Target[] {
  const slots = new Map<string, Slot[]>();
  let loopMs = 0;
  for (const [order, { item, durationMs }] of loop.entries()) {
    loopMs += durationMs;
    if (durationMs > 0) continue;
    const own = slots.get(item.id);
    if (own === undefined) slots.set(item.id, [{ place: loopMs, order }]);
    else own.push({ place: loopMs, order });
  }
  if (loopMs === 0) return [];
  const plays: Target[] = [];
  let last: Slot = { place: Number.NEGATIVE_INFINITY, order: 0 };
  let waitedMs = countsFrom;
  let piece = 0;
  for (const { timed, at: dueAt, run } of due) {
    const own = slots.get(timed.item.id) ?? [];
    let from = Math.max(last.place, dueAt - waitedMs);
    while (own.length > 0) {
      let slot = slotFrom(own, loopMs, from);
      if (slot.place === last.place && slot.order <= last.order) slot = slotFrom(own, loopMs, last.place + 1);
      const at = Math.round(slot.place + waitedMs);
      while (piece < pieces.length && pieces[piece]!.until < at + timed.durationMs) piece += 1;
      const seen = pieces[piece];
      if (seen === undefined) break;
      if (at >= seen.from) {
        plays.push({ timed, at, run });
        waitedMs += timed.durationMs;
        last = slot;
        break;
      }
      from = Math.max(slot.place + 1, seen.from - waitedMs);
    }
  }
  return plays;
}

/** The first slot of the loop at `from` or later. */
function slotFrom(slots: readonly Slot[], loopMs: number, from: number): Slot {
  const begins = Math.floor(from / loopMs) * loopMs;
  let [low, high] = [0, slots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (begins + slots[middle]!.place >= from) high = middle;
    else low = middle + 1;
  }
  const { place, order } = slots[low % slots.length]!;
  return { place: begins + place + (low === slots.length ? loopMs : 0), order };
}
