// Reads the plans of the screens that are in view, some at a time.
import { queryOptions, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { draftHeader, published } from "../../data/drafts/place.ts";

export type Stretch = Schemas["PlanStretch"];

/** The plan of a screen. */
export interface ScreenPlan {
  timezone: string;
  stretches: readonly Stretch[];
  /** Until when it is known. */
  to: string;
}

/** The span that is read, which is longer than the one that is shown: days begin at different times in other zones. */
export interface Span {
  from: string;
  to: string;
}

const inOneRequest = 40;

/** Where plans are read: as the content is published, or as a draft would have it. */
export type PlanPlace = "live" | { draftId: string };

const chunkQuery = (span: Span, place: PlanPlace, ids: readonly string[]) =>
  queryOptions({
    queryKey: ["players", "timeline", span, place, ids],
    queryFn: async ({ signal }) => {
      const query = { ...span, ids: ids.join(","), limit: inOneRequest };
      const header = { [draftHeader]: place === "live" ? published : place.draftId };
      return (await client.get("/api/v1/timeline", { params: { query, header }, signal })).data;
    },
  });

/**
 * The plans of the screens from place `first` to `last` of `ids`, as far as they are known.
 * @param place null: none is needed
 */
export function usePlans(
  ids: readonly string[],
  first: number,
  last: number,
  span: Span,
  place: PlanPlace | null,
): { plans: ReadonlyMap<string, ScreenPlan>; error: Error | null } {
  const chunks = useMemo(() => {
    if (place === null) return [];
    const count = Math.floor(last / inOneRequest) - Math.floor(first / inOneRequest) + 1;
    return Array.from({ length: Math.max(0, count) }, (_, index) => {
      const start = (Math.floor(first / inOneRequest) + index) * inOneRequest;
      return ids.slice(start, start + inOneRequest);
    }).filter((chunk) => chunk.length > 0);
  }, [ids, first, last, place]);
  return useQueries({
    queries: chunks.map((chunk) => chunkQuery(span, place!, chunk)),
    combine: (results) => {
      const plans = new Map<string, ScreenPlan>();
      for (const { data } of results) {
        for (const { player_id: id, timezone, plan } of data?.data ?? []) plans.set(id, { timezone, ...data!.plans[plan]! });
      }
      return { plans, error: results.find(({ error }) => error !== null)?.error ?? null };
    },
  });
}
