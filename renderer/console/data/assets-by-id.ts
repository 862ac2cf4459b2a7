// Reads many files of the library by their ids, a hundred with each request, and only those that are not known yet.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { assetQuery, type Asset } from "./assets.ts";
import { client } from "./client.ts";
import { queryClient } from "./query-client.ts";

/** By id; null: there is no such file any more. */
export type AssetsById = ReadonlyMap<string, Asset | null>;

const none: AssetsById = new Map();
const mostAtOnce = 100;

/** Files that are not known yet are missing in the map. */
export function useAssetsById(ids: readonly string[]): AssetsById {
  const sortedIds = useMemo(() => [...new Set(ids)].toSorted(), [ids]);
  const { data } = useQuery({
    queryKey: ["assets", "by-id", sortedIds],
    queryFn: ({ signal }) => readAll(sortedIds, signal),
    enabled: sortedIds.length > 0,
    // While a new one is read, the others stay.
    placeholderData: keepPreviousData,
  });
  return data ?? none;
}

async function readAll(ids: readonly string[], signal: AbortSignal): Promise<AssetsById> {
  const assets = new Map<string, Asset | null>();
  const unknown: string[] = [];
  for (const id of ids) {
    const { queryKey } = assetQuery(id);
    const state = queryClient.getQueryState(queryKey);
    // An event marks a cached asset as old.
    if (state?.data === undefined || state.isInvalidated) unknown.push(id);
    else assets.set(id, state.data);
  }
  for (let start = 0; start < unknown.length; start += mostAtOnce) {
    const part = unknown.slice(start, start + mostAtOnce);
    const query = { ids: part.join(","), limit: mostAtOnce };
    const { data } = await client.get("/api/v1/assets", { params: { query }, signal });
    const response = new Map(data.data.map((asset) => [asset.id, asset]));
    for (const id of part) {
      const asset = response.get(id) ?? null;
      assets.set(id, asset);
      if (asset !== null) queryClient.setQueryData(assetQuery(id).queryKey, asset);
    }
  }
  return assets;
}
