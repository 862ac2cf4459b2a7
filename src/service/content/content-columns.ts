// Parses the JSON columns of layouts and playlists.
import { PlaylistItem } from "../../protocol/content/items.ts";
import { Transition } from "../../protocol/content/transition.ts";
import { Zone } from "../../protocol/operator/resources.ts";

export function parseZones(json: string): Zone[] {
  return Zone.array().parse(JSON.parse(json));
}

export function parseTransition(json: string | null): Transition | null {
  return json === null ? null : Transition.parse(JSON.parse(json));
}

export function parseItems(json: string): PlaylistItem[] {
  return PlaylistItem.array().parse(JSON.parse(json));
}
