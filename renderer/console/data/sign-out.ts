// Ends the session, and forgets everything that was read with it.
import type { QueryClient } from "@tanstack/react-query";
import { client } from "./client.ts";
import { sessionQuery } from "./session.ts";

/** Signs the person out. The page that shows the session then leads to the sign-in page. */
export async function signOut(queries: QueryClient): Promise<void> {
  await client.delete("/api/v1/session");
  queries.setQueryData(sessionQuery.queryKey, null);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
}
