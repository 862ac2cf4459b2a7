// Merges the changes of two people to the same layout, zone by zone and part by part.
import { isSameBox, isSameTransition, zoneOf, type EditedLayout, type EditedZone } from "./edited-layout.ts";
import { fit } from "./geometry.ts";

/** The parts of a zone that two people can change beside each other. `place`: where and how large it is, and how it is turned. */
const zoneParts = ["name", "place", "playlist", "background", "transition"] as const;
const layoutParts = ["name", "size", "background", "image", "transition"] as const;
type ZonePart = (typeof zoneParts)[number];
type LayoutPart = (typeof layoutParts)[number];

/** Something that one person made into one thing, and the other into another. */
export type Difference =
  | { zone: string; part: ZonePart | "existence" }
  /** `stacking`: the order of all zones. */
  | { zone: null; part: LayoutPart | "stacking" };

export interface Merged {
  /** The changes of both. Where they contradict each other: mine. */
  layout: EditedLayout;
  conflicts: readonly Difference[];
}

/** @param base the version that both began with */
export function merge(base: EditedLayout, mine: EditedLayout, theirs: EditedLayout): Merged {
  const conflicts: Difference[] = [];
  let layout = mine;
  for (const part of layoutParts) {
    if (isSamePart(base, theirs, part)) continue;
    if (isSamePart(base, mine, part)) layout = { ...layout, ...partOfLayout(theirs, part) };
    else if (!isSamePart(mine, theirs, part)) conflicts.push({ zone: null, part });
  }
  const keys = [...new Set([...base.zones, ...mine.zones, ...theirs.zones].map(({ key }) => key))];
  const zonesByKey = new Map<string, EditedZone>();
  for (const key of keys) {
    const zone = mergeZone(key, zoneOf(base, key), zoneOf(mine, key), zoneOf(theirs, key), conflicts);
    if (zone !== null) zonesByKey.set(key, zone);
  }
  const order = mergeOrder(keysOf(base), keysOf(mine), keysOf(theirs), conflicts);
  const zones = order.flatMap((key) => zonesByKey.get(key) ?? []).map((zone) => fit(zone, layout));
  return { layout: { ...layout, zones }, conflicts };
}

function mergeZone(
  key: string,
  base: EditedZone | undefined,
  mine: EditedZone | undefined,
  theirs: EditedZone | undefined,
  conflicts: Difference[],
): EditedZone | null {
  if (base === undefined) return mine ?? theirs ?? null;
  if (mine === undefined || theirs === undefined) {
    const survivor = mine ?? theirs;
    if (survivor === undefined || isUnchanged(base, survivor)) return null;
    conflicts.push({ zone: key, part: "existence" });
    return mine ?? null;
  }
  let zone = mine;
  for (const part of zoneParts) {
    if (isSameZonePart(base, theirs, part)) continue;
    if (isSameZonePart(base, mine, part)) zone = { ...zone, ...partOfZone(theirs, part) };
    else if (!isSameZonePart(mine, theirs, part)) conflicts.push({ zone: key, part });
  }
  return { ...zone, depth: theirs.depth };
}

function isUnchanged(base: EditedZone, now: EditedZone): boolean {
  return zoneParts.every((part) => isSameZonePart(base, now, part));
}

function keysOf({ zones }: EditedLayout): string[] {
  return zones.map(({ key }) => key);
}

/** The order of all keys from back to front. Zones that only one person has added stay in front of the zone they were in front of. */
function mergeOrder(base: readonly string[], mine: readonly string[], theirs: readonly string[], conflicts: Difference[]): string[] {
  const common = base.filter((key) => mine.includes(key) && theirs.includes(key));
  const ofCommon = (order: readonly string[]): string => order.filter((key) => common.includes(key)).join(" ");
  const [before, own, other] = [ofCommon(base), ofCommon(mine), ofCommon(theirs)];
  if (own !== before && other !== before && own !== other) conflicts.push({ zone: null, part: "stacking" });
  const [lead, follower] = own === before ? [theirs, mine] : [mine, theirs];
  const order = [...lead];
  for (const [place, key] of follower.entries()) {
    if (order.includes(key)) continue;
    const behind = follower.slice(0, place).findLast((each) => order.includes(each));
    order.splice(behind === undefined ? 0 : order.indexOf(behind) + 1, 0, key);
  }
  return order;
}

