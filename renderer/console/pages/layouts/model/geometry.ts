// Rectangles that are turned around their center, and the rectangle that every zone must stay in. Pure arithmetic.
import type { Box, EditedZone, Size } from "./edited-layout.ts";

export interface Point {
  x: number;
  y: number;
}

export function centerOf({ left, top, width, height }: Box): Point {
  return { x: left + width / 2, y: top + height / 2 };
}

/** A vector that is turned clockwise. */
export function rotate({ x, y }: Point, degrees: number): Point {
  // Exact at right angles, where the cosine is not quite 0.
  const [sin, cos] = degrees % 90 === 0 ? rightAngles[((degrees / 90) % 4) + (degrees < 0 ? 4 : 0)]! : anglesOf(degrees);
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

const rightAngles: readonly (readonly [sin: number, cos: number])[] = [
  [0, 1],
  [1, 0],
  [0, -1],
  [-1, 0],
  [0, 1],
];

function anglesOf(degrees: number): readonly [sin: number, cos: number] {
  const radians = (degrees * Math.PI) / 180;
  return [Math.sin(radians), Math.cos(radians)];
}

/** The rectangle that a zone takes up on the screen, however it is turned. */
export function boundsOf(zone: Pick<EditedZone, keyof Box | "rotation">): Box {
  if (zone.rotation % 180 === 0) return { left: zone.left, top: zone.top, width: zone.width, height: zone.height };
  const center = centerOf(zone);
  const one = rotate({ x: zone.width / 2, y: zone.height / 2 }, zone.rotation);
  const other = rotate({ x: zone.width / 2, y: -zone.height / 2 }, zone.rotation);
  const x = Math.max(Math.abs(one.x), Math.abs(other.x));
  const y = Math.max(Math.abs(one.y), Math.abs(other.y));
  return { left: center.x - x, top: center.y - y, width: 2 * x, height: 2 * y };
}

/** The smallest rectangle around all of these. @param boxes at least one */
export function around(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const right = Math.max(...boxes.map((box) => box.left + box.width));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return { left, top, width: right - left, height: bottom - top };
}

export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}

/** The zone in whole pixels, wholly inside the layout, as the service requires. */
export function fit<Z extends Box>(zone: Z, layout: Size): Z {
  const width = clamp(Math.round(zone.width), 1, layout.width);
  const height = clamp(Math.round(zone.height), 1, layout.height);
  const left = clamp(Math.round(zone.left), 0, layout.width - width);
  const top = clamp(Math.round(zone.top), 0, layout.height - height);
  return { ...zone, left, top, width, height };
}

/** An angle from 0 to 359 in whole degrees. */
export function wholeDegrees(degrees: number): number {
  return ((Math.round(degrees) % 360) + 360) % 360;
}
