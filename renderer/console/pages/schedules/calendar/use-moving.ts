// The window that is being moved in the calendar, by pointer or by keys, until it is put down or given up.
import { useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { dayMs, minuteMs } from "../../../../../src/base/time.ts";
import { isDate } from "../../../../../src/protocol/scheduling/moments.ts";
import { isShift, type Shift } from "../model/move.ts";
import type { Due } from "../model/windows.ts";

/** A window that is away from its place, and not put down yet. */
export interface Moving {
  due: Due;
  shift: Shift;
}

const stepMs = 15 * minuteMs;

/** True if two are the same window of the same schedule. */
function isSameDue(a: Due, b: Due): boolean {
  return a.schedule.id === b.schedule.id && a.from === b.from;
}

/** The windows with the one that is moved at its new place. */
export function withMoving(dues: readonly Due[], moving: Moving | null): Due[] {
  return dues.map((due) => {
    if (moving === null || !isSameDue(due, moving.due)) return due;
    return { ...due, from: due.from + moving.shift.start, until: due.until + moving.shift.end };
  });
}

/** The window as it was before it began to be moved: blocks know only where they are drawn. */
export function placeBefore(due: Due, moving: Moving | null): Due {
  if (moving === null || due.schedule.id !== moving.due.schedule.id) return due;
  return due.from === moving.due.from + moving.shift.start ? moving.due : due;
}

/** True if a window, as it is drawn, is the one that is moved. */
export function isMoving(due: Due, moving: Moving | null): boolean {
  return moving !== null && placeBefore(due, moving) === moving.due;
}

/** A shift that leaves at least a quarter of an hour. Whole days move by whole days. */
export function fitting(due: Due, { start, end }: Shift): Shift {
  const step = isDate(due.schedule.starts_at) ? dayMs : stepMs;
  const [from, to] = [Math.round(start / step) * step, Math.round(end / step) * step];
  return due.until + to - (due.from + from) < step ? { start: from, end: from + step - (due.until - due.from) } : { start: from, end: to };
}

export interface MovingState {
  moving: Moving | null;
  /** It was put down, and a dialog asks how to save it. */
  isAsking: boolean;
  set: (moving: Moving | null) => void;
  /** Moves the window that has the focus by Shift and the arrow keys; `byWeeks`: up and down are weeks. */
  onKeyDown: (event: KeyboardEvent, due: Due, byWeeks: boolean) => void;
}

/** @param onPutDown asks how to save it, and calls `set(null)` in the end */
export function useMoving(mayWrite: boolean, isAsking: boolean, onPutDown: (moving: Moving) => void): MovingState {
  const [moving, set] = useState<Moving | null>(null);
  const isByKeys = useRef(false);
  useLayoutEffect(() => {
    if (moving === null || isAsking) return;
    // On another day or at another time it is another element, which must keep the focus.
    if (isByKeys.current && document.activeElement?.matches("[data-moving=true]") !== true) {
      document.querySelector<HTMLElement>("a[data-moving=true]")?.focus();
    }
  });
  const onKeyDown = (event: KeyboardEvent, currentDue: Due, byWeeks: boolean): void => {
    const due = placeBefore(currentDue, moving);
    if (event.key === "Escape" && moving !== null) return set(null);
    if (event.key === "Enter" && moving !== null && isShift(moving.shift)) {
      event.preventDefault();
      return onPutDown(moving);
    }
    if (!mayWrite || !event.shiftKey || !Number.isFinite(due.until)) return;
    const by = stepOf(event.key, byWeeks, isDate(due.schedule.starts_at));
    if (by === null) return;
    event.preventDefault();
    isByKeys.current = true;
    const { start, end } = moving !== null && isSameDue(moving.due, due) ? moving.shift : { start: 0, end: 0 };
    set({ due, shift: fitting(due, event.altKey ? { start, end: end + by } : { start: start + by, end: end + by }) });
  };
  return { moving, isAsking, set, onKeyDown };
}

function stepOf(key: string, byWeeks: boolean, isWholeDays: boolean): number | null {
  const isRtl = document.documentElement.dir === "rtl";
  const upDown = byWeeks ? 7 * dayMs : isWholeDays ? dayMs : stepMs;
  if (key === "ArrowUp") return -upDown;
  if (key === "ArrowDown") return upDown;
  if (key === "ArrowLeft") return isRtl ? dayMs : -dayMs;
  return key === "ArrowRight" ? (isRtl ? -dayMs : dayMs) : null;
}
