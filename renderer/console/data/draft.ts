// The draft that a person works in, in this tab: beginning it, going to it, leaving it.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { ProblemError, type Schemas } from "../../../sdk/typescript/client.ts";
import { client } from "./client.ts";
import { activeDraft, collectsChanges, listenToDraft, placeKey, setActiveDraft, setCollecting, type ActiveDraft } from "./drafts/place.ts";
import { sentChanges } from "./drafts/send.ts";
import { useSession, type Session } from "./session.ts";

export type Draft = Schemas["Draft"];
export type DraftEntry = Schemas["DraftEntry"];

/** A draft with its changes, and its version for `If-Match`. */
export interface VersionedDraft {
  draft: Draft;
  etag: string;
}

/** The draft that this tab works in; null: it works on the published content. */
export function useDraft(): ActiveDraft | null {
  return useSyncExternalStore(listenToDraft, activeDraft);
}

let isSwitching = false;
const listeners = new Set<() => void>();

/** True while the tab goes to another draft: pages are left, so that they send their unsent changes before. */
export function useIsSwitching(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isSwitching,
  );
}

function setSwitching(value: boolean): void {
  isSwitching = value;
  for (const listener of listeners) listener();
}

/** Does something while no page is shown: pages send their unsent changes before. */
async function betweenPages(work: () => Promise<void> | void): Promise<void> {
  setSwitching(true);
  try {
    // The pages are left in the next frame; a page that is hidden has no frames.
    await Promise.race([new Promise((resolve) => requestAnimationFrame(resolve)), new Promise((resolve) => setTimeout(resolve, 50))]);
    await new Promise((resolve) => setTimeout(resolve));
    await sentChanges();
    await work();
  } finally {
    setSwitching(false);
  }
}

async function switchTo(draft: ActiveDraft | null): Promise<void> {
  if (draft?.id === activeDraft()?.id) setActiveDraft(draft);
  else await betweenPages(() => setActiveDraft(draft));
}

/** Works in this draft from now on. */
export function enterDraft({ id, name }: ActiveDraft): Promise<void> {
  return switchTo({ id, name });
}

/** Leaves the draft and works on the published content from now on. The draft stays. */
export function leaveDraft(): Promise<void> {
  return switchTo(null);
}

/** Ends the work in this draft by `decide`, after everything that was changed there has been sent. */
export function endDraft(decide: () => Promise<void>): Promise<void> {
  return betweenPages(async () => {
    await decide();
    setActiveDraft(null);
  });
}

export async function createDraft(name: string): Promise<Draft> {
  return (await client.post("/api/v1/drafts", { body: { name } })).data;
}

/** Makes a draft, and works in it from now on. */
export async function startDraft(name: string): Promise<Draft> {
  const draft = await createDraft(name);
  await enterDraft(draft);
  return draft;
}

export function draftQuery(id: string) {
  return queryOptions({
    // A conflict depends on the published content, so the answer becomes old with that.
    queryKey: ["draft-contents", id],
    queryFn: async ({ signal }): Promise<VersionedDraft> => {
      const { data, response } = await client.get("/api/v1/drafts/{id}", { params: { path: { id } }, signal });
      return { draft: data, etag: response.headers.get("etag") ?? "" };
    },
  });
}

/** Those that are not published, the newest first. A team has 500 at most. */
export const unpublishedDraftsQuery = queryOptions({
  queryKey: ["drafts", "unpublished"],
  queryFn: async ({ signal }): Promise<DraftEntry[]> => {
    const read = (state: DraftEntry["state"]): Promise<DraftEntry[]> =>
      Array.fromAsync(client.pages("/api/v1/drafts", { params: { query: { limit: 100, state } }, signal }));
    const all = await Promise.all([read("open"), read("returned"), read("proposed")]);
    return all.flat().toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));
  },
});

/** True if another person must approve the person's changes. The service decides; the page says it beforehand. */
export function needsApproval({ role, team }: Session): boolean {
  return role === "contributor" && team.approval === "required";
}

/** The same for the person who is signed in. */
export function useNeedsApproval(): boolean {
  return needsApproval(useSession());
}

/** Collects the person's changes in a draft if they need an approval. @returns true once that is set up: before, nothing is read */
export function useCollecting(session: Session | null | undefined): boolean {
  const isNeeded = session != null && needsApproval(session);
  useEffect(() => setCollecting(isNeeded), [isNeeded]);
  return useSyncExternalStore(listenToDraft, collectsChanges) === isNeeded;
}

/** The key of the content on the pages: it changes with the draft, but not when the first change creates one. */
export function usePlaceKey(): string {
  return useSyncExternalStore(listenToDraft, placeKey) ?? "published";
}

/** The drafts that the person can go on with. */
export function useOwnDrafts(isNeeded: boolean): readonly DraftEntry[] | undefined {
  const { user, role } = useSession();
  const { data } = useQuery({ ...unpublishedDraftsQuery, enabled: isNeeded });
  return data?.filter(({ state, created_by: by }) => state !== "proposed" && (role !== "contributor" || by?.user_id === user.id));
}

/** The newest proposals. */
const proposalsQuery = queryOptions({
  queryKey: ["drafts", "proposed"],
  queryFn: async ({ signal }) => {
    const query = { state: "proposed" as const, limit: 100 };
    return (await client.get("/api/v1/drafts", { params: { query }, signal })).data.data;
  },
});

/** How many proposals wait for a decision of the person. */
export function useProposalCount(): number {
  const { user, role, scopes } = useSession();
  const isAsked = role !== "contributor" && scopes.includes("versions:write");
  const { data } = useQuery({ ...proposalsQuery, enabled: isAsked });
  return data?.filter(({ created_by: by }) => by?.user_id !== user.id).length ?? 0;
}

/** True if a draft does not exist (any more). */
export function isGone(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 404;
}
