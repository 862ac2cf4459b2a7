// The effect of a dragged pointer on the layout. Pure: computed from its start, its position, and the object that it holds.
import { zoneOf, type EditedLayout } from "../model/edited-layout.ts";
import type { Act } from "../model/editor.ts";
import { around, boundsOf, centerOf, type Point } from "../model/geometry.ts";
import { angleTo, moveZones, reachableMove, resizeZone, sidesOf, turnZone, type Handle } from "../model/place.ts";
import { linesOf, snapMove, snapResize, type Guide, type SnapRules } from "../model/snapping.ts";

/** The object that the pointer holds. */
export type Hold = { is: "zones"; keys: readonly string[] } | { is: "handle"; key: string; handle: Handle } | { is: "turn"; key: string };

export interface DragKeys {
  /** Keeps the ratio of the sides, or one direction. */
  shift: boolean;
  /** Nothing attracts. */
  free: boolean;
}

export interface DragResult {
  layout: EditedLayout;
  guides: readonly Guide[];
}

export const actOfHold = { zones: "move", handle: "resize", turn: "turn" } as const satisfies Record<Hold["is"], Act>;

/**
 * @param from the layout when the pointer went down
 * @param by how far the pointer has moved since, in layout pixels
 * @param at where the pointer is, in layout pixels
 */
export function dragTo(from: EditedLayout, hold: Hold, by: Point, at: Point, keys: DragKeys, rules: SnapRules | null): DragResult {
  switch (hold.is) {
    case "zones":
      return move(from, hold.keys, keys.shift ? straight(by) : by, keys.free ? null : rules);
    case "handle":
      return resize(from, hold, by, keys, rules);
    case "turn": {
      const zone = zoneOf(from, hold.key);
      if (zone === undefined) return { layout: from, guides: [] };
      const center = centerOf(zone);
      return { layout: turnZone(from, hold.key, angleTo({ x: at.x - center.x, y: at.y - center.y }, !keys.free)), guides: [] };
    }
  }
}

function straight({ x, y }: Point): Point {
  return Math.abs(x) >= Math.abs(y) ? { x, y: 0 } : { x: 0, y };
}

function move(from: EditedLayout, keys: readonly string[], by: Point, rules: SnapRules | null): DragResult {
  const boxes = from.zones.filter(({ key }) => keys.includes(key)).map(boundsOf);
  if (boxes.length === 0 || rules === null) return { layout: moveZones(from, keys, by), guides: [] };
  const snap = snapMove(around(boxes), reachableMove(from, keys, by), linesOf(from, keys, rules));
  const reach = reachableMove(from, keys, snap.by);
  // At the edge of the layout a zone may stop before the line.
  const guides = snap.guides.filter(({ axis }) => Math.abs(reach[axis] - snap.by[axis]) < 1);
  return { layout: moveZones(from, keys, reach), guides };
}

function resize(from: EditedLayout, hold: { key: string; handle: Handle }, by: Point, keys: DragKeys, rules: SnapRules | null): DragResult {
  const zone = zoneOf(from, hold.key);
  const sides = sidesOf(hold.handle);
  // The sides of a turned zone are parallel to no line, and a kept ratio leaves no choice.
  if (zone === undefined || zone.rotation !== 0 || keys.shift || keys.free || rules === null)
    return { layout: resizeZone(from, hold.key, hold.handle, by, keys.shift), guides: [] };
  const snap = snapResize(zone, sides, by, linesOf(from, [hold.key], rules));
  return { layout: resizeZone(from, hold.key, hold.handle, snap.by), guides: snap.guides };
}
