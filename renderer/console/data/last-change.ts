// The person who changed a playlist, a layout or a schedule last, and the time. Not for content of a draft.
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../sdk/typescript/client.ts";
import { texts } from "../i18n/texts.ts";
import { client } from "./client.ts";
import { useDraft } from "./draft.ts";
import { activeDraft } from "./drafts/place.ts";
import { queryClient } from "./query-client.ts";
import { sessionQuery, useMay, useSession, type Session } from "./session.ts";

const text = texts("common");

type VersionEntry = Schemas["VersionEntry"];

export interface LastChange {
  /** The name of the person, or a word in its place. It begins a sentence. */
  name: string;
  isOwn: boolean;
  at: string;
}

/** Reads the versions of a playlist, a layout or a schedule. @param id which says the kind */
export async function readVersionsOf(id: string, query: { limit: number; cursor?: string }, signal?: AbortSignal) {
  const init = { params: { path: { id }, query }, ...(signal === undefined ? {} : { signal }) };
  if (id.startsWith("pls")) return (await client.get("/api/v1/playlists/{id}/versions", init)).data;
  if (id.startsWith("lay")) return (await client.get("/api/v1/layouts/{id}/versions", init)).data;
  return (await client.get("/api/v1/schedules/{id}/versions", init)).data;
}

/** @param etag of the state that somebody has made; undefined: whichever is the newest */
function lastChangeQuery(id: string, etag: string | undefined) {
  return queryOptions({
    queryKey: ["versions", "last", id, etag ?? null],
    queryFn: async ({ signal }) => (await readVersionsOf(id, { limit: 1 }, signal)).data[0] ?? null,
  });
}

/** Undefined: it is not known, or the person may not know it. */
export function useLastChange(id: string, etag?: string): LastChange | undefined {
  const session = useSession();
  const isKnown = [useDraft() === null, useMay("versions:read")].every(Boolean);
  const { data } = useQuery({ ...lastChangeQuery(id, etag), enabled: isKnown && etag !== "" });
  return isKnown ? shownChange(data, session) : undefined;
}

/** The same once, for a message. */
export async function findLastChange(id: string, etag: string): Promise<LastChange | undefined> {
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  if (session == null || activeDraft() !== null || !session.scopes.includes("versions:read")) return undefined;
  return shownChange(await queryClient.fetchQuery(lastChangeQuery(id, etag)).catch(() => null), session);
}

function shownChange(version: VersionEntry | null | undefined, { user }: Session): LastChange | undefined {
  if (version == null) return undefined;
  const { created_by: by, created_at: at } = version;
  const isOwn = by?.user_id === user.id;
  return { name: isOwn ? text("you") : (by?.name ?? text("theService")), isOwn, at };
}
