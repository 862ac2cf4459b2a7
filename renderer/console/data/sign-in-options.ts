// How people can sign in to this service.
import { queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";

export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: async () => (await client.get("/api/v1/sign-in")).data,
  staleTime: 0,
});
