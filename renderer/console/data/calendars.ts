// The lists of dates of the team.
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { client } from "./client.ts";

export type Calendar = Schemas["Calendar"];

export const calendarsQuery = {
  queryKey: ["calendars", "all"],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Calendar[]> => {
    const all: Calendar[] = [];
    for await (const each of client.pages("/api/v1/calendars", { params: { query: { limit: 100 } }, signal })) all.push(each);
    return all.toSorted((one, other) => one.name.localeCompare(other.name));
  },
};
