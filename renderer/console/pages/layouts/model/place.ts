// Moves, resizes and turns zones. Every result is whole pixels and inside the layout.
import { withZones, zoneOf, type Box, type EditedLayout, type EditedZone } from "./edited-layout.ts";
import { centerOf, clamp, fit, rotate, wholeDegrees, type Point } from "./geometry.ts";

/** The edges and corners at which a zone is resized. */
export const handles = ["n", "ne", "e", "se", "s", "sw", "w", "nw"] as const;
export type Handle = (typeof handles)[number];

/** The smallest side that a pointer can make. Numbers can be smaller. */
const leastSide = 8;

/** How far these zones can be moved together, at most by `wanted`. */
export function reachableMove(layout: EditedLayout, keys: readonly string[], { x, y }: Point): Point {
  const zones = layout.zones.filter(({ key }) => keys.includes(key));
  if (zones.length === 0) return { x: 0, y: 0 };
  const roomLeft = Math.min(...zones.map(({ left }) => left));
  const roomTop = Math.min(...zones.map(({ top }) => top));
  const roomRight = Math.min(...zones.map(({ left, width }) => layout.width - left - width));
  const roomBottom = Math.min(...zones.map(({ top, height }) => layout.height - top - height));
  return { x: clamp(Math.round(x), -roomLeft, roomRight), y: clamp(Math.round(y), -roomTop, roomBottom) };
}

/** Moves zones together; at the edge of the layout all of them stop. */
export function moveZones(layout: EditedLayout, keys: readonly string[], by: Point): EditedLayout {
  const { x, y } = reachableMove(layout, keys, by);
  if (x === 0 && y === 0) return layout;
  return withZones(layout, (zone) => (keys.includes(zone.key) ? { ...zone, left: zone.left + x, top: zone.top + y } : zone));
}

/** Which sides a handle moves: -1 the side at the start, 1 the one at the end, 0 none. */
export function sidesOf(handle: Handle): Point {
  return {
    x: handle.includes("w") ? -1 : handle.includes("e") ? 1 : 0,
    y: handle.includes("n") ? -1 : handle.includes("s") ? 1 : 0,
  };
}

/**
 * Drags a handle by a vector on the screen. The opposite edge or corner stays where it is, also if the zone is turned.
 * @param keepsRatio width and height keep their ratio
 */
export function resizeZone(layout: EditedLayout, key: string, handle: Handle, by: Point, keepsRatio = false): EditedLayout {
  const zone = zoneOf(layout, key);
  if (zone === undefined) return layout;
  const sides = sidesOf(handle);
  const own = rotate(by, -zone.rotation);
  let width = Math.max(leastSide, zone.width + sides.x * own.x);
  let height = Math.max(leastSide, zone.height + sides.y * own.y);
  if (keepsRatio) {
    const factor =
      sides.x === 0 ? height / zone.height : sides.y === 0 ? width / zone.width : Math.max(width / zone.width, height / zone.height);
    width = zone.width * factor;
    height = zone.height * factor;
  }
  if (zone.rotation === 0) {
    const most = roomFor(zone, sides, layout);
    const factor = keepsRatio ? Math.min(1, most.x / width, most.y / height) : 1;
    width = Math.round(Math.min(width * factor, most.x));
    height = Math.round(Math.min(height * factor, most.y));
  }
  return withBox(layout, key, boxAfter(zone, { width, height }, sides));
}

/** The largest width and height while the opposite sides stay. */
function roomFor(zone: Box, sides: Point, layout: EditedLayout): Point {
  return {
    x: sides.x < 0 ? zone.left + zone.width : layout.width - zone.left,
    y: sides.y < 0 ? zone.top + zone.height : layout.height - zone.top,
  };
}

/** The rectangle of another size whose opposite edge or corner is where it was, as it is seen on the screen. */
function boxAfter(zone: EditedZone, { width, height }: { width: number; height: number }, sides: Point): Box {
  const shift = rotate({ x: (sides.x * (width - zone.width)) / 2, y: (sides.y * (height - zone.height)) / 2 }, zone.rotation);
  const center = centerOf(zone);
  return { left: center.x + shift.x - width / 2, top: center.y + shift.y - height / 2, width, height };
}

/** Makes zones wider and higher at their right and lower edges, by the keyboard. */
export function growZones(layout: EditedLayout, keys: readonly string[], { x, y }: Point): EditedLayout {
  return withZones(layout, (zone) => {
    if (!keys.includes(zone.key)) return zone;
    const width = clamp(zone.width + x, 1, layout.width - zone.left);
    const height = clamp(zone.height + y, 1, layout.height - zone.top);
    return { ...zone, width, height };
  });
}

export function turnZone(layout: EditedLayout, key: string, degrees: number): EditedLayout {
  return withZones(layout, (zone) => (zone.key === key ? { ...zone, rotation: wholeDegrees(degrees) } : zone));
}

/** The angle that a pointer means which is at a place relative to the center of a zone; near a multiple of 15° it is that. */
export function angleTo({ x, y }: Point, snaps: boolean): number {
  const degrees = (Math.atan2(y, x) * 180) / Math.PI + 90;
  const nearest = Math.round(degrees / 15) * 15;
  return wholeDegrees(snaps && Math.abs(nearest - degrees) <= 4 ? nearest : degrees);
}

/** Changes a zone by numbers and choices. A value that exceeds the layout is limited to it. */
export function setZone(layout: EditedLayout, key: string, changes: Partial<Omit<EditedZone, "key">>): EditedLayout {
  return withZones(layout, (zone) => (zone.key === key ? fit({ ...zone, ...changes }, layout) : zone));
}

/** Another size of the layout. The zones keep their shares of it. */
export function resizeLayout(layout: EditedLayout, width: number, height: number): EditedLayout {
  const [across, down] = [width / layout.width, height / layout.height];
  const zones = layout.zones.map((zone) => {
    // The edges are rounded rather than the sizes: zones that touch still do.
    const left = Math.round(zone.left * across);
    const top = Math.round(zone.top * down);
    const right = Math.round((zone.left + zone.width) * across);
    const bottom = Math.round((zone.top + zone.height) * down);
    return fit({ ...zone, left, top, width: right - left, height: bottom - top }, { width, height });
  });
  return { ...layout, width, height, zones };
}

function withBox(layout: EditedLayout, key: string, box: Box): EditedLayout {
  return withZones(layout, (zone) => (zone.key === key ? fit({ ...zone, ...box }, layout) : zone));
}
