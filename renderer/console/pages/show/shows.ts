// Shows for a time: reading, beginning, ending and prolonging them, and whether they have arrived on the screens.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { queryClient } from "../../data/query-client.ts";

export type NewShow = Schemas["NewShow"];
export type Show = Schemas["Show"];
export type ShowEntry = Schemas["ShowEntry"];

/** A takeover outranks every other schedule; see `pages/takeover`. */
export const takeoverPriority = 1_000;

/** All shows that are on, or planned. */
export const liveShowsQuery = queryOptions({
  queryKey: ["shows", "live"],
  queryFn: async (): Promise<ShowEntry[]> => {
    const live: ShowEntry[] = [];
    const pages = client.pages("/api/v1/show", { params: { query: { ended: "false", limit: 100 } } });
    for await (const show of pages) if (show.status === "due" || show.status === "planned") live.push(show);
    return live;
  },
});

const ofShowsQuery = queryOptions({
  queryKey: ["shows", "newest"],
  queryFn: async ({ signal }) => (await client.get("/api/v1/show", { params: { query: { limit: 100 } }, signal })).data.data,
});

/** Tells if a layout or playlist was only made by a show, which a person never sees by itself. By the shows that are live or new. */
export function useIsOfShow(): (id: string) => boolean {
  const live = useQuery(liveShowsQuery).data;
  const newest = useQuery(ofShowsQuery).data;
  return useMemo(() => {
    const own = [...(live ?? []), ...(newest ?? [])].filter(({ asset_id, text, url }) => (asset_id ?? text ?? url) !== null);
    const ids = new Set(own.flatMap(({ layout_id, playlist_id }) => [layout_id, playlist_id]));
    return (id) => ids.has(id);
  }, [live, newest]);
}

export function isTakeover({ priority, is_emergency }: ShowEntry): boolean {
  return is_emergency || priority >= takeoverPriority;
}

/** The effect of a show: nothing is sent to any screen. */
export async function tryShow(body: NewShow, signal: AbortSignal): Promise<Show> {
  return (await client.post("/api/v1/show", { params: { query: { dry_run: "true" } }, body, signal })).data;
}

export async function startShow(body: NewShow): Promise<Show> {
  const { data } = await client.post("/api/v1/show", { body });
  await refreshShows();
  return data;
}

export async function stopShow({ id }: Pick<ShowEntry, "id">): Promise<void> {
  await client.delete("/api/v1/show/{id}", { params: { path: { id } } });
  await refreshShows();
}

/** Shows stopped content again. An emergency comes back by its schedule only: start it again instead. */
export async function restoreShow({ schedule_id: id }: Pick<ShowEntry, "schedule_id">): Promise<void> {
  await client.post("/api/v1/schedules/{id}/restore", { params: { path: { id } } });
  await refreshShows();
}

/** Sets another end; null: until it is stopped. */
export async function endShowAt({ schedule_id: id }: Pick<ShowEntry, "schedule_id">, ends_at: string | null): Promise<void> {
  await client.patch("/api/v1/schedules/{id}", { params: { path: { id } }, body: { ends_at } });
  await refreshShows();
}

async function refreshShows(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["shows"] });
}
