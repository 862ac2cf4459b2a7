// The members of the team, by whom lists name people.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { client } from "./client.ts";
import { useSession } from "./session.ts";

export type Member = Schemas["Member"];

/** All members, by their user's id; empty until they are read. */
export function useMembers(): { members: readonly Member[] | undefined; error: Error | null; nameOf: (userId: string) => string } {
  const { team } = useSession();
  const { data, error } = useQuery({
    queryKey: ["members", team.id],
    queryFn: () =>
      Array.fromAsync(client.pages("/api/v1/teams/{id}/members", { params: { path: { id: team.id }, query: { limit: 100 } } })),
    staleTime: 0,
  });
  // A person who has left the team is known by the id only.
  return { members: data, error, nameOf: (userId) => data?.find(({ user_id }) => user_id === userId)?.name ?? userId };
}
