// The session of the person who is signed in.
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { client, isSignedOut } from "./client.ts";

export type Session = Schemas["Session"];

/** The session; null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<Session | null> => {
    try {
      return (await client.get("/api/v1/session")).data;
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

/** The session of the person who is signed in. Only for pages inside the shell, which has one. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (data === undefined || data === null) throw new Error("this page is shown without a session");
  return data;
}

/** True if the person has this scope. */
export function useMay(scope: Session["scopes"][number]): boolean {
  return useSession().scopes.includes(scope);
}
