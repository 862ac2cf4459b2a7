// Starts a session.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { directClient } from "../../data/client.ts";
import { sessionQuery, type Session } from "../../data/session.ts";

/** @param then is called with the new session */
export function useSignIn(then: (session: Session) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: Schemas["NewSession"]) => (await directClient.post("/api/v1/session", { body })).data,
    onSuccess: (session) => {
      // Earlier answers in the cache may be another person's.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
      queries.setQueryData(sessionQuery.queryKey, session);
      then(session);
    },
  });
}
