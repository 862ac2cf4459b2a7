// Runs every operation, for REST and MCP: conditional writes, the audit log, idempotency keys and dry runs.
import { commitChange } from "../../operations/commit-change.ts";
import type { Contexts } from "../../operations/context.ts";
import { draftHeader, isRead, needsProof, scopeFor } from "../../operations/operation.ts";
import { JsonResponse, type OperationResponse } from "../../operations/responses.ts";
import type { UnitOfWork } from "../../operations/unit-of-work.ts";
import { reauthorize } from "../../people/authentication.ts";
import { requireProof } from "../../people/sessions/proof.ts";
import { hashSecret } from "../../people/token-secrets.ts";
import { digestOf } from "../../store/canonical-json.ts";
import { approvalNeeded, needsApproval } from "../../publishing/drafts/approval.ts";
import { storeTargets } from "../../publishing/versions/versions.ts";
import type { Db } from "../../store/store.ts";
import type { VersionRow } from "../../store/tables/content.ts";
import { auditedWrite } from "./audited-write.ts";
import type { Call } from "./call.ts";
import { checkIfMatch, RowQueue } from "./conditional-writes.ts";
import type { Context } from "./context.ts";
import { Idempotency } from "../idempotency.ts";
import { runInDraft, within } from "./draft-run.ts";
import { etagOf, keptResponse, responseOf } from "./operation-response.ts";
import { placeOf } from "./place.ts";
import type { BeforeCommit, GatewayDependencies, Input, Run } from "./run.ts";

export class Gateway {
  readonly #dependencies: GatewayDependencies;
  readonly #idempotency: Idempotency;
  readonly #conditionalWrites = new RowQueue();

  constructor(dependencies: GatewayDependencies) {
    this.#dependencies = dependencies;
    this.#idempotency = new Idempotency(dependencies.store, dependencies.clock);
  }

  /**
   * Runs an operation.
   * @param beforeCommit is called before an operator's write commits. If it throws, no response is kept for a repeat.
   */
  run(operation: Run["operation"], context: Context, input: Input, call: Call, beforeCommit?: BeforeCommit): Promise<OperationResponse> {
    const run = { operation, context, input, call, beforeCommit: beforeCommit === undefined ? [] : [beforeCommit] };
    const isRepeatable =
      operation.method === "POST" && operation.caller === "operator" && operation.stream === undefined && !operation.session?.setsCookie;
    const key = isRepeatable ? call.header("idempotency-key") : undefined;
    return key === undefined ? this.#runConditionally(run) : this.#runOnce(key, run);
  }

  /**
   * Runs a write and rolls it back. It is rejected like the real write would be; no event or message is sent.
   * @param beforeRollback is called with the response before the rollback
   */
  async dryRun(
    operation: Run["operation"],
    context: Context,
    input: Input,
    call: Call,
    beforeRollback?: BeforeCommit,
  ): Promise<OperationResponse> {
    const rollBack: BeforeCommit = async (db, response, playerIds) => {
      await beforeRollback?.(db, response, playerIds);
      throw new DryRunRollback(response);
    };
    try {
      await this.#runConditionally({ operation, context, input, call, beforeCommit: [rollBack] });
    } catch (error) {
      if (error instanceof DryRunRollback) return withoutCookies(error.response);
      throw error;
    }
    throw new TypeError(`${operation.name} wrote outside its unit of work: the dry run changed something`);
  }

