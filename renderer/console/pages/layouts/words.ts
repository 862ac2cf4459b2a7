// The texts about zones, steps and differences.
import { texts } from "../../i18n/texts.ts";
import { zoneOf, type EditedLayout, type EditedZone } from "./model/edited-layout.ts";
import type { Act } from "./model/editor.ts";
import type { Difference } from "./model/merge.ts";

const text = texts("layouts");

/** Where a zone is and how large, in words. */
export function placeText(zone: EditedZone): string {
  return text("placeOf", { name: zone.name, place: placeOnlyText(zone) });
}

function placeOnlyText({ left, top, width, height, rotation }: EditedZone): string {
  const place = text("place", { left: String(left), top: String(top), width: String(width), height: String(height) });
  return rotation === 0 ? place : text("placeTurned", { place, degrees: String(rotation) });
}

/** The same for the selection: one zone, or how many. */
export function selectionText(layout: EditedLayout, keys: readonly string[]): string {
  const [first, ...others] = keys.flatMap((key) => zoneOf(layout, key) ?? []);
  if (first === undefined) return text("nothingSelected");
  return others.length === 0 ? placeText(first) : text("selectedCount", { count: keys.length });
}

const actNames = {
  move: "actMove",
  resize: "actResize",
  turn: "actTurn",
  change: "actChange",
  add: "actAdd",
  duplicate: "actDuplicate",
  remove: "actRemove",
  align: "actAlign",
  distribute: "actDistribute",
  stack: "actStack",
  orientation: "actOrientation",
  layout: "actLayout",
  theirs: "actTheirs",
  discard: "actDiscard",
} as const satisfies Record<Act, string>;

export function actText(act: Act): string {
  return text(actNames[act]);
}

const partNames = {
  name: "partName",
  place: "partPlace",
  playlist: "partPlaylist",
  background: "partBackground",
  transition: "partTransition",
  existence: "partExistence",
  size: "partSize",
  image: "partImage",
  stacking: "partStacking",
} as const satisfies Record<Difference["part"], string>;

/** The name of a difference, such as `Main: place`. @param within the layouts in which the zone may be */
export function differenceText({ zone, part }: Difference, ...within: readonly EditedLayout[]): string {
  const name = zone === null ? text("wholeLayout") : within.map((layout) => zoneOf(layout, zone)?.name).find((each) => each !== undefined);
  return text("difference", { name: name ?? text("removedZone"), part: text(partNames[part]) });
}

/** The value of one part of a layout, so that two versions can be compared. @param playlistName the name of a playlist by its id */
export function valueText(layout: EditedLayout, { zone: key, part }: Difference, playlistName: (id: string | null) => string): string {
  if (key === null) return layoutValue(layout, part);
  const zone = zoneOf(layout, key);
  if (zone === undefined) return text("valueRemoved");
  if (part === "name") return zone.name;
  if (part === "playlist") return playlistName(zone.playlist_id);
  if (part === "background") return zone.background_color ?? text("transparent");
  if (part === "transition") return transitionText(zone.transition);
  return placeOnlyText(zone);
}

function layoutValue(layout: EditedLayout, part: Difference["part"]): string {
  if (part === "name") return layout.name;
  if (part === "size") return text("size", { width: String(layout.width), height: String(layout.height) });
  if (part === "background") return layout.background_color;
  if (part === "image") return text(layout.background_asset_id === null ? "noImage" : "hasImage");
  if (part === "transition") return transitionText(layout.transition);
  return text("frontToBack", {
    names: layout.zones
      .map(({ name }) => name)
      .toReversed()
      .join(", "),
  });
}

export const transitionNames = {
  cut: "transitionCut",
  crossfade: "transitionCrossfade",
  slide: "transitionSlide",
  push: "transitionPush",
  wipe: "transitionWipe",
  zoom: "transitionZoom",
} as const;

function transitionText(transition: EditedLayout["transition"]): string {
  if (transition === null) return text("transitionNone");
  return text("transitionWords", { type: text(transitionNames[transition.type]), seconds: transition.duration_ms / 1_000 });
}
