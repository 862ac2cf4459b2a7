// The files of the library, as pages read them.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { client, fileUrl } from "./client.ts";

export type Asset = Schemas["Asset"];
export type AssetKind = NonNullable<Asset["kind"]>;

/** The kinds in the order in which people see them. */
export const assetKinds: readonly AssetKind[] = ["image", "video", "audio", "document", "bundle"];

/** The limits of a list of assets. */
export interface AssetFilter {
  q?: string | undefined;
  tag?: string | undefined;
  kind?: AssetKind | undefined;
  /** Lists the bin instead of the library. */
  bin?: boolean | undefined;
}

const pageSize = 60;

/** The assets of a filter, newest first, page by page. */
export function assetsQuery({ q, tag, kind, bin = false }: AssetFilter) {
  const filter = {
    ...(q === undefined ? {} : { q }),
    ...(tag === undefined ? {} : { tag }),
    ...(kind === undefined ? {} : { kind }),
    deleted: bin ? ("true" as const) : ("false" as const),
  };
  return infiniteQueryOptions({
    queryKey: ["assets", "list", filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, limit: pageSize, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return (await client.get("/api/v1/assets", { params: { query }, signal })).data;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // While a person types, the last results stay.
    placeholderData: (previous) => previous,
  });
}

/** The tags that assets have. */
export const assetTagsQuery = queryOptions({
  queryKey: ["assets", "tags"],
  queryFn: async ({ signal }) => (await client.get("/api/v1/assets/tags", { signal })).data.data,
});

/** One asset, in the bin or not. */
export function assetQuery(id: string) {
  return queryOptions({
    queryKey: ["assets", "one", id],
    queryFn: async ({ signal }) => (await client.get("/api/v1/assets/{id}", { params: { path: { id } }, signal })).data,
  });
}

/** The address of an asset's small picture; null: it has none. */
export function thumbnailUrl({ id, thumbnail_url }: Asset): string | null {
  return thumbnail_url === null ? null : fileUrl(`/api/v1/assets/${id}/thumbnail`);
}

/** The address of an asset's bytes, for `img`, `video` and `audio` only; null: there are none yet. */
export function contentUrl({ id, url }: Asset): string | null {
  return url === null ? null : fileUrl(`/api/v1/assets/${id}/content`);
}
