// Where the edges and middles of a zone that is dragged come to rest: at the layout, at other zones, at the safe area and the grid.
import type { Box, EditedLayout, Size } from "./edited-layout.ts";
import { boundsOf, type Point } from "./geometry.ts";

export interface Guide {
  axis: "x" | "y";
  /** In layout pixels. */
  at: number;
  kind: "layout" | "zone" | "safe" | "grid";
}

export interface SnapRules {
  /** How near is near, in layout pixels. */
  tolerance: number;
  /** The lines of the grid attract. */
  hasGrid: boolean;
  /** The edges of the safe area attract. */
  hasSafeArea: boolean;
}

interface Line {
  at: number;
  kind: Exclude<Guide["kind"], "grid">;
  /** Middles come to rest at middles, edges at edges; the middle of the layout attracts both. */
  attracts: "edges" | "middles" | "both";
}

export interface Lines {
  x: readonly Line[];
  y: readonly Line[];
  grid: number | null;
  tolerance: number;
}

/** The part of each side that some displays hide or viewers overlook. */
const safeShare = 0.05;

/** The rectangle in which everything important should be. */
export function safeAreaOf({ width, height }: Size): Box {
  const [across, down] = [Math.round(width * safeShare), Math.round(height * safeShare)];
  return { left: across, top: down, width: width - 2 * across, height: height - 2 * down };
}

/** The distance of the grid's lines: 40 px in Full HD. */
export function gridOf({ width, height }: Size): number {
  return Math.max(1, Math.round(Math.max(width, height) / 48));
}

/** All lines that attract zones but the moved ones themselves. */
export function linesOf(layout: EditedLayout, movingKeys: readonly string[], rules: SnapRules): Lines {
  const x: Line[] = ofSpan(0, layout.width, "layout", "both");
  const y: Line[] = ofSpan(0, layout.height, "layout", "both");
  for (const zone of layout.zones) {
    if (movingKeys.includes(zone.key)) continue;
    const { left, top, width, height } = boundsOf(zone);
    x.push(...ofSpan(left, width, "zone", "middles"));
    y.push(...ofSpan(top, height, "zone", "middles"));
  }
  if (rules.hasSafeArea) {
    const { left, top, width, height } = safeAreaOf(layout);
    x.push({ at: left, kind: "safe", attracts: "edges" }, { at: left + width, kind: "safe", attracts: "edges" });
    y.push({ at: top, kind: "safe", attracts: "edges" }, { at: top + height, kind: "safe", attracts: "edges" });
  }
  return { x, y, grid: rules.hasGrid ? gridOf(layout) : null, tolerance: rules.tolerance };
}

function ofSpan(start: number, length: number, kind: Line["kind"], middle: "both" | "middles"): Line[] {
  return [
    { at: start, kind, attracts: "edges" },
    { at: start + length / 2, kind, attracts: middle },
    { at: start + length, kind, attracts: "edges" },
  ];
}

export interface Snapped {
  by: Point;
  guides: readonly Guide[];
}

/** Corrects a movement so that an edge or the middle of the moved rectangle comes to rest. */
export function snapMove(box: Box, by: Point, lines: Lines): Snapped {
  const x = nearest("x", ends(box.left + by.x, box.width), lines);
  const y = nearest("y", ends(box.top + by.y, box.height), lines);
  return { by: { x: by.x + x.correction, y: by.y + y.correction }, guides: [...x.guides, ...y.guides] };
}

/** Corrects the movement of edges. @param sides which edges move, as `sidesOf` says */
export function snapResize(box: Box, sides: Point, by: Point, lines: Lines): Snapped {
  const edge = (start: number, length: number, side: number, delta: number): Mark[] =>
    side === 0 ? [] : [{ at: (side < 0 ? start : start + length) + delta, is: "edges" }];
  const x = nearest("x", edge(box.left, box.width, sides.x, by.x), lines);
  const y = nearest("y", edge(box.top, box.height, sides.y, by.y), lines);
  return { by: { x: by.x + x.correction, y: by.y + y.correction }, guides: [...x.guides, ...y.guides] };
}

interface Mark {
  at: number;
  is: "edges" | "middles";
}

function ends(start: number, length: number): Mark[] {
  return [
    { at: start, is: "edges" },
    { at: start + length, is: "edges" },
    { at: start + length / 2, is: "middles" },
  ];
}

function nearest(axis: "x" | "y", marks: readonly Mark[], lines: Lines): { correction: number; guides: Guide[] } {
  let correction: number | null = null;
  const consider = (distance: number): void => {
    if (Math.abs(distance) <= lines.tolerance && (correction === null || Math.abs(distance) < Math.abs(correction))) correction = distance;
  };
  for (const mark of marks) for (const line of lines[axis]) if (fits(line, mark)) consider(line.at - mark.at);
  // The grid has lines everywhere: it only counts where nothing else is near.
  if (correction === null && lines.grid !== null)
    for (const { at, is } of marks) if (is === "edges") consider(Math.round(at / lines.grid) * lines.grid - at);
  if (correction === null) return { correction: 0, guides: [] };
  return { correction, guides: guidesAt(axis, marks, correction, lines) };
}

function fits(line: Line, mark: Mark): boolean {
  return line.attracts === "both" || line.attracts === mark.is;
}

/** The lines at which the rectangle rests then; there can be several, such as both edges of a zone of the same width. */
function guidesAt(axis: "x" | "y", marks: readonly Mark[], correction: number, lines: Lines): Guide[] {
  const guides = new Map<number, Guide>();
  for (const mark of marks) {
    const place = mark.at + correction;
    const line = lines[axis].find((each) => fits(each, mark) && Math.abs(each.at - place) < 0.01);
    if (line !== undefined) guides.set(line.at, { axis, at: line.at, kind: line.kind });
    else if (mark.is === "edges" && lines.grid !== null && Math.abs(place % lines.grid) < 0.01)
      guides.set(place, { axis, at: place, kind: "grid" });
  }
  return [...guides.values()];
}
