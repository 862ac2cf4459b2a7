// Reading and writing layouts. A change names the version that it was made from, so that it never overwrites somebody else's.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { ProblemError, type Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { toEdited, toZones, type EditedLayout } from "./model/edited-layout.ts";
import type { Stored } from "./model/editor.ts";
import { otherOrientation } from "./model/orientation.ts";

export type Layout = Schemas["Layout"];
type NewLayout = Schemas["NewLayout"];

export const layoutsQuery = infiniteQueryOptions({
  queryKey: ["layouts", "list"],
  queryFn: async ({ pageParam, signal }) => {
    const query = { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) };
    return (await client.get("/api/v1/layouts", { params: { query }, signal })).data;
  },
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

export function layoutQuery(id: string) {
  return queryOptions({
    queryKey: ["layouts", "one", id],
    queryFn: async ({ signal }): Promise<Stored> => {
      const { data, response } = await client.get("/api/v1/layouts/{id}", { params: { path: { id } }, signal });
      return { layout: data, etag: response.headers.get("etag") ?? "" };
    },
  });
}

export async function createLayout(body: NewLayout): Promise<Layout> {
  return (await client.post("/api/v1/layouts", { body })).data;
}

/** Saves a change, if the layout is still the version `etag`. */
export async function saveLayout(id: string, change: Schemas["LayoutChange"], etag: string): Promise<Stored> {
  const { data, response } = await client.patch("/api/v1/layouts/{id}", {
    params: { path: { id } },
    headers: { "If-Match": etag },
    body: change,
  });
  return { layout: data, etag: response.headers.get("etag") ?? "" };
}

export async function deleteLayout({ id }: Pick<Layout, "id">): Promise<void> {
  await client.delete("/api/v1/layouts/{id}", { params: { path: { id } } });
}

export async function restoreLayout({ id }: Pick<Layout, "id">): Promise<void> {
  await client.post("/api/v1/layouts/{id}/restore", { params: { path: { id } } });
}

/** A second layout like this one, with the same playlists. */
export function copyLayout(layout: Layout, name: string): Promise<Layout> {
  return createLayout(newLayoutOf({ ...toEdited(layout), name }));
}

/** The same for screens of the other orientation. */
export function copyTurned(layout: Layout, name: string): Promise<Layout> {
  return createLayout(newLayoutOf({ ...otherOrientation(toEdited(layout)), name }));
}

function newLayoutOf(source: EditedLayout): NewLayout {
  const { name, width, height, background_color, background_asset_id, transition } = source;
  return { name, width, height, background_color, background_asset_id, transition, zones: toZones(source) };
}

/** True if somebody else has changed the layout meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 412;
}
