// The names of all playlists that people have made, for choosing one.
import { queryOptions } from "@tanstack/react-query";
import { client } from "../../data/client.ts";

export const playlistNamesQuery = queryOptions({
  queryKey: ["playlists", "names"],
  queryFn: async () => {
    const names: { id: string; name: string }[] = [];
    for await (const { id, name } of client.pages("/api/v1/playlists", { params: { query: { limit: 100 } } })) names.push({ id, name });
    return names.sort((one, other) => one.name.localeCompare(other.name));
  },
});
