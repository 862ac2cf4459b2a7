// Chooses the slot that a zone prepares next, and when it is shown. Pure.
import type { SceneItem, Slot } from "../../../src/protocol/scene.ts";
import { kindOf } from "../items/item-kinds.ts";
import { identityOf } from "../stage/failure-memory.ts";

/** The state of a zone that the choice depends on. Times are corrected wall time, ms. */
export interface ZoneView {
  slots: readonly Slot[];
  now: number;
  /** The instant the choice is for: now, or when the zone may be seen first, whichever is later. */
  at: number;
  /** The slot on screen. */
  onScreen: { is: "playing" | "broken"; slot: Slot } | null;
  /** True if an item may be prepared now: it has not failed, or long enough ago. */
  mayTry: (slot: Slot) => boolean;
}

// If the clock is set back by at most this much, an item that just left does not come back.
const setBackToleranceMs = 1_000;
// How long an item stays in place of one that cannot be shown, before the next one is shown early.
const holdMs = 4_000;
// How long after the due change a slow item is abandoned, if another can be shown instead.
const giveUpMs = 4_500;
// The item after an abandoned one gets less time: most items are ready by then.
const followerGiveUpMs = 2_500;
// An item that failed before is abandoned this long before the change, but not before this much time.
const minRetryMs = 1_000;
const retryLeadMs = 3_000;

/** The slot to prepare: the one due, unless it plays already or failed; otherwise the first upcoming one that may be tried. */
export function slotToPrepare(view: ZoneView): Slot | undefined {
  const { slots, at, onScreen, mayTry } = view;
  const due = dueOf(view);
  const plays = onScreen?.is === "playing" && onScreen.slot.key === due?.key;
  if (due !== undefined && !plays && mayTry(due)) return due;
  return slots.find((slot) => slot.starts_at > at && slot.key !== onScreen?.slot.key && mayTry(slot));
}

/**
 * When a slot is shown: at its start, or earlier if no slot before it can be shown. In that case it is shown at once when
 * nothing plays on screen; otherwise when the item on screen has stayed long enough in place of the missing ones.
 */
export function showTimeOf(view: ZoneView, slot: Slot): number {
  const { slots, onScreen, mayTry } = view;
  const due = dueOf(view);
  if (onScreen === null || onScreen.is === "broken") {
    const isGap = due !== undefined && due.starts_at < slot.starts_at && !mayTry(due);
    return isGap ? due.starts_at : slot.starts_at;
  }
  const isBetween = ({ starts_at }: Slot): boolean => starts_at > onScreen.slot.starts_at && starts_at < slot.starts_at;
  const between = slots.filter(isBetween);
  const continuesByItself = identityOf(onScreen.slot.item) === identityOf(slot.item);
  if (between.length === 0 || between.some(mayTry) || continuesByItself) return slot.starts_at;
  return Math.min(slot.starts_at, Math.min(onScreen.slot.ends_at, between[0]!.starts_at) + holdMs);
}

/**
 * When a slot that is prepared from now on is abandoned for another one. Slow items in a row share one delay, counted from
 * the due change; they do not each delay the zone. An item that failed before is abandoned early enough for another to be
 * prepared in time.
 * @param history whether other items were abandoned since the last change, and whether this item failed before.
 */
export function giveUpTimeOf(view: ZoneView, slot: Slot, { isFollower, hasFailed }: { isFollower: boolean; hasFailed: boolean }): number {
  const { now, onScreen } = view;
  const changesAt = onScreen?.is === "playing" ? Math.min(onScreen.slot.ends_at, slot.starts_at) : showTimeOf(view, slot);
  if (hasFailed) return Math.max(changesAt - retryLeadMs, now + (isFollower ? minRetryMs : giveUpMs));
  return Math.max(changesAt + giveUpMs, now + (isFollower ? followerGiveUpMs : giveUpMs));
}

/** True if no change is due at the instant of the view, nor within `forMs` after it. */
export function isIdle(view: ZoneView, forMs = 0): boolean {
  const target = slotToPrepare(view);
  return target === undefined || showTimeOf(view, target) > view.at + forMs;
}

/** True if another item than this one can be shown now or later. */
export function hasOther({ slots, now, mayTry }: ZoneView, item: SceneItem): boolean {
  const isOther = (slot: Slot): boolean => slot.ends_at > now && identityOf(slot.item) !== identityOf(item);
  return slots.some((slot) => isOther(slot) && mayTry(slot));
}

/** The slot as it is played when it is shown early, in place of the one due. */
export function replacementFor(view: ZoneView, slot: Slot): Slot {
  const due = dueOf(view);
  if (due === undefined || slot.starts_at <= view.at + setBackToleranceMs) return slot;
  return { ...slot, key: `${slot.key}~${due.key}`, starts_at: view.at, ends_at: due.ends_at };
}

function dueOf({ slots, at, onScreen }: ZoneView): Slot | undefined {
  // A play may begin in a frame just before its start, or the clock may have been set back since. The item on screen is
  // never replaced by the one before it.
  const hasBegun = ({ key, starts_at }: Slot): boolean => key === onScreen?.slot.key && starts_at < at + setBackToleranceMs;
  return slots.findLast((slot) => slot.starts_at <= at || hasBegun(slot));
}

/** True if the item on screen can stay for the next slot: the items are equal and of a kind that does not restart. */
export function canContinue(onScreen: SceneItem, next: SceneItem): boolean {
  return kindOf(onScreen).restarts !== true && identityOf(onScreen) === identityOf(next);
}
