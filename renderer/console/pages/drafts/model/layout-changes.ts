// The differences of two versions of a layout, part by part and zone by zone. Pure.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { isSameBox, isSameTransition, toEdited, zoneOf, type EditedLayout, type EditedZone } from "../../layouts/model/edited-layout.ts";
import type { Difference } from "../../layouts/model/merge.ts";

export type Layout = Schemas["Layout"];

export interface LayoutChange {
  before: EditedLayout | null;
  after: EditedLayout | null;
  /** Empty where one of them does not exist. */
  differences: readonly Difference[];
  /** The zones that are drawn in another colour, by their keys. */
  zones: ReadonlyMap<string, "added" | "removed" | "changed">;
}

export function layoutChange(before: Layout | null, after: Layout | null): LayoutChange {
  const [old, next] = [before === null ? null : toEdited(before), after === null ? null : toEdited(after)];
  const zones = new Map<string, "added" | "removed" | "changed">();
  if (old === null || next === null) return { before: old, after: next, differences: [], zones };
  const differences: Difference[] = [];
  const about = (part: Extract<Difference, { zone: null }>["part"], isSame: boolean): void => {
    if (!isSame) differences.push({ zone: null, part });
  };
  about("name", old.name === next.name);
  about("size", old.width === next.width && old.height === next.height);
  about("background", old.background_color === next.background_color);
  about("image", old.background_asset_id === next.background_asset_id);
  about("transition", isSameTransition(old.transition, next.transition));
  for (const key of new Set([...old.zones, ...next.zones].map((zone) => zone.key))) {
    const [was, is] = [zoneOf(old, key), zoneOf(next, key)];
    const own = was === undefined || is === undefined ? [{ zone: key, part: "existence" } as const] : zoneDifferences(was, is);
    if (own.length === 0) continue;
    zones.set(key, was === undefined ? "added" : is === undefined ? "removed" : "changed");
    differences.push(...own);
  }
  const commonKeys = ({ zones: all }: EditedLayout, other: EditedLayout): string =>
    all.flatMap(({ key }) => (zoneOf(other, key) === undefined ? [] : key)).join();
  about("stacking", commonKeys(old, next) === commonKeys(next, old));
  return { before: old, after: next, differences, zones };
}

function zoneDifferences(was: EditedZone, is: EditedZone): Difference[] {
  const parts = {
    name: was.name === is.name,
    place: isSameBox(was, is) && was.rotation === is.rotation,
    playlist: was.playlist_id === is.playlist_id,
    background: was.background_color === is.background_color,
    transition: isSameTransition(was.transition, is.transition),
  };
  return (Object.keys(parts) as (keyof typeof parts)[]).flatMap((part) => (parts[part] ? [] : { zone: was.key, part }));
}