/** The parts in which a layout differs from another one. */
export function differencesOf(from: EditedLayout, to: EditedLayout): Difference[] {
  const keys = [...new Set([...from.zones, ...to.zones].map(({ key }) => key))];
  const common = (layout: EditedLayout): string =>
    keysOf(layout)
      .filter((key) => zoneOf(from, key) && zoneOf(to, key))
      .join(" ");
  return [
    ...layoutParts.filter((part) => !isSamePart(from, to, part)).map((part): Difference => ({ zone: null, part })),
    ...(common(from) === common(to) ? [] : [{ zone: null, part: "stacking" } as const]),
    ...keys.flatMap((key): Difference[] => {
      const [before, after] = [zoneOf(from, key), zoneOf(to, key)];
      if (before === undefined || after === undefined) return [{ zone: key, part: "existence" }];
      return zoneParts.filter((part) => !isSameZonePart(before, after, part)).map((part) => ({ zone: key, part }));
    }),
  ];
}

export function isSameDifference(one: Difference, other: Difference): boolean {
  return one.zone === other.zone && one.part === other.part;
}

/** Copies one part from another layout. */
export function take(layout: EditedLayout, from: EditedLayout, { zone: key, part }: Difference): EditedLayout {
  if (key === null) {
    if (part === "stacking") return { ...layout, zones: inOrderOf(layout.zones, keysOf(from)) };
    const next = { ...layout, ...partOfLayout(from, part as LayoutPart) };
    return { ...next, zones: next.zones.map((zone) => fit(zone, next)) };
  }
  const other = zoneOf(from, key);
  if (other === undefined) return { ...layout, zones: layout.zones.filter((zone) => zone.key !== key) };
  if (zoneOf(layout, key) === undefined) {
    const zones = inOrderOf([...layout.zones, other], mergeOrder(keysOf(layout), keysOf(layout), keysOf(from), []));
    return { ...layout, zones: zones.map((zone) => fit(zone, layout)) };
  }
  const change = part === "existence" ? other : partOfZone(other, part as ZonePart);
  return { ...layout, zones: layout.zones.map((zone) => (zone.key === key ? fit({ ...zone, ...change }, layout) : zone)) };
}

function inOrderOf(zones: readonly EditedZone[], order: readonly string[]): EditedZone[] {
  const inOrder = zones
    .filter(({ key }) => order.includes(key))
    .toSorted((one, other) => order.indexOf(one.key) - order.indexOf(other.key));
  return [...inOrder, ...zones.filter(({ key }) => !order.includes(key))];
}

function partOfZone(zone: EditedZone, part: ZonePart): Partial<EditedZone> {
  const { name, left, top, width, height, rotation, playlist_id, background_color, transition } = zone;
  const parts = {
    name: { name },
    place: { left, top, width, height, rotation },
    playlist: { playlist_id },
    background: { background_color },
    transition: { transition },
  };
  return parts[part];
}

function isSameZonePart(one: EditedZone, other: EditedZone, part: ZonePart): boolean {
  switch (part) {
    case "name":
      return one.name === other.name;
    case "place":
      return isSameBox(one, other) && one.rotation === other.rotation;
    case "playlist":
      return one.playlist_id === other.playlist_id;
    case "background":
      return one.background_color === other.background_color;
    case "transition":
      return isSameTransition(one.transition, other.transition);
  }
}

function partOfLayout(layout: EditedLayout, part: LayoutPart): Partial<EditedLayout> {
  const { name, width, height, background_color, background_asset_id, transition } = layout;
  const parts = {
    name: { name },
    size: { width, height },
    background: { background_color },
    image: { background_asset_id },
    transition: { transition },
  };
  return parts[part];
}

function isSamePart(one: EditedLayout, other: EditedLayout, part: LayoutPart): boolean {
  switch (part) {
    case "name":
      return one.name === other.name;
    case "size":
      return one.width === other.width && one.height === other.height;
    case "background":
      return one.background_color === other.background_color;
    case "image":
      return one.background_asset_id === other.background_asset_id;
    case "transition":
      return isSameTransition(one.transition, other.transition);
  }
}
