// How many screens are wrong now, kept true by events without asking at each of them.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "./client.ts";
import { eventStream } from "./event-stream.ts";

const queryKey = ["troubled"];
/** A thousand screens that lose their network at once are a thousand events. */
const quietMs = 2_000;

/** How many screens are wrong; undefined: not known yet, or not for this person. */
export function useTroubledCount(isAllowed: boolean): number | undefined {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey,
    queryFn: async () => (await client.get("/api/v1/alerts/now", { params: { query: { limit: 1 } } })).data.counts.troubled,
    enabled: isAllowed,
  });
  useEffect(() => {
    if (!isAllowed) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = eventStream.listen((news) => {
      if (news.is !== "event" || !/^(?:problem|alert|player)\./.test(news.event.type)) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey });
      }, quietMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [queries, isAllowed]);
  return data;
}
