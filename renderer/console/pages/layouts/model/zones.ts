// Adds, duplicates and removes zones.
import type { Box, EditedLayout, EditedZone } from "./edited-layout.ts";
import { boundsOf, fit } from "./geometry.ts";

/** How far a copy lies from its original, so that both are seen. */
const copyShift = 40;
/** With more zones, looking for the free part of a layout would take too long. */
const mostSearched = 12;
const longestName = 200;

/** Adds a zone at the front, where there is room. */
export function addZone(layout: EditedLayout, key: string, name: string): EditedLayout {
  const zone: EditedZone = {
    ...freePlace(layout),
    key,
    name: freeName(layout, name),
    rotation: 0,
    background_color: null,
    transition: null,
    playlist_id: null,
    depth: 0,
  };
  return { ...layout, zones: [...layout.zones, zone] };
}

export function removeZones(layout: EditedLayout, keys: readonly string[]): EditedLayout {
  return { ...layout, zones: layout.zones.filter(({ key }) => !keys.includes(key)) };
}

/** Puts a copy of each of these zones directly in front of it. @param copies the keys of the copies, by those of the originals */
export function duplicateZones(layout: EditedLayout, copies: ReadonlyMap<string, string>): EditedLayout {
  let draft = layout;
  const zones = layout.zones.flatMap((zone) => {
    const key = copies.get(zone.key);
    if (key === undefined) return [zone];
    const copy = { ...zone, key, name: freeName(draft, zone.name), ...offsetCopy(zone, layout) };
    draft = { ...draft, zones: [...draft.zones, copy] };
    return [zone, copy];
  });
  return { ...layout, zones };
}

/** Beside the original; at the edge of the layout on its other side. */
function offsetCopy(zone: EditedZone, layout: EditedLayout): Pick<Box, "left" | "top"> {
  const shift = (start: number, length: number, whole: number): number =>
    start + length + copyShift <= whole ? start + copyShift : Math.max(0, start - copyShift);
  return { left: shift(zone.left, zone.width, layout.width), top: shift(zone.top, zone.height, layout.height) };
}

/** A name that no zone has: `Main 2` after `Main`. */
function freeName({ zones }: EditedLayout, proposal: string): string {
  const names = new Set(zones.map(({ name }) => name));
  if (!names.has(proposal)) return proposal;
  const stem = proposal.replace(/ [0-9]{1,3}$/, "");
  for (let number = 2; ; number += 1) {
    const name = `${stem.slice(0, longestName - 4)} ${number}`;
    if (!names.has(name)) return name;
  }
}

/** The largest rectangle without zones; if there is none worth it, the middle quarter. */
function freePlace(layout: EditedLayout): Box {
  const { width, height, zones } = layout;
  const middle = fit({ left: width / 4, top: height / 4, width: width / 2, height: height / 2 }, layout);
  if (zones.length > mostSearched) return middle;
  const boxes = zones.map(boundsOf);
  const xs = edges([0, width, ...boxes.flatMap((box) => [box.left, box.left + box.width])], width);
  const ys = edges([0, height, ...boxes.flatMap((box) => [box.top, box.top + box.height])], height);
  let best: Box | null = null;
  for (const [place, left] of xs.entries())
    for (const right of xs.slice(place + 1))
      for (const [row, top] of ys.entries())
        for (const bottom of ys.slice(row + 1)) {
          const box = { left, top, width: right - left, height: bottom - top };
          if ((best === null || box.width * box.height > best.width * best.height) && !boxes.some((other) => overlap(box, other)))
            best = box;
        }
  return best === null || best.width * best.height < (width * height) / 50 ? middle : fit(best, layout);
}

function edges(values: readonly number[], most: number): number[] {
  return [...new Set(values.filter((value) => value >= 0 && value <= most))].toSorted((one, other) => one - other);
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}
