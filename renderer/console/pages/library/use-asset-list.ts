// The assets of a filter as one list that grows when its end comes into view.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { assetsQuery, type Asset, type AssetFilter } from "../../data/assets.ts";

export interface AssetList {
  assets: readonly Asset[];
  isLoading: boolean;
  isLoadingMore: boolean;
  hasMore: boolean;
  error: unknown;
  loadMore: () => void;
}

export function useAssetList(filter: AssetFilter): AssetList {
  const { data, error, hasNextPage, isFetchingNextPage, isPending, fetchNextPage } = useInfiniteQuery(assetsQuery(filter));
  const assets = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  return {
    assets,
    isLoading: isPending,
    isLoadingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    error,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
  };
}
