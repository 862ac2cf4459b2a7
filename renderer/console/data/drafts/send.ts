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

/** What is done for a person whose changes need an approval. */
interface Approval {
  /** Makes a draft for changes. */
  makeDraft(): Promise<ActiveDraft>;
  /** The service has made a proposal of a single change. The page hears of the change afterwards. */
  proposed(draftId: string): Promise<void>;
}

const underWay = new Set<Promise<unknown>>();
let approval: Approval | null = null;
let making: Promise<ActiveDraft> | null = null;

/** Says what is done for a person whose changes need an approval; null: nothing. */
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
  const url = new URL(response.url);
  if (response.status !== 202 || !isContentWrite(method, pathOf(url), url.searchParams)) return;
  const { draft_id: id } = data as { draft_id?: unknown };
  if (typeof id === "string") await approval?.proposed(id);
}

/** After the address of the service. */
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

/**
 * Keeps the tab where it is until this work has ended: a request with its repetitions, and what its caller makes of the answer.
 * @returns the same
 */
export function keepPlaceDuring<T>(work: Promise<T>): Promise<T> {
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  underWay.add(settled);
  void settled.then(() => underWay.delete(settled));
  return work;
}

/** Waits until every change that was sent has been answered, and its caller has taken the answer in. */
export async function sentChanges(): Promise<void> {
  while (underWay.size > 0) {
    await Promise.all(underWay);
    // What a caller does with the answer, such as sending the next change, follows without a pause.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
