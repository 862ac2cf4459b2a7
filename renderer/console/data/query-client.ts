// The one cache of what the console has read. Events of the service keep it true, so nothing is read again by time.
import { hashKey, QueryCache, QueryClient } from "@tanstack/react-query";
import { ProblemError } from "../../../sdk/typescript/client.ts";
import { isSignedOut } from "./client.ts";
import { contentKey } from "./drafts/place.ts";

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session ended while the page was open: whoever shows it is sent to sign in.
    onError: (error, query) => {
      if (isSignedOut(error) && query.queryKey[0] !== "session") void queryClient.invalidateQueries({ queryKey: ["session"] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5 * 60_000,
      queryKeyHashFn: (key) => hashKey(contentKey(key)),
      // An answer of the service does not change by asking again; an unreachable service may return.
      retry: (count, error) => !(error instanceof ProblemError && error.status < 500) && count < 3,
    },
  },
});
