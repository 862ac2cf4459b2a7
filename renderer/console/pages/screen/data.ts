// The queries of a screen's page, and the upkeep of their answers beyond the events that all pages follow.
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { dayMs, iso } from "../../../../src/base/time.ts";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { eventStream } from "../../data/event-stream.ts";

export type PlayerDetails = Schemas["PlayerDetails"];
export type Command = Schemas["Command"];
export type Stretch = Schemas["ForecastStretch"];

/** A screen with the version that a change of it names. */
export interface VersionedPlayer {
  player: PlayerDetails;
  etag: string;
}

export const playerQuery = (id: string) =>
  queryOptions({
    queryKey: ["players", id, "details"],
    queryFn: async ({ signal }): Promise<VersionedPlayer> => {
      const { data, response } = await client.get("/api/v1/players/{id}", { params: { path: { id } }, signal });
      return { player: data, etag: response.headers.get("etag") ?? "" };
    },
  });

/** The screen's row in the roster, which has its state in one word; null: it is not there any more. */
export const rowQuery = (id: string) =>
  queryOptions({
    queryKey: ["players", id, "row"],
    queryFn: async ({ signal }) =>
      (await client.get("/api/v1/players/roster", { params: { query: { ids: id } }, signal })).data.data[0] ?? null,
  });

export const nowQuery = (id: string) =>
  queryOptions({
    queryKey: ["players", id, "now"],
    queryFn: async ({ signal }) => (await client.get("/api/v1/players/{id}/now", { params: { path: { id } }, signal })).data,
  });

const mostPages = 6;

/** The coming seven days. */
export const forecastQuery = (id: string) =>
  queryOptions({
    queryKey: ["players", id, "forecast"],
    queryFn: async ({ signal }) => {
      const path = { id };
      const first = (await client.get("/api/v1/players/{id}/forecast", { params: { path, query: { limit: 500 } }, signal })).data;
      const to = iso(Date.parse(first.from) + 7 * dayMs);
      const stretches = [...first.stretches];
      let { next_from: next } = first;
      for (let page = 1; next !== null && page < mostPages; page += 1) {
        const query = { from: next, to, limit: 500 };
        const more = (await client.get("/api/v1/players/{id}/forecast", { params: { path, query }, signal })).data;
        stretches.push(...more.stretches);
        next = more.next_from;
      }
      return { ...first, stretches, to: stretches.at(-1)?.to ?? first.to };
    },
  });

export const newestPictureQuery = (id: string) =>
  queryOptions({
    queryKey: ["screenshots", id, "newest"],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: 1 } };
      return (await client.get("/api/v1/players/{id}/screenshots", { params, signal })).data.data[0] ?? null;
    },
  });

/** Reads a screen's present state again with each of its heartbeats, and its future when a command has changed it. */
export function useFreshScreen(id: string): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      eventStream.listen((news) => {
        if (news.is === "heartbeat" && news.heartbeat.player_id === id) {
          void queries.invalidateQueries({ queryKey: ["players", id, "now"] });
          void queries.invalidateQueries({ queryKey: ["players", id, "details"] });
          void queries.invalidateQueries({ queryKey: ["players", id, "row"] });
          void queries.invalidateQueries({ queryKey: ["players", id, "heartbeats", "hour"] });
        }
        if (news.is === "event" && news.event.type === "command.succeeded" && news.event.data["player_id"] === id) {
          void queries.invalidateQueries({ queryKey: ["players", id] });
        }
      }),
    [id, queries],
  );
}

/** The time zone in which the screen reads its schedules and hours. */
export function useTimeZone(id: string): string | null {
  return useQuery(forecastQuery(id)).data?.timezone ?? null;
}
