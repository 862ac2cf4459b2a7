// Sends requests to where the person works: content goes into their draft. Notices what became a proposal.
import { baseUrl } from "../base-url.ts";
import { fetchWithProof } from "../proof.ts";
import { activeDraft, draftHeader, isContentRequest, published } from "./place.ts";

/** What is told when a write was not published but proposed. */
type ProposalListener = (draftId: string) => void;

const writes = new Set<Promise<unknown>>();
let tell: ProposalListener = () => undefined;

/** Calls `listener` whenever the service has made a proposal of a write. There is one listener. */
export function listenToProposals(listener: ProposalListener): void {
  tell = listener;
}

/** Sends a request; one for content is sent in the draft of this tab, unless it names a draft itself. */
export async function sendInPlace(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const path = request.url.startsWith(baseUrl) ? `${url.origin}${url.pathname}`.slice(baseUrl.length) : "";
  if (!isContentRequest(path)) return fetchWithProof(request);
  const draft = activeDraft();
  if (request.headers.get(draftHeader) === published) request.headers.delete(draftHeader);
  else if (draft !== null && !request.headers.has(draftHeader)) request.headers.set(draftHeader, draft.id);
  const answer = fetchWithProof(request);
  if (request.method === "GET") return answer;
  const settled = answer.then(
    () => undefined,
    () => undefined,
  );
  writes.add(settled);
  void settled.then(() => writes.delete(settled));
  const response = await answer;
  // A dry run proposes nothing.
  if (response.status === 202 && !url.searchParams.has("dry_run")) {
    const { draft_id: id } = (await response.clone().json()) as { draft_id?: unknown };
    if (typeof id === "string") tell(id);
  }
  return response;
}

/** Waits until every change that was sent has been answered. */
export async function sentChanges(): Promise<void> {
  while (writes.size > 0) await Promise.all(writes);
}
