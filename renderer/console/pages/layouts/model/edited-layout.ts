// A layout while it is edited: its zones from back to front, each with a key that stays the same before and after saving.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";

type Layout = Schemas["Layout"];
type LayoutChange = Schemas["LayoutChange"];
type NewZone = Schemas["NewZone"];
type Transition = NonNullable<Layout["transition"]>;

export interface Size {
  width: number;
  height: number;
}

/** A rectangle in layout pixels. */
export interface Box extends Size {
  left: number;
  top: number;
}

export interface EditedZone extends Box {
  /** Identifies the zone while it is edited. The service's id becomes known with the first saving. */
  key: string;
  name: string;
  /** Degrees clockwise around the center, 0 to 359. */
  rotation: number;
  background_color: string | null;
  transition: Transition | null;
  playlist_id: string | null;
  /** The stored `z_index`, which is kept where the order of the zones allows it. */
  depth: number;
}

export interface EditedLayout extends Size {
  name: string;
  background_color: string;
  background_asset_id: string | null;
  transition: Transition | null;
  /** From back to front. */
  zones: readonly EditedZone[];
}

/** The service's ids of zones by their keys, where they differ. */
export type ZoneIds = ReadonlyMap<string, string>;

/** The smallest and the largest size of anything, as the service allows it. */
export const mostPixels = 16_384;

/** Most zones that a layout can have. */
export const mostZones = 100;

/** The layout as it is edited. */
export function toEdited(layout: Layout, ids: ZoneIds = new Map()): EditedLayout {
  const keys = new Map([...ids].map(([key, id]) => [id, key]));
  const { name, width, height, background_color, background_asset_id, transition } = layout;
  const zones = layout.zones.map((zone) => ({
    key: keys.get(zone.id) ?? zone.id,
    name: zone.name,
    left: zone.left,
    top: zone.top,
    width: zone.width,
    height: zone.height,
    rotation: zone.rotation ?? 0,
    background_color: zone.background_color ?? null,
    transition: zone.transition ?? null,
    playlist_id: zone.playlist_id,
    depth: zone.z_index,
  }));
  // Of two zones with the same `z_index`, the later one is in front.
  return {
    name,
    width,
    height,
    background_color,
    background_asset_id,
    transition,
    zones: zones.toSorted((one, other) => one.depth - other.depth),
  };
}

/** The request that saves the differences from the stored version; null: there are none. */
export function toChange(base: EditedLayout, layout: EditedLayout, ids: ZoneIds): LayoutChange | null {
  const change: LayoutChange = {};
  if (layout.name !== base.name) change.name = layout.name;
  if (layout.width !== base.width) change.width = layout.width;
  if (layout.height !== base.height) change.height = layout.height;
  if (layout.background_color !== base.background_color) change.background_color = layout.background_color;
  if (layout.background_asset_id !== base.background_asset_id) change.background_asset_id = layout.background_asset_id;
  if (!isSameTransition(layout.transition, base.transition)) change.transition = layout.transition;
  if (!isSameZones(base.zones, layout.zones)) {
    const baseKeys = new Set(base.zones.map(({ key }) => key));
    change.zones = toZones(layout, (key) => (baseKeys.has(key) ? (ids.get(key) ?? key) : null));
  }
  return Object.keys(change).length === 0 ? null : change;
}

/** The zones as the API takes them. @param idOf the service's id of a zone; null: the zone is new */
export function toZones({ zones }: EditedLayout, idOf: (key: string) => string | null = () => null): NewZone[] {
  let least = -1_000;
  return zones.map((zone) => {
    const { key, name, left, top, width, height, rotation, background_color, transition, playlist_id, depth } = zone;
    least = Math.max(least, depth);
    const id = idOf(key);
    return {
      ...(id === null ? {} : { id }),
      name,
      left,
      top,
      width,
      height,
      z_index: least,
      ...(rotation === 0 ? {} : { rotation }),
      ...(background_color === null ? {} : { background_color }),
      ...(transition === null ? {} : { transition }),
      playlist_id,
    };
  });
}

/** The ids after saving: the service returns the zones in the order in which they were sent. */
export function learnIds(ids: ZoneIds, request: EditedLayout, response: Pick<Layout, "zones">): ZoneIds {
  const serverIds = response.zones.map(({ id }) => id);
  const isFree = ([, id]: [string, string]): boolean => !serverIds.includes(id);
  const next = new Map([...ids].filter(isFree));
  for (const [place, { key }] of request.zones.entries()) {
    const id = serverIds[place];
    if (id !== undefined && id !== key) next.set(key, id);
  }
  return next;
}

export function isSameLayout(one: EditedLayout, other: EditedLayout): boolean {
  return (
    one.name === other.name &&
    one.width === other.width &&
    one.height === other.height &&
    one.background_color === other.background_color &&
    one.background_asset_id === other.background_asset_id &&
    isSameTransition(one.transition, other.transition) &&
    isSameZones(one.zones, other.zones)
  );
}

/** True if two zones are the same in all that is seen of them. */
export function isSameZone(one: EditedZone, other: EditedZone): boolean {
  return (
    one.name === other.name &&
    isSameBox(one, other) &&
    one.rotation === other.rotation &&
    one.background_color === other.background_color &&
    one.playlist_id === other.playlist_id &&
    isSameTransition(one.transition, other.transition)
  );
}

export function isSameBox(one: Box, other: Box): boolean {
  return one.left === other.left && one.top === other.top && one.width === other.width && one.height === other.height;
}

export function isSameTransition(one: Transition | null, other: Transition | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.type === other.type && one.duration_ms === other.duration_ms && one.easing === other.easing && one.direction === other.direction
  );
}

function isSameZones(one: readonly EditedZone[], other: readonly EditedZone[]): boolean {
  return one.length === other.length && one.every((zone, place) => zone.key === other[place]!.key && isSameZone(zone, other[place]!));
}

/** The zone with this key. */
export function zoneOf({ zones }: EditedLayout, key: string): EditedZone | undefined {
  return zones.find((zone) => zone.key === key);
}

/** The layout with some zones changed. */
export function withZones(layout: EditedLayout, change: (zone: EditedZone) => EditedZone): EditedLayout {
  return { ...layout, zones: layout.zones.map(change) };
}
