// The reports of the screens about a show: counted, and listed as far as a person looks at the list.
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { eventStream } from "../../data/event-stream.ts";
import { queryClient } from "../../data/query-client.ts";

type ShowProof = Schemas["ShowProof"];

const partSize = 100;
const readAgainMs = 1_000;

function partQuery(id: string, part: number) {
  return queryOptions({
    queryKey: ["shows", "proof", id, part],
    queryFn: async ({ signal }) => {
      const query = { offset: part * partSize, limit: partSize };
      return (await client.get("/api/v1/show/{id}/proof", { params: { path: { id }, query }, signal })).data;
    },
  });
}

/** On how many screens it is, renewed whenever one of them plays something else or its connection changes. */
export function useShowProof(id: string): ShowProof | undefined {
  const { data } = useQuery(partQuery(id, 0));
  useEffect(() => renewProof(id), [id]);
  return data;
}

/** The reports of the screens at these places of the list; undefined: not read yet. */
export function useReports(id: string, places: readonly number[]): (place: number) => ShowProof["players"][number] | undefined {
  const parts = [...new Set(places.map((place) => Math.floor(place / partSize)))];
  const read = useQueries({ queries: parts.map((part) => partQuery(id, part)) });
  return (place) => read[parts.indexOf(Math.floor(place / partSize))]?.data?.players[place % partSize];
}

/** Makes the proof on the page old when a screen plays something else; thousands may do so in one second. */
function renewProof(id: string): () => void {
  const playing = new Map<string, string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const renew = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void queryClient.invalidateQueries({ queryKey: ["shows", "proof", id] });
    }, readAgainMs);
  };
  const stop = eventStream.listen((news) => {
    if (news.is === "heartbeat") {
      const { player_id, heartbeat } = news.heartbeat;
      const now = JSON.stringify(heartbeat.now_playing.map(({ zone_id }) => zone_id));
      if (playing.get(player_id) === now) return;
      playing.set(player_id, now);
      renew();
    } else if (news.is === "event" && /^player\.(online|offline)$/.test(news.event.type)) renew();
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
