// The week of a screen as rows of days with their content, each layout with its colour.
import { daysFrom, type ZoneDay } from "../../../data/zones.ts";
import type { Stretch } from "../data.ts";

/** A part of a stretch that is within one day. */
export interface Piece {
  stretch: Stretch;
  /** Hours of the wall clock, 0 to 24. */
  fromHour: number;
  toHour: number;
}

export interface WeekDay extends ZoneDay {
  pieces: Piece[];
}

/** The id of the layout or file of a stretch; null: nothing. */
export const contentOf = ({ empty_because: reason, layout_id: layoutId, asset_id: assetId }: Stretch): string | null =>
  reason === null ? (layoutId ?? assetId) : null;

/** The coming week in `timeZone`, from the day of `from` on. */
export function weekOf(stretches: readonly Stretch[], from: string, timeZone: string): WeekDay[] {
  return daysFrom(from, timeZone, 7).map((day) => ({ ...day, pieces: piecesOf(stretches, day) }));
}

function piecesOf(stretches: readonly Stretch[], day: ZoneDay): Piece[] {
  const pieces: Piece[] = [];
  for (const stretch of stretches) {
    const [from, to] = [Math.max(Date.parse(stretch.from), day.startMs), Math.min(Date.parse(stretch.to), day.endMs)];
    if (from >= to) continue;
    pieces.push({ stretch, fromHour: day.hourAt(from), toHour: to === day.endMs ? 24 : day.hourAt(to) });
  }
  return pieces;
}

const colours = 8;

/** The colour of each content, by the order of its first appearance, and its name. */
export function legendOf(
  stretches: readonly Stretch[],
  nameOf: (stretch: Stretch) => string,
): Map<string, { colour: number; name: string }> {
  const legend = new Map<string, { colour: number; name: string }>();
  for (const stretch of stretches) {
    const content = contentOf(stretch);
    if (content !== null && !legend.has(content)) legend.set(content, { colour: legend.size % colours, name: nameOf(stretch) });
  }
  return legend;
}

/** Stretches that follow each other and show the same are one: people see no boundary there. */
export function joinStretches(stretches: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = [];
  for (const stretch of stretches) {
    const last = all.at(-1);
    const isSame =
      last !== undefined && contentOf(last) === contentOf(stretch) && last.schedule_id === stretch.schedule_id && last.by === stretch.by;
    if (isSame) all[all.length - 1] = { ...last, to: stretch.to };
    else all.push(stretch);
  }
  return all;
}
