// The names of all layouts, for choosing one for a screen: as they are published, since screens have no drafts.
import { queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";
import { draftHeader, published } from "./drafts/place.ts";

export const layoutNamesQuery = queryOptions({
  queryKey: ["layouts", "names"],
  queryFn: async () => {
    const names: { id: string; name: string }[] = [];
    for await (const { id, name } of client.pages("/api/v1/layouts", {
      params: { query: { limit: 100 }, header: { [draftHeader]: published } },
    }))
      names.push({ id, name });
    return names.sort((one, other) => one.name.localeCompare(other.name));
  },
});
