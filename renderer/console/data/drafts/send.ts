// Sends requests to where the person works: content goes into their draft, which the first change makes if they need one.
import type { Answer } from "../../../../sdk/typescript/client.ts";
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

/** The steps for a person whose changes need an approval. */
interface Approval {
  /** Makes a draft for changes. */
  makeDraft(): Promise<ActiveDraft>;
  /** The service has made a proposal of a single change. The page hears of the change afterwards. */
  onProposal(draftId: string): Promise<void>;
}

/** The work that has to end before the tab goes to another draft, or out of one. */
const underWay = new Set<Promise<unknown>>();
let approval: Approval | null = null;
let making: Promise<ActiveDraft> | null = null;

/** Sets the steps for a person whose changes need an approval; null: none. */
export function handleApproval(handler: Approval | null): void {
  approval = handler;
}

/** Sends a request; one for content is sent in the draft of this tab, unless it names a draft itself. */
export async function sendInPlace(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const path = pathOf(url);
  if (!isContentRequest(path)) return fetchWithProof(request);
  return sendTo(request, isContentWrite(request.method, path, url.searchParams));
}

/** If the service has made a proposal of a change, the person goes on there. */
export async function followProposal(method: string, { data, response }: Answer<unknown>): Promise<void> {
  if (response.status !== 202) return;
  const url = new URL(response.url);
  if (!isContentWrite(method, pathOf(url), url.searchParams)) return;
  const { draft_id: id } = data as { draft_id?: unknown };
  if (typeof id === "string") await approval?.onProposal(id);
}

/** The part of an address after that of the service; empty for addresses elsewhere. */
function pathOf({ href, origin, pathname }: URL): string {
  return href.startsWith(baseUrl) ? `${origin}${pathname}`.slice(baseUrl.length) : "";
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

/** Keeps the tab in its draft, or outside of one, until this work has ended and its caller has processed the result. */
export async function keepPlaceDuring<T>(work: Promise<T>): Promise<T> {
  underWay.add(work);
  try {
    return await work;
  } finally {
    underWay.delete(work);
  }
}

/** Waits until every change that was sent has been answered, and its caller has taken the answer in. */
export async function sentChanges(): Promise<void> {
  while (underWay.size > 0) {
    await Promise.allSettled(underWay);
    // A caller reacts to the answer without a pause, such as by sending the next change.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
