// The enrolment keys of the team.
import { queryOptions } from "@tanstack/react-query";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";

export type EnrolmentKey = Schemas["EnrolmentKey"];

/** All keys, newest first. */
export const keysQuery = queryOptions({
  queryKey: ["enrolment-keys"],
  queryFn: async () => {
    const keys: EnrolmentKey[] = [];
    for await (const key of client.pages("/api/v1/enrolment-keys", { params: { query: { limit: 100 } } })) keys.push(key);
    return keys;
  },
});
