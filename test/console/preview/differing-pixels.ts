// Counts the pixels in which two pictures of a layout differ, zone by zone.
import sharp from "sharp";
import { expect } from "vitest";

export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Where a picture shows a layout: the layout's point in its left upper corner, and its pixels for each of the layout's. */
export interface View {
  left: number;
  top: number;
  scale: number;
}

interface Picture {
  data: Buffer;
  width: number;
  height: number;
}

/** How many pixels of each zone differ between two pictures, and of no zone (`beside`). The zones lie on whole pixels and not on each other. */
export async function differingPixels(
  a: Buffer,
  b: Buffer,
  zones: readonly (Place & { name: string })[],
  view: View,
): Promise<Record<string, number>> {
  const [one, other] = await Promise.all([read(a), read(b)]);
  expect([other.width, other.height]).toEqual([one.width, one.height]);
  const counts = zones.map((zone): [string, number] => {
    const place = within(one, placeIn(view, zone));
    // Of a zone that is not to be seen nothing would be compared.
    expect([zone.name, place.width > 0 && place.height > 0]).toEqual([zone.name, true]);
    return [zone.name, differing(one, other, place)];
  });
  const all = differing(one, other, { left: 0, top: 0, width: one.width, height: one.height });
  return { beside: all - counts.reduce((sum, [, count]) => sum + count, 0), ...Object.fromEntries(counts) };
}

/** Where a picture shows a zone. */
export function placeIn({ left, top, scale }: View, zone: Place): Place {
  return { left: (zone.left - left) * scale, top: (zone.top - top) * scale, width: zone.width * scale, height: zone.height * scale };
}

async function read(png: Buffer): Promise<Picture> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** The part of a place that is in the picture. */
function within({ width, height }: Picture, place: Place): Place {
  const [left, top] = [Math.max(0, place.left), Math.max(0, place.top)];
  const right = Math.min(width, place.left + place.width);
  return { left, top, width: right - left, height: Math.min(height, place.top + place.height) - top };
}

function differing(one: Picture, other: Picture, { left, top, width, height }: Place): number {
  const areEqual = (from: number, to: number): boolean => one.data.compare(other.data, from, to, from, to) === 0;
  let count = 0;
  for (let y = top; y < top + height; y += 1) {
    const begin = (y * one.width + left) * 3;
    const end = begin + width * 3;
    if (areEqual(begin, end)) continue;
    for (let at = begin; at < end; at += 3) if (!areEqual(at, at + 3)) count += 1;
  }
  return count;
}
