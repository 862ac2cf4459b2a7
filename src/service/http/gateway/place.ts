// Decides where an operation acts: on published content, in a draft, or as a proposal. The only place that decides it, for all protocols.
import { isId } from "../../../protocol/common.ts";
import { keepsContent, draftHeader, isRead } from "../../operations/operation.ts";
import { requireScope } from "../../people/operator.ts";
import { needsApproval } from "../../publishing/drafts/approval.ts";
import type { Db } from "../../store/store.ts";
import { invalidField } from "../problem.ts";
import type { Run } from "./run.ts";

export type Place = { is: "live" } | Elsewhere;
/** Not on published content. */
export type Elsewhere = { is: "draft"; draftId: string } | { is: "proposal" };

const live: Place = { is: "live" };

/** @throws ProblemError 422 if the call names a draft in which the operation cannot be done; 403 without the scope. */
export async function placeOf(
  db: Db,
  { operation, context, call, input }: Pick<Run, "operation" | "context" | "call" | "input">,
): Promise<Place> {
  if (operation.caller !== "operator") return live;
  const draftId = call.header(draftHeader.toLowerCase());
  if (draftId !== undefined) {
    if (operation.drafts !== true) {
      // Resources that a draft cannot hold are read as usual. A write of one must not seem to be part of the draft.
      if (isRead(operation)) return live;
      throw invalidField(draftHeader, "this cannot be part of a draft: leave the header out to do it at once");
    }
    if (!isId("drf", draftId)) throw invalidField(draftHeader, "must be the id of a draft (drf_…)");
    requireScope(context.operator, keepsContent(operation) ? "drafts:read" : "drafts:write");
    if (!isRead(operation)) checkNotPermanent(input.query);
    return { is: "draft", draftId };
  }
  if (operation.drafts !== true || keepsContent(operation) || !(await needsApproval(db, context.operator))) return live;
  checkNotPermanent(input.query);
  return { is: "proposal" };
}

function checkNotPermanent(query: unknown): void {
  if ((query as { permanent?: string } | undefined)?.permanent !== "true") return;
  throw invalidField("?permanent", "a draft or a proposal deletes into the bin: leave it out");
}
