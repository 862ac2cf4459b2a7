// Which slot a zone makes ready, and from when on it may be shown. Pure.
import type { SceneItem, Slot } from "../../../src/protocol/scene.ts";
import { identityOf } from "./failure-memory.ts";

/** What the choice depends on. Times are corrected wall time. */
export interface ZoneView {
  slots: readonly Slot[];
  now: number;
  /** The instant that the choice is for: now, or when the zone may be seen first, if that is later. */
  at: number;
  /** What is on the glass. */
  shown: { is: "playing" | "broken"; slot: Slot } | null;
  /** Whether an item may be prepared now: it did not fail, or long enough ago. */
  mayTry: (slot: Slot) => boolean;
}

// Corrections of the clock up to this do not bring back an item that just left.
const setBackMs = 1_000;
// How long an item stands in for one that cannot be shown, before the next one comes early.
const holdMs = 4_000;
// A slow item is passed over so long after the glass ought to have changed, where another can be shown instead.
const passOverMs = 4_500;
// What follows a slow item that was passed over has less: most items are ready by then.
const followerMs = 2_500;
// One that failed before is tried for so long at least, and given up so long before the change.
const retryMs = 1_000;
const aheadMs = 3_000;

/** The slot to make ready: the one due, unless it plays already or failed; else the first to come that may be tried. */
export function slotToPrepare(view: ZoneView): Slot | undefined {
  const { slots, at, shown, mayTry } = view;
  const due = dueOf(view);
  const plays = shown?.is === "playing" && shown.slot.key === due?.key;
  if (due !== undefined && !plays && mayTry(due)) return due;
  return slots.find((slot) => slot.starts_at > at && slot.key !== shown?.slot.key && mayTry(slot));
}

/**
 * When a slot comes on: at its start. Before it, where all that lies between cannot be shown: at once when the glass
 * shows nothing that plays, else when the item on it has stood in for long enough.
 */
export function showTimeOf(view: ZoneView, slot: Slot): number {
  const { slots, shown, mayTry } = view;
  const due = dueOf(view);
  if (shown === null || shown.is === "broken") {
    const isGap = due !== undefined && due.starts_at < slot.starts_at && !mayTry(due);
    return isGap ? due.starts_at : slot.starts_at;
  }
  const isBetween = ({ starts_at }: Slot): boolean => starts_at > shown.slot.starts_at && starts_at < slot.starts_at;
  const between = slots.filter(isBetween);
  const goesOnByItself = identityOf(shown.slot.item) === identityOf(slot.item);
  if (between.length === 0 || between.some(mayTry) || goesOnByItself) return slot.starts_at;
  return Math.min(slot.starts_at, Math.min(shown.slot.ends_at, between[0]!.starts_at) + holdMs);
}

/**
 * When a slot that is made ready from now on is given up for another one. Slow items in a row share one delay from when
 * the glass ought to change, and are not each waited for into their own slots; one that failed before is given up early
 * enough for another to be made ready in time.
 * @param about whether others were given up since the glass changed, and whether the item failed before.
 */
export function giveUpTimeOf(view: ZoneView, slot: Slot, { isFollower, hasFailed }: { isFollower: boolean; hasFailed: boolean }): number {
  const { now, shown } = view;
  const changesAt = shown?.is === "playing" ? Math.min(shown.slot.ends_at, slot.starts_at) : showTimeOf(view, slot);
  if (hasFailed) return Math.max(changesAt - aheadMs, now + (isFollower ? retryMs : passOverMs));
  return Math.max(changesAt + passOverMs, now + (isFollower ? followerMs : passOverMs));
}

/** Whether nothing is to come on yet at the instant of the view. */
export function isIdle(view: ZoneView): boolean {
  const target = slotToPrepare(view);
  return target === undefined || showTimeOf(view, target) > view.at;
}

/** The slot as it is played when it comes on early, in place of the one due. */
export function replacementFor(view: ZoneView, slot: Slot): Slot {
  const due = dueOf(view);
  if (due === undefined || slot.starts_at <= view.at + setBackMs) return slot;
  return { ...slot, key: `${slot.key}~${due.key}`, starts_at: view.at, ends_at: due.ends_at };
}

function dueOf({ slots, at, shown }: ZoneView): Slot | undefined {
  // A play may have begun in the frame nearest, just before its time, or the clock may have been set back since:
  // what is on the glass is never left for the one before it.
  const begun = ({ key, starts_at }: Slot): boolean => key === shown?.slot.key && starts_at < at + setBackMs;
  return slots.findLast((slot) => slot.starts_at <= at || begun(slot));
}

/** Whether one element can stay for both: a still item that equals the one before. A clip begins anew. */
export function canContinue(shown: SceneItem, next: SceneItem): boolean {
  return shown.type !== "video" && identityOf(shown) === identityOf(next);
}
