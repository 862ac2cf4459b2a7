// The events that concern a screen, of the last 24 hours, newest first, with those that happen while the page is open.
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../../../data/client.ts";
import { eventStream } from "../../../data/event-stream.ts";
import { isVisible, type LoggedEvent } from "./event-words.ts";

const mostKept = 2_000;

/** The events that were read so far, and where to read on. */
interface ReadSoFar {
  events: LoggedEvent[];
  next: string | null;
}

/** The query of a screen's events. They are read on from where the last reading ended. @param id of the screen */
export function useEvents(id: string) {
  const queries = useQueryClient();
  const queryKey = ["players", id, "events"];
  useEffect(
    () =>
      eventStream.listen((news) => {
        // Events of content do not name the screens that show it, so the service is asked which of them concern this one.
        if (news.is === "event") void queries.invalidateQueries({ queryKey: ["players", id, "events"] });
      }),
    [id, queries],
  );
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<ReadSoFar> => {
      let { events, next } = queries.getQueryData<ReadSoFar>(queryKey) ?? { events: [], next: null };
      for (let hasMore = true; hasMore;) {
        const query = { player_id: id, limit: 500, ...(next === null ? {} : { after: next }) };
        const { data } = await client.get("/api/v1/events", { params: { query }, signal });
        events = [...data.data.filter(isVisible).toReversed(), ...events].slice(0, mostKept);
        next = data.next;
        hasMore = data.has_more;
      }
      return { events, next };
    },
    select: ({ events }) => events,
  });
}
