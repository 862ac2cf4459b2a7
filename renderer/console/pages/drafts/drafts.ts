// The queries and the actions of the pages of drafts and versions.
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { eventStream } from "../../data/event-stream.ts";
import type { VersionedDraft } from "../../data/draft.ts";

export type DraftChange = Schemas["DraftChange"];
export type Content = NonNullable<DraftChange["after"]>;
export type ContentKind = DraftChange["kind"];
export type ContentEffect = Schemas["ContentEffect"];
export type VersionEntry = Schemas["VersionEntry"];
export type Version = Schemas["Version"];
export type Arrival = Schemas["Arrival"];
export type Published = Schemas["Published"];
/** How conflicts are solved, by the id of the resource. */
export type Decisions = ReadonlyMap<string, "mine" | "theirs">;

const params = (id: string) => ({ path: { id } });

/** The effect of publishing; read again whenever the draft or anything else changes that decides the content of screens. */
export function effectQuery(id: string, etag: string) {
  return queryOptions({
    queryKey: ["schedules", "draft-effect", id, etag],
    queryFn: async ({ signal }) => (await client.get("/api/v1/drafts/{id}/effect", { params: params(id), signal })).data,
    placeholderData: keepPreviousData,
  });
}

/** The effect of going back to a version. */
export function restorationEffectQuery({ number, only }: Restoration) {
  return queryOptions({
    queryKey: ["playlists", "restoration-effect", number, only?.id ?? null],
    queryFn: async ({ signal }) => {
      const params = { path: { number: String(number) }, ...(only === null ? {} : { query: { only: only.id } }) };
      return (await client.get("/api/v1/versions/{number}/effect", { params, signal })).data;
    },
    staleTime: 0,
  });
}

/** Publishes a draft, or approves it, as it was compared: if it has changed since, the answer is 412. */
export async function publishDraft({ draft, etag }: VersionedDraft, note: string, decisions: Decisions): Promise<Published> {
  const resolve = draft.changes.flatMap(({ kind, id }) => {
    const decision = decisions.get(id);
    return decision === undefined ? [] : { kind, id, resolve: decision };
  });
  const request = {
    params: params(draft.id),
    headers: { "If-Match": etag },
    body: { resolve, ...(note.trim() === "" ? {} : { note: note.trim() }) },
  };
  const answer =
    draft.state === "proposed"
      ? await client.post("/api/v1/drafts/{id}/approve", request)
      : await client.post("/api/v1/drafts/{id}/publish", request);
  return answer.data;
}

export async function returnDraft({ draft, etag }: VersionedDraft, word: string): Promise<void> {
  await client.post("/api/v1/drafts/{id}/return", { params: params(draft.id), headers: { "If-Match": etag }, body: { word: word.trim() } });
}

export async function proposeDraft(id: string): Promise<void> {
  await client.post("/api/v1/drafts/{id}/propose", { params: params(id) });
}

export async function withdrawDraft(id: string): Promise<void> {
  await client.post("/api/v1/drafts/{id}/withdraw", { params: params(id) });
}

export async function renameDraft(id: string, name: string): Promise<void> {
  await client.patch("/api/v1/drafts/{id}", { params: params(id), body: { name } });
}

export async function deleteDraft(id: string): Promise<void> {
  await client.delete("/api/v1/drafts/{id}", { params: params(id) });
}

export async function dropChange(draftId: string, { kind, id }: Pick<DraftChange, "kind" | "id">): Promise<void> {
  await client.delete("/api/v1/drafts/{id}/changes/{kind}/{resource_id}", { params: { path: { id: draftId, kind, resource_id: id } } });
}

export function versionQuery(number: string) {
  return queryOptions({
    queryKey: ["versions", "one", number],
    queryFn: async ({ signal }) => (await client.get("/api/v1/versions/{number}", { params: { path: { number } }, signal })).data,
  });
}

/** The number of the newest version; null: there is none. */
export const newestVersionQuery = queryOptions({
  queryKey: ["versions", "newest"],
  queryFn: async ({ signal }) => {
    const { data } = await client.get("/api/v1/versions", { params: { query: { limit: 1 } }, signal });
    return data.data[0]?.number ?? null;
  },
});

export interface Restoration {
  number: number;
  /** Null: everything. */
  only: { kind: ContentKind; id: string; name: string } | null;
}

/** Goes back to a version, in the draft of this tab if there is one. @param isDry only asks for the changes, and makes none */
export async function restoreVersion({ number, only }: Restoration, isDry: boolean, signal?: AbortSignal): Promise<Published> {
  const { data } = await client.post("/api/v1/versions/{number}/restore", {
    params: { path: { number: String(number) }, ...(isDry ? { query: { dry_run: "true" as const } } : {}) },
    body: only === null ? {} : { only: [{ kind: only.kind, id: only.id }] },
    ...(signal === undefined ? {} : { signal }),
  });
  return data;
}

const readAgainMs = 1_000;

/** Where a version has arrived, renewed whenever a screen plays something else or its connection changes. */
export function useArrival(number: number): { arrival: Arrival | undefined; error: Error | null } {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ["arrivals", number],
    queryFn: async ({ signal }) => {
      const path = { number: String(number) };
      return (await client.get("/api/v1/versions/{number}/arrival", { params: { path }, signal })).data;
    },
    staleTime: 0,
  });
  useEffect(() => {
    const lastReports = new Map<string, string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Thousands of screens may say something in one second.
    const renew = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: ["arrivals", number] });
      }, readAgainMs);
    };
    const stop = eventStream.listen((news) => {
      if (news.is === "heartbeat") {
        const { player_id, heartbeat } = news.heartbeat;
        const now = JSON.stringify(heartbeat.content);
        if (lastReports.get(player_id) === now) return;
        lastReports.set(player_id, now);
        renew();
      } else if (news.is === "event" && /^player\.(?:online|offline)$/.test(news.event.type)) renew();
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [queries, number]);
  return { arrival: data, error };
}
