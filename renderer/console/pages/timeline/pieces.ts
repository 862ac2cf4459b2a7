// Where the stretches of a plan lie on the axis of days and hours, on a wall clock. Pure.
import type { ZoneDay } from "../../data/zones.ts";
import type { ScreenPlan, Stretch } from "./data.ts";

/** A stretch as far as it is shown. */
export interface Piece {
  stretch: Stretch;
  /** Places on the axis, 0 to 1. */
  start: number;
  end: number;
  /** The instants at which it begins and ends, ms. */
  from: number;
  to: number;
}

/** The stretches of a plan within some days. Those that follow each other and show the same are one. */
export function piecesOf({ stretches }: ScreenPlan, days: readonly ZoneDay[]): Piece[] {
  const pieces: Piece[] = [];
  for (const stretch of stretches) {
    const from = Math.max(Date.parse(stretch.from), days[0]!.startMs);
    const to = Math.min(Date.parse(stretch.to), days.at(-1)!.endMs);
    if (from >= to) continue;
    const last = pieces.at(-1);
    if (last !== undefined && last.to === from && looksSame(last.stretch, stretch)) {
      pieces[pieces.length - 1] = { ...last, to, end: placeOf(to, days) };
    } else pieces.push({ stretch, from, to, start: placeOf(from, days), end: placeOf(to, days) });
  }
  return pieces;
}

/** Where an instant lies on the axis; outside of it, its nearest end. */
export function placeOf(ms: number, days: readonly ZoneDay[]): number {
  const index = days.findIndex(({ endMs }) => ms < endMs);
  if (index === -1) return 1;
  const day = days[index]!;
  return ms <= day.startMs ? index / days.length : (index + day.hourAt(ms) / 24) / days.length;
}

/** True if nothing is shown, also not by turns. */
export function isGap({ empty_because: reason }: Stretch): boolean {
  return reason !== null;
}

/** How a piece differs from another plan: something else is shown at some time, or the same layout with other items or files. */
export type Change = "shown" | "items";

/** How a piece differs from the pieces of another plan; null: it does not. */
export function changeOf({ stretch, from, to }: Piece, others: readonly Piece[]): Change | null {
  const beside = others.filter((other) => other.from < to && other.to > from);
  if (beside.length === 0 || beside.some((other) => shownBy(other.stretch) !== shownBy(stretch))) return "shown";
  return beside.some((other) => other.stretch.content !== stretch.content) ? "items" : null;
}

function looksSame(a: Stretch, b: Stretch): boolean {
  return a.content === b.content && sourceOf(a) === sourceOf(b);
}

/** The same; all gaps are equal. */
function shownBy(stretch: Stretch): string {
  return isGap(stretch) ? "" : sourceOf(stretch);
}

/** The content of a stretch and its source, to compare stretches. */
function sourceOf({ by, schedule_id, override_id, layout_id, asset_id, turns }: Stretch): string {
  return JSON.stringify([by, schedule_id, override_id, layout_id, asset_id, turns.map((turn) => turn.schedule_id)]);
}
