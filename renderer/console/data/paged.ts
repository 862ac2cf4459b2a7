// Lists that are read page by page, as far as a person wants to see.
import { useInfiniteQuery, type QueryKey } from "@tanstack/react-query";

interface ListPage<T> {
  data: T[];
  next_cursor: string | null;
}

/** A list on a page: the entries so far, and a function that reads more of them. */
export interface PagedList<T> {
  /** Undefined: nothing was read yet. */
  items: readonly T[] | undefined;
  error: Error | null;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
}

/**
 * @param read one page; `cursor` is undefined for the first
 * @param isKeptFresh whether events of the service make the list old; otherwise it is read again whenever it is opened
 */
export function usePagedList<T>(
  queryKey: QueryKey,
  read: (cursor: string | undefined) => Promise<ListPage<T>>,
  { isKeptFresh = false, isEnabled = true }: { isKeptFresh?: boolean; isEnabled?: boolean } = {},
): PagedList<T> {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }: { pageParam: string | undefined }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }: ListPage<T>) => next_cursor ?? undefined,
    enabled: isEnabled,
    ...(isKeptFresh ? {} : { staleTime: 0 }),
  });
  return {
    items: query.data?.pages.flatMap(({ data }) => data),
    error: query.error,
    hasMore: query.hasNextPage,
    isReadingMore: query.isFetchingNextPage,
    readMore: () => void query.fetchNextPage(),
  };
}
