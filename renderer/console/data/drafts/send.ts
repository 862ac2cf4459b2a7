// Sends requests to where the person works: content goes into their draft, which the first change makes if they need one.
import { baseUrl } from "../base-url.ts";
import { fetchWithProof } from "../proof.ts";
import {
  activeDraft,
  draftHeader,
  isContentRequest,
  isContentWrite,
  makesDraft,
  published,
  setCollectingDraft,
  type ActiveDraft,
} from "./place.ts";

/** What is done for a person whose changes need an approval. */
interface Approval {
  /** Makes a draft for changes. */
  makeDraft(): Promise<ActiveDraft>;
  /** The service has made a proposal of a single change. The page hears of the change afterwards. */
  proposed(draftId: string): Promise<void>;
}

const writes = new Set<Promise<unknown>>();
let approval: Approval | null = null;
let making: Promise<ActiveDraft> | null = null;

/** Says what is done for a person whose changes need an approval; null: nothing. */
export function handleApproval(handler: Approval | null): void {
  approval = handler;
}

/** Sends a request; one for content is sent in the draft of this tab, unless it names a draft itself. */
export async function sendInPlace(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const path = request.url.startsWith(baseUrl) ? `${url.origin}${url.pathname}`.slice(baseUrl.length) : "";
  if (!isContentRequest(path)) return fetchWithProof(request);
  const isWrite = isContentWrite(request.method, path, url.searchParams);
  const answer = sendTo(request, isWrite);
  if (request.method === "GET") return answer;
  const settled = answer.then(
    () => undefined,
    () => undefined,
  );
  writes.add(settled);
  void settled.then(() => writes.delete(settled));
  const response = await answer;
  if (response.status === 202 && isWrite) {
    const { draft_id: id } = (await response.clone().json()) as { draft_id?: unknown };
    if (typeof id === "string") await approval?.proposed(id);
  }
  return response;
}

async function sendTo(request: Request, isWrite: boolean): Promise<Response> {
  if (request.headers.get(draftHeader) === published) request.headers.delete(draftHeader);
  else if (!request.headers.has(draftHeader)) {
    const draft = isWrite && makesDraft() ? await collectingDraft() : activeDraft();
    if (draft !== null) request.headers.set(draftHeader, draft.id);
  }
  return fetchWithProof(request);
}

/** The draft for this change and those that follow. Changes that are made at the same time share one. */
async function collectingDraft(): Promise<ActiveDraft | null> {
  if (approval === null) return null;
  making ??= approval.makeDraft().finally(() => {
    making = null;
  });
  const draft = await making;
  if (makesDraft()) setCollectingDraft(draft);
  return draft;
}

/** Waits until every change that was sent has been answered. */
export async function sentChanges(): Promise<void> {
  while (writes.size > 0) await Promise.all(writes);
}
