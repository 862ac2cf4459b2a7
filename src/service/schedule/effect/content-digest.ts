// Tells whether intervals of plans look the same: the same layout with the same items and files, and the same turns.
import { hash } from "node:crypto";
import { calendarIdsOfItems } from "../../../protocol/content/items.ts";
import type { PlannedInterval } from "../../../schedule/plan.ts";
import type { PlanInput } from "../forecast/plan-input.ts";

type Shown = Pick<PlannedInterval, "isEmpty" | "layoutId" | "turns">;

/**
 * A function that gives equal texts for intervals that look the same, whichever schedule they come from. For states that were read at
 * one time; intervals of other times have equal texts from another function.
 */
export function contentReader(): (input: Pick<PlanInput, "desired">, interval: Shown) => string {
  const digests = new Map<string, string>();
  return ({ desired }, { isEmpty, layoutId, turns }) => {
    // Empty screens look the same, whatever is due.
    if (isEmpty) return digestOf(null);
    const layoutIds = [layoutId, ...turns.map((turn) => desired.schedules.find(({ id }) => id === turn)?.["layout_id"] ?? null)];
    const parts = layoutIds.map((layoutIdOfPart) => {
      if (typeof layoutIdOfPart !== "string") return "";
      let digest = digests.get(layoutIdOfPart);
      if (digest === undefined) digests.set(layoutIdOfPart, (digest = digestOfLayout(desired, layoutIdOfPart)));
      return digest;
    });
    const shares = turns.map((turn) => desired.schedules.find(({ id }) => id === turn)?.["interrupt"] ?? null);
    return digestOf([parts, shares]);
  };
}

/** Of a layout with all that its zones play. */
function digestOfLayout({ layout, layouts, playlists, assets, calendars = [] }: PlanInput["desired"], layoutId: string): string {
  const shown = layout?.id === layoutId ? layout : layouts.find(({ id }) => id === layoutId);
  if (shown === undefined) return layoutId;
  const lists = shown.zones.map(({ playlist_id: id }) => playlists.find((playlist) => playlist.id === id) ?? null);
  const used = new Set(lists.flatMap((list) => list?.items.flatMap((item) => ("asset_id" in item ? item.asset_id : [])) ?? []));
  const bytes = assets.filter(({ id }) => used.has(id)).map(({ id, sha256 }) => [id, sha256]);
  const calendarIds = new Set(calendarIdsOfItems(lists.flatMap((list) => list?.items ?? [])));
  const days = calendars.filter(({ id }) => calendarIds.has(id));
  return digestOf([shown, lists, bytes, days]);
}

function digestOf(value: unknown): string {
  return hash("sha256", JSON.stringify(value), "base64url");
}
