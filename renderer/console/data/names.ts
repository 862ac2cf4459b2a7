// The names of all layouts and of all screens, for choosing one.
import { queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";

interface Named {
  id: string;
  name: string;
}

const everything = { params: { query: { limit: 100 } } };

export const layoutNamesQuery = queryOptions({
  queryKey: ["layouts", "names"],
  queryFn: () => sortedNames(client.pages("/api/v1/layouts", everything)),
});

export const playerNamesQuery = queryOptions({
  queryKey: ["players", "names"],
  queryFn: () => sortedNames(client.pages("/api/v1/players", everything)),
});

async function sortedNames(pages: AsyncIterable<Named>): Promise<Named[]> {
  const names: Named[] = [];
  for await (const { id, name } of pages) names.push({ id, name });
  return names.sort((one, other) => one.name.localeCompare(other.name));
}
