// Operations that decide about drafts: publish, propose, withdraw, approve, return.
import type { Clock } from "../../../base/clock.ts";
import { Draft, Publication, Published, ReturnedDraft } from "../../../protocol/operator/publishing.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Operator } from "../../people/operator.ts";
import { approvalNeeded, needsApproval, requireOwnDraft } from "../drafts/approval.ts";
import { changesOf, checkState, draftEvent, findDraft, updateDraft } from "../drafts/drafts.ts";
import { publishDraft, publishedOf, type PublishedChange } from "../drafts/publish.ts";
import { showDraft } from "../drafts/show.ts";
import { versionAfter } from "../versions/show.ts";
import type { DraftRow } from "../../store/tables/content.ts";
import type { Db, Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { draftParams, exampleDraft, readDraft } from "./drafts.ts";

interface DecisionDependencies {
  clock: Clock;
  store: Store;
}

const published = async (db: Db, change: PublishedChange) => publishedOf(change, await versionAfter(db, change.teamId, change.before));
const solving =
  "Changes of which someone has published another meanwhile are conflicts: without a decision about each in `resolve` the response is 409 and nothing is published. Needs the `write` scope of each kind of content that it changes.";

const operation = operationsWith<DecisionDependencies>();

export const draftDecisionOperations: readonly Operation<DecisionDependencies>[] = [
  operation({
    name: "publishDraft",
    tag: "drafts",
    method: "POST",
    path: "/drafts/{id}/publish",
    summary: "Publish a draft",
    description: `Makes its changes public in one transaction: they become one version. ${solving}`,
    agent: "Call get_draft_effect first, and publish only what a person has agreed to.",
    caller: "operator",
    scope: "versions:write",
    params: draftParams,
    body: Publication,
    example: { note: "As agreed with the kitchen" },
    status: 200,
    output: Published,
    errors: ["not-found", "invalid", "wrong-status", "draft-conflicts", "in-use", "forbidden", "precondition-failed"],
    current: readDraft,
    async run({ clock }, { teamId }, { params, body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const draft = await findDraft(db, teamId, params.id);
        checkState(draft, ["open", "returned"], "published");
        requireOwnDraft(operator, draft);
        if (await needsApproval(db, operator)) throw mustPropose();
        return publishDraft(db, operator, draft, body, Math.trunc(clock.now()));
      }, published);
    },
  }),
  operation({
    name: "proposeDraft",
    tag: "drafts",
    method: "POST",
    path: "/drafts/{id}/propose",
    summary: "Propose a draft",
    description: "Asks for an approval. Until it is decided or withdrawn, the draft cannot be changed.",
    caller: "operator",
    scope: "drafts:write",
    params: draftParams,
    status: 200,
    output: Draft,
    outputExample: exampleDraft,
    errors: ["not-found", "invalid", "wrong-status", "forbidden"],
    version: (draft) => draft,
    async run({ clock }, { teamId }, { params }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const draft = await findDraft(db, teamId, params.id);
        requireOwnDraft(operator, draft);
        checkState(draft, ["open", "returned"], "proposed");
        if ((await changesOf(db, draft.id)).length === 0)
          throw new ProblemError("invalid", "The draft changes nothing: there is nothing to approve");
        const now = Math.trunc(clock.now());
        const next = await updateDraft(db, draft, { state: "proposed", proposed_at: now, proposed_by: operator.userId, word: null }, now);
        return { result: await showDraft(db, next), events: [draftEvent("draft.proposed", next)] };
      });
    },
  }),
  operation({
    name: "withdrawDraft",
    tag: "drafts",
    method: "POST",
    path: "/drafts/{id}/withdraw",
    summary: "Withdraw a proposal",
    description: "The draft can be changed again.",
    caller: "operator",
    scope: "drafts:write",
    params: draftParams,
    status: 200,
    output: Draft,
    outputExample: exampleDraft,
    errors: ["not-found", "wrong-status", "forbidden"],
    version: (draft) => draft,
    async run({ clock }, { teamId }, { params }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const draft = await findDraft(db, teamId, params.id);
        requireOwnDraft(operator, draft);
        checkState(draft, ["proposed"], "withdrawn");
        const next = await updateDraft(db, draft, { state: "open", proposed_at: null, proposed_by: null }, Math.trunc(clock.now()));
        return { result: await showDraft(db, next), events: [draftEvent("draft.updated", next)] };
      });
    },
  }),
  operation({
    name: "approveDraft",
    tag: "drafts",
    method: "POST",
    path: "/drafts/{id}/approve",
    summary: "Approve a proposal",
    description: `Publishes it. Only an owner or editor who neither created nor proposed it can approve it. Send the ETag of the draft that you compared as \`If-Match\`: what changed since is then not approved unseen. ${solving}`,
    agent: "Approve only what a person has looked at. Send if_match.",
    caller: "operator",
    scope: "versions:write",
    params: draftParams,
    body: Publication,
    example: { note: "Looks good" },
    status: 200,
    output: Published,
    errors: ["not-found", "invalid", "wrong-status", "draft-conflicts", "in-use", "forbidden", "precondition-failed"],
    current: readDraft,
    async run({ clock }, { teamId }, { params, body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const draft = await findDraft(db, teamId, params.id);
        requireDecider(operator, draft);
        checkState(draft, ["proposed"], "approved");
        const now = Math.trunc(clock.now());
        const decided = { ...draft, decided_by: operator.userId };
        const change = await publishDraft(db, operator, decided, body, now);
        return { ...change, events: [...(change.events ?? []), draftEvent("draft.approved", { ...decided, state: "published" })] };
      }, published);
    },
  }),
  operation({
    name: "returnDraft",
    tag: "drafts",
    method: "POST",
    path: "/drafts/{id}/return",
    summary: "Return a proposal with a word",
    description: "The draft can be changed and proposed again. Only an owner or editor who neither created nor proposed it can return it.",
    caller: "operator",
    scope: "versions:write",
    params: draftParams,
    body: ReturnedDraft,
    example: { word: "Please use the new logo" },
    status: 200,
    output: Draft,
    outputExample: exampleDraft,
    errors: ["not-found", "invalid", "wrong-status", "forbidden", "precondition-failed"],
    version: (draft) => draft,
    current: readDraft,
    async run({ clock }, { teamId }, { params, body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const draft = await findDraft(db, teamId, params.id);
        requireDecider(operator, draft);
        checkState(draft, ["proposed"], "returned");
        const change = { state: "returned" as const, word: body.word, decided_by: operator.userId, proposed_at: null };
        const next = await updateDraft(db, draft, change, Math.trunc(clock.now()));
        return { result: await showDraft(db, next), events: [draftEvent("draft.returned", next)] };
      });
    },
  }),
];

/** @throws ProblemError 403 unless the operator may decide about this proposal. */
function requireDecider({ role, userId }: Operator, { user_id, proposed_by }: DraftRow): void {
  if (role === "contributor") throw new ProblemError("forbidden", "Contributors do not decide about proposals: ask an editor or an owner");
  if (userId !== user_id && userId !== proposed_by) return;
  throw new ProblemError("forbidden", "This proposal is your own: another editor or owner decides about it");
}

function mustPropose(): ProblemError {
  const { kind } = approvalNeeded();
  return new ProblemError(kind, "The team asks for an approval of what contributors change: propose the draft instead");
}
