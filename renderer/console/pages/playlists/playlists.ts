// Reading and writing playlists. A change names the version that it was made from, so that it never overwrites somebody else's.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ProblemError, type Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";

export type Playlist = Schemas["Playlist"];
/** An item in a change; without an id it is new. */
export type NewItem = Schemas["NewPlaylistItem"];

/** A playlist, and its version for `If-Match`. */
export interface VersionedPlaylist {
  playlist: Playlist;
  etag: string;
}

export const playlistsQuery = infiniteQueryOptions({
  queryKey: ["playlists", "list"],
  queryFn: async ({ pageParam, signal }) => {
    const query = { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) };
    return (await client.get("/api/v1/playlists", { params: { query }, signal })).data;
  },
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

export function playlistQuery(id: string) {
  return queryOptions({
    queryKey: ["playlists", "one", id],
    queryFn: async ({ signal }): Promise<VersionedPlaylist> => {
      const { data, response } = await client.get("/api/v1/playlists/{id}", { params: { path: { id } }, signal });
      return { playlist: data, etag: response.headers.get("etag") ?? "" };
    },
  });
}

/** Replaces the items of a playlist, if it is still the version `etag`. */
export async function saveItems(id: string, items: readonly NewItem[], etag: string): Promise<VersionedPlaylist> {
  const { data, response } = await client.patch("/api/v1/playlists/{id}", {
    params: { path: { id } },
    headers: { "If-Match": etag },
    body: { items: [...items] },
  });
  return { playlist: data, etag: response.headers.get("etag") ?? "" };
}

export async function createPlaylist(name: string): Promise<Playlist> {
  return (await client.post("/api/v1/playlists", { body: { name } })).data;
}

/** True if somebody else has changed the playlist meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 412;
}