  async #runOnce(key: string, run: Run): Promise<OperationResponse> {
    const { operation, context, input, call } = run;
    const draft = call.header(draftHeader.toLowerCase());
    const request = [operation.name, call.url, input.body ?? null, input.bytes.sha256];
    const requestHash = hashSecret(JSON.stringify(draft === undefined ? request : [...request, draft]));
    const caller = { tokenId: context.tokenId, secret: this.#dependencies.cookies.presentedSecret(call)! };
    const kept = await this.#idempotency.once(caller, key, requestHash, async (keep) => {
      const keepResponse: BeforeCommit = (db, response) => keep(db, keptResponse(response));
      return keptResponse(await this.#runConditionally({ ...run, beforeCommit: [keepResponse, ...run.beforeCommit] }));
    });
    if (kept.replayed) call.setHeaders({ "Idempotency-Replayed": "true" });
    return new JsonResponse(kept.status, kept.body === "" ? undefined : JSON.parse(kept.body), kept.headers);
  }

  /** Conditional writes to a row wait for each other, so that the row still has the compared version when it is written. */
  async #runConditionally(run: Run): Promise<OperationResponse> {
    const { operation, context, input } = run;
    const place = await placeOf(this.#dependencies.store.db, run);
    if (place.is !== "live") return runInDraft(this.#dependencies, run, place);
    if (operation.current === undefined) return this.#run(run, null);
    return this.#conditionalWrites.run(rowOf(context, input), async () => this.#run(run, await compare(this.#dependencies, run)));
  }

  /** @param before the digest of the row before the write, for the audit log */
  async #run(run: Run, before: string | null): Promise<OperationResponse> {
    const { operation, context, input } = run;
    if (operation.caller === "operator" && !isRead(operation)) {
      return operation.stream ? this.#runStream(run) : this.#runOperatorWrite(run, before);
    }
    const unitOfWork: UnitOfWork<keyof Contexts> = {
      write: (change, respond = returnResult) => commitChange(this.#dependencies, (db) => change(db, context), respond),
    };
    return responseOf(operation, await operation.run(this.#dependencies, context, input, unitOfWork));
  }

  /** Runs a write of an operator. Its audit entry is written in the same transaction. */
  async #runOperatorWrite(run: Run, compared: string | null): Promise<OperationResponse> {
    const { operation, context, input, beforeCommit } = run;
    const { audit, clock, store, versions } = this.#dependencies;
    let before = compared;
    let isAudited = false;
    let recorded: readonly VersionRow[] = [];
    const unitOfWork: UnitOfWork<keyof Contexts> = {
      write: (change, respond = returnResult) =>
        commitChange(
          this.#dependencies,
          // The token may have ended while a long request body was received.
          async (db) => {
            const operator = await reauthorize(db, clock, context.operator, scopeFor(operation, context.operator));
            if (needsProof(operation, input.body)) requireProof(operator, clock.now());
            // Another node may have written the row since it was compared. From here on, that makes the transaction run again.
            if (store.isShared && compared !== null) before = await compare({ ...this.#dependencies, store: within(store, db) }, run);
            const changed = await change(db, context.withOperator(operator));
            const published = await versions.record(db, operator.userId, changed.publishing);
            recorded = published.versions;
            const changesScreens = recorded.length > 0 || (changed.affected ?? []).length > 0;
            if (changesScreens && (await needsApproval(db, operator))) throw approvalNeeded();
            return { ...changed, events: [...(changed.events ?? []), ...published.events] };
          },
          async (db, result, playerIds, revisions) => {
            for (const version of recorded) await storeTargets(db, version, revisions);
            const responded = await respond(db, result);
            if (operation.unaudited !== true) await audit.append(db, auditedWrite(operation, context, input.params, before, responded));
            const response = responseOf(operation, responded);
            for (const each of beforeCommit) await each(db, response, playerIds);
            isAudited = true;
            return responded;
          },
        ),
    };
    const result = await operation.run(this.#dependencies, context, input, unitOfWork);
    if (!isAudited) throw new TypeError(`${operation.name} wrote outside its unit of work: the audit log has no entry for it`);
    return responseOf(operation, result);
  }

  /** Runs one request of an upload that takes several. The audit log gets its beginning, its cancellation and the resulting asset. */
  async #runStream({ operation, context, input }: Run): Promise<OperationResponse> {
    const { audit, store } = this.#dependencies;
    const noUnitOfWork: UnitOfWork<keyof Contexts> = {
      write: () => Promise.reject(new TypeError("an upload writes while its bytes arrive")),
    };
    const response = responseOf(operation, await operation.run(this.#dependencies, context, input, noUnitOfWork));
    const assetId = response instanceof JsonResponse ? response.headers["Asset-Id"] : undefined;
    if (operation.method !== "PATCH" || assetId !== undefined) {
      const write = auditedWrite(operation, context, input.params, null, response);
      await store.write((db) => audit.append(db, { ...write, resourceId: assetId ?? write.resourceId }));
    }
    return response;
  }
}

/** Compares the row of a write with If-Match. @returns its digest; null for an operation without a row @throws ProblemError 412. */
async function compare(dependencies: GatewayDependencies, { operation, context, input, call }: Run): Promise<string | null> {
  if (operation.current === undefined) return null;
  const before = digestOf(await operation.current(dependencies, context, input.params));
  checkIfMatch(call.header("if-match"), etagOf(before));
  return before;
}

/** The row that a conditional write goes to: the ids of its path, or the operator for `/me`. */
function rowOf({ operator }: Context, { params }: Input): string {
  const ids = Object.values((params ?? {}) as Record<string, string>);
  return ids.length === 0 ? operator.userId : ids.join("/");
}

/** A dry run signs nobody in or out. */
function withoutCookies(response: OperationResponse): OperationResponse {
  return response instanceof JsonResponse ? new JsonResponse(response.status, response.body, response.headers) : response;
}

async function returnResult<T, R>(_db: Db, result: T): Promise<R> {
  return result as unknown as R;
}

/** Thrown inside a write to roll it back; holds the response. */
class DryRunRollback extends Error {
  readonly response: OperationResponse;

  constructor(response: OperationResponse) {
    super("a dry run was rolled back");
    this.name = "DryRunRollback";
    this.response = response;
  }
}
