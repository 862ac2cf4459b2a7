// Runs a content operation in a draft, or as a proposal: the same operation, on the content as it would be.
import type { Contexts } from "../../operations/context.ts";
import { keepsContent, isRead, scopeFor } from "../../operations/operation.ts";
import { JsonResponse, type OperationResponse } from "../../operations/responses.ts";
import type { UnitOfWork } from "../../operations/unit-of-work.ts";
import { reauthorize } from "../../people/authentication.ts";
import { DesiredStates } from "../../fleet/state/desired-states.ts";
import { requireOwnDraft } from "../../publishing/drafts/approval.ts";
import {
  checkState,
  draftEvent,
  findDraft,
  insertDraft,
  keptOf,
  mergeWrites,
  newDraft,
  updateDraft,
} from "../../publishing/drafts/drafts.ts";
import { inDraft, withoutCommit } from "../../publishing/drafts/in-draft.ts";
import { nameIn } from "../../publishing/images.ts";
import type { ContentWrite } from "../../publishing/content-writes.ts";
import type { Proposed } from "../../../protocol/operator/publishing.ts";
import type { DraftRow } from "../../store/tables/content.ts";
import { digestOf } from "../../store/canonical-json.ts";
import type { Db, Store } from "../../store/store.ts";
import { ProblemError } from "../problem.ts";
import { auditedWrite } from "./audited-write.ts";
import { checkIfMatch } from "./conditional-writes.ts";
import type { Context } from "./context.ts";
import { etagOf, responseOf } from "./operation-response.ts";
import type { Elsewhere } from "./place.ts";
import type { GatewayDependencies, Run } from "./run.ts";

/** The outcome of an operation in a draft. */
interface Outcome {
  response: OperationResponse;
  /** The digest of the resource before the write, for the audit log. */
  before: string | null;
  /** The result of the operation, before it became a response. */
  result: unknown;
  playerIds: readonly string[];
  /** Called in the transaction, when the draft is no longer applied. */
  afterDraft: readonly ((db: Db) => Promise<void>)[];
  /** Called after the commit of something that changes nothing. */
  committed: readonly (() => void)[];
}

export async function runInDraft(dependencies: GatewayDependencies, run: Run, place: Elsewhere): Promise<OperationResponse> {
  const { store } = dependencies;
  const { operation, context, beforeCommit } = run;
  if (!keepsContent(operation)) return store.write((db) => write(dependencies, run, place, db));
  const read = async (db: Db): Promise<Outcome> => {
    const kept = place.is === "draft" ? await keptOf(db, (await findDraft(db, context.teamId, place.draftId)).id) : [];
    return (await inDraft(db, context.teamId, kept, () => runOperation(dependencies, run, context, db))).result;
  };
  if (isRead(operation)) return (await withoutCommit(store, read)).response;
  const { response, committed } = await store.write(async (db) => {
    const outcome = await read(db);
    for (const each of outcome.afterDraft) await each(db);
    for (const each of beforeCommit) await each(db, outcome.response, outcome.playerIds);
    return outcome;
  });
  for (const each of committed) each();
  return response;
}

async function write(dependencies: GatewayDependencies, run: Run, place: Elsewhere, db: Db): Promise<OperationResponse> {
  const { audit, clock, events, makeId } = dependencies;
  const { operation, context, input, beforeCommit } = run;
  const operator = await reauthorize(db, clock, context.operator, scopeFor(operation, context.operator));
  const own = context.withOperator(operator);
  const now = Math.trunc(clock.now());
  const given = place.is === "draft" ? await findDraft(db, operator.teamId, place.draftId) : null;
  if (given !== null) {
    checkState(given, ["open", "returned"], "changed");
    requireOwnDraft(operator, given);
  }
  const kept = given === null ? [] : await keptOf(db, given.id);
  const { result: outcome, writes } = await inDraft(db, operator.teamId, kept, () => runOperation(dependencies, run, own, db));
  // A proposal without a change would be nothing to decide.
  const draft =
    given ?? (writes.length === 0 ? null : newDraft(makeId("drf"), operator, proposalName(operation.summary, writes), null, now));
  let { response } = outcome;
  if (draft !== null && given === null) {
    const proposal: DraftRow = { ...draft, state: "proposed", proposed_at: now, proposed_by: operator.userId };
    await insertDraft(db, proposal);
    await mergeWrites(db, proposal, [], writes);
    await events.append(db, [
      { ...draftEvent("draft.created", proposal), players: [] },
      { ...draftEvent("draft.proposed", proposal), players: [] },
    ]);
    response = proposed(proposal, response);
  } else if (draft !== null && writes.length > 0) {
    await mergeWrites(db, draft, kept, writes);
    await events.append(db, [{ ...draftEvent("draft.updated", await updateDraft(db, draft, {}, now)), players: [] }]);
  }
  const entry = auditedWrite(operation, own, input.params, outcome.before, outcome.result);
  await audit.append(db, draft === null ? entry : { ...entry, resourceType: "drafts", resourceId: draft.id });
  for (const each of beforeCommit) await each(db, response, outcome.playerIds);
  return response;
}

/** Runs the operation in the open transaction. Everything that it reads, it reads there. */
async function runOperation(
  dependencies: GatewayDependencies,
  { operation, input, call }: Run,
  context: Context,
  db: Db,
): Promise<Outcome> {
  const seen: GatewayDependencies = { ...dependencies, store: within(dependencies.store, db), desired: new DesiredStates(db) };
  let before: string | null = null;
  if (operation.current !== undefined) {
    before = digestOf(await operation.current(seen, context, input.params));
    checkIfMatch(call.header("if-match"), etagOf(before));
  }
  let playerIds: readonly string[] = [];
  const afterDrafts: ((db: Db) => Promise<void>)[] = [];
  const finishers: (() => void)[] = [];
  const unitOfWork: UnitOfWork<keyof Contexts> = {
    write: async (change, respond) => {
      const { result, affected = [], beyondDrafts, afterDraft, committed } = await change(db, context);
      if (beyondDrafts !== undefined) throw new ProblemError("invalid", beyondDrafts);
      playerIds = affected.map(({ id }) => id);
      if (afterDraft !== undefined) afterDrafts.push(afterDraft);
      if (committed !== undefined) finishers.push(committed);
      return respond === undefined ? (result as never) : respond(db, result);
    },
  };
  const result = await operation.run(seen, context, input, unitOfWork);
  return { response: responseOf(operation, result), before, result, playerIds, afterDraft: afterDrafts, committed: finishers };
}

/** The store as seen inside an open transaction. */
export function within(store: Store, db: Db): Store {
  return { ...store, db, write: (work) => work(db) };
}

function proposalName(summary: string, writes: readonly ContentWrite[]): string {
  const [first] = writes;
  const image = first?.after ?? first?.before;
  return (image == null ? summary : `${summary}: ${nameIn(image)}`).slice(0, 200);
}

/** The usual response, and the proposal. Without an ETag: the resource is not published. */
function proposed({ id }: DraftRow, response: OperationResponse): JsonResponse {
  const usual = response instanceof JsonResponse ? (response.body as object | undefined) : undefined;
  return new JsonResponse(202, { ...usual, draft_id: id } satisfies Proposed);
}
