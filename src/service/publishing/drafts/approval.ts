// Decides which operators need an approval. Used at two places only: where a write is about to begin, and where a version is recorded.
import { requireScope, type Operator } from "../../people/operator.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Scope } from "../../../protocol/operator/people.ts";
import type { ContentKind } from "../../../protocol/operator/publishing.ts";
import type { DraftRow } from "../../store/tables/content.ts";
import type { Db } from "../../store/store.ts";

/** True if someone else must approve this operator's changes. */
export async function needsApproval(db: Db, { role, teamId }: Operator): Promise<boolean> {
  if (role !== "contributor") return false;
  const team = await db.selectFrom("teams").select("approval").where("id", "=", teamId).executeTakeFirst();
  return team?.approval !== "none";
}

/** The error for something that changes published content at once and cannot be a proposal. */
export function approvalNeeded(): ProblemError {
  const detail =
    "The team asks for an approval of what contributors change, and this cannot be proposed. Change playlists, layouts and schedules instead, in a draft";
  return new ProblemError("forbidden", detail);
}

/** @throws ProblemError 403 unless the operator's token may write all these kinds of content. */
export function requireKinds(operator: Operator, kinds: Iterable<ContentKind>): void {
  for (const kind of new Set(kinds)) requireScope(operator, scopeOf[kind]);
}

const scopeOf: Readonly<Record<ContentKind, Scope>> = {
  playlist: "playlists:write",
  layout: "layouts:write",
  schedule: "schedules:write",
  calendar: "schedules:write",
};

/** @throws ProblemError 403 if a contributor wants to change a draft of someone else. */
export function requireOwnDraft({ role, userId }: Operator, { user_id }: DraftRow): void {
  if (role !== "contributor" || user_id === userId) return;
  throw new ProblemError("forbidden", "This draft is someone else's: contributors change their own drafts only");
}
