// Aligns and distributes zones, and orders which is in front of which.
import { withZones, type Box, type EditedLayout, type EditedZone } from "./edited-layout.ts";
import { around, boundsOf, fit } from "./geometry.ts";

export const alignments = ["left", "center", "right", "top", "middle", "bottom"] as const;
export type Alignment = (typeof alignments)[number];

/** Aligns zones to each other; one alone, to the layout. Turned zones are aligned as they are seen. */
export function align(layout: EditedLayout, keys: readonly string[], how: Alignment): EditedLayout {
  const selection = layout.zones.filter(({ key }) => keys.includes(key));
  if (selection.length === 0) return layout;
  const frame = selection.length === 1 ? { left: 0, top: 0, width: layout.width, height: layout.height } : around(selection.map(boundsOf));
  return withZones(layout, (zone) => {
    if (!keys.includes(zone.key)) return zone;
    const { x, y } = shiftTo(boundsOf(zone), frame, how);
    return fit({ ...zone, left: zone.left + x, top: zone.top + y }, layout);
  });
}

function shiftTo(box: Box, frame: Box, how: Alignment): { x: number; y: number } {
  switch (how) {
    case "left":
      return { x: frame.left - box.left, y: 0 };
    case "center":
      return { x: frame.left + (frame.width - box.width) / 2 - box.left, y: 0 };
    case "right":
      return { x: frame.left + frame.width - box.width - box.left, y: 0 };
    case "top":
      return { x: 0, y: frame.top - box.top };
    case "middle":
      return { x: 0, y: frame.top + (frame.height - box.height) / 2 - box.top };
    case "bottom":
      return { x: 0, y: frame.top + frame.height - box.height - box.top };
  }
}

/** Gives the gaps between zones the same size. The outer two stay. @param keys fewer than three: nothing changes */
export function distribute(layout: EditedLayout, keys: readonly string[], axis: "across" | "down"): EditedLayout {
  const [start, length] = axis === "across" ? (["left", "width"] as const) : (["top", "height"] as const);
  const selection = layout.zones
    .filter(({ key }) => keys.includes(key))
    .map((zone) => ({ key: zone.key, box: boundsOf(zone) }))
    .toSorted((one, other) => one.box[start] - other.box[start]);
  if (selection.length < 3) return layout;
  const [first, last] = [selection[0]!.box, selection.at(-1)!.box];
  const totalLength = selection.reduce((sum, { box }) => sum + box[length], 0);
  const gap = (last[start] + last[length] - first[start] - totalLength) / (selection.length - 1);
  const shifts = new Map<string, number>();
  let next = first[start];
  for (const { key, box } of selection) {
    shifts.set(key, next - box[start]);
    next += box[length] + gap;
  }
  return withZones(layout, (zone) => {
    const shift = shifts.get(zone.key);
    return shift === undefined ? zone : fit({ ...zone, [start]: zone[start] + shift }, layout);
  });
}

export type StackMove = "front" | "forward" | "backward" | "back";

/** Brings zones further to the front or to the back; they keep their order among themselves. */
export function restack(layout: EditedLayout, keys: readonly string[], move: StackMove): EditedLayout {
  const isSelected = ({ key }: EditedZone): boolean => keys.includes(key);
  const { zones } = layout;
  const order = reorder(zones, isSelected, move);
  return order.every((zone, place) => zone === zones[place]) ? layout : { ...layout, zones: order };
}

function reorder(zones: readonly EditedZone[], isSelected: (zone: EditedZone) => boolean, move: StackMove): EditedZone[] {
  const rest = zones.filter((zone) => !isSelected(zone));
  const selection = zones.filter(isSelected);
  if (move === "front") return [...rest, ...selection];
  if (move === "back") return [...selection, ...rest];
  const order = [...zones];
  const places = order.map((_, place) => place);
  const step = move === "forward" ? 1 : -1;
  for (const place of move === "forward" ? places.toReversed() : places) {
    const [zone, neighbour] = [order[place], order[place + step]];
    if (zone === undefined || neighbour === undefined || !isSelected(zone) || isSelected(neighbour)) continue;
    order[place] = neighbour;
    order[place + step] = zone;
  }
  return order;
}

/** Puts a zone at a place of the order, 0: at the back. */
export function stackAt(layout: EditedLayout, key: string, place: number): EditedLayout {
  const target = layout.zones.find((zone) => zone.key === key);
  if (target === undefined) return layout;
  return { ...layout, zones: layout.zones.filter((zone) => zone !== target).toSpliced(place, 0, target) };
}
