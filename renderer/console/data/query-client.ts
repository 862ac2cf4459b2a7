// The one cache of the service's answers in the console. Events of the service keep it true, so nothing is read again by time.
import { hashKey, QueryCache, QueryClient, type FetchQueryOptions, type QueryKey } from "@tanstack/react-query";
import { minuteMs } from "../../../src/base/time.ts";
import { ProblemError } from "../../../sdk/typescript/client.ts";
import { isSignedOut } from "./client.ts";
import { contentKey } from "./drafts/place.ts";
import { keepPlaceDuring } from "./drafts/send.ts";

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session ended while the page was open: whoever shows it is sent to sign in.
    onError: (error, query) => {
      if (isSignedOut(error) && query.queryKey[0] !== "session") void queryClient.invalidateQueries({ queryKey: ["session"] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5 * minuteMs,
      queryKeyHashFn: (key) => hashKey(contentKey(key)),
      // An answer of the service does not change by asking again; an unreachable service may return.
      retry: (count, error) => !(error instanceof ProblemError && error.status < 500) && count < 3,
    },
  },
});

/** Reads a resource again before a change is merged with it. Meanwhile, the tab goes to no other draft. */
export function readAgain<T, K extends QueryKey>(query: FetchQueryOptions<T, Error, T, K>): Promise<T> {
  return keepPlaceDuring(queryClient.fetchQuery({ ...query, staleTime: 0 }));
}
