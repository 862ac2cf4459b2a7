// The names of all layouts, for choosing one.
import { queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";

export const layoutNamesQuery = queryOptions({
  queryKey: ["layouts", "names"],
  queryFn: async () => {
    const names: { id: string; name: string }[] = [];
    for await (const { id, name } of client.pages("/api/v1/layouts", { params: { query: { limit: 100 } } })) names.push({ id, name });
    return names.sort((one, other) => one.name.localeCompare(other.name));
  },
});
