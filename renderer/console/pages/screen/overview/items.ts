// The names of the items that a screen presents now.
import { queryOptions } from "@tanstack/react-query";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";

type Presented = Schemas["PresentedItem"];

/** The names of presented items by item id: of their files, else from the layout's playlists. */
export const itemNamesQuery = (items: readonly Presented[], layoutId: string | null) =>
  queryOptions({
    queryKey: ["layouts", "presented", layoutId, items.map(({ item_id: id }) => id)],
    queryFn: async ({ signal }): Promise<Record<string, string>> => {
      const names: Record<string, string> = {};
      for (const { item_id: itemId, asset_id: assetId } of items.slice(0, 12)) {
        if (assetId === null) continue;
        names[itemId] = (await client.get("/api/v1/assets/{id}", { params: { path: { id: assetId } }, signal })).data.name;
      }
      if (layoutId === null || items.every(({ item_id: itemId }) => itemId in names)) return names;
      const { zones } = (await client.get("/api/v1/layouts/{id}", { params: { path: { id: layoutId } }, signal })).data;
      for (const playlistId of new Set(zones.flatMap(({ playlist_id: id }) => id ?? []))) {
        const playlist = (await client.get("/api/v1/playlists/{id}", { params: { path: { id: playlistId } }, signal })).data;
        for (const item of playlist.items) names[item.id] ??= wordsOf(item);
      }
      return names;
    },
    staleTime: 60_000,
  });

function wordsOf(item: Schemas["PlaylistItem"]): string {
  if ("text" in item && typeof item.text === "string") return item.text;
  if ("url" in item && typeof item.url === "string") return item.url;
  return item.type;
}
