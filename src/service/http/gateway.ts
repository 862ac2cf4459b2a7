// The one way to every operation, whichever protocol asks: who may call and how often, and the record of what was written.
import { authenticate, bearerToken, reauthorize, cachedOperator, invalidToken } from "../people/authentication.ts";
import { requireScope, type Operator } from "../people/operator.ts";
import { hashSecret } from "../people/token-secrets.ts";
import type { AuditedWrite } from "../people/audit.ts";
import type { ReceivedFile } from "../content/blobs.ts";
import { Context, type AnyContext, type Call } from "./context.ts";
import { Idempotency, type KeptAnswer } from "./idempotency.ts";
import { apiPrefix, FileResponse, isRead, JsonResponse, StreamResponse, type Operation, type Parts } from "../operations/operation.ts";
import { ProblemError } from "./problem.ts";
import { addressKey, Quotas, tooManyRequests, type RequestLimits } from "./rate-limit.ts";
import { digestOf } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import type { IncomingMessage } from "node:http";

/** What goes into an operation, checked by its schemas. */
export interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
  bytes: ReceivedFile;
  raw: IncomingMessage;
}

/** What comes out. */
export type Made = JsonResponse | FileResponse | StreamResponse;

/** Hears, in the transaction of a write, of the players that it concerns. What it throws rolls everything back. */
export type OnWritten = (db: Db, made: Made, playerIds: readonly string[]) => Promise<void>;

type Keep = (db: Db, answer: KeptAnswer) => Promise<void>;

/**
 * Adds what the operations share: who calls, the quotas, one turn at a time for conditional writes, the audit log and the
 * memory of idempotency keys.
 */
export class Gateway {
  readonly #parts: Parts;
  readonly #idempotency: Idempotency;
  readonly #byToken: Quotas;
  readonly #byPlayer: Quotas;
  readonly #byAddress: Quotas;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, limits: RequestLimits) {
    this.#parts = parts;
    this.#idempotency = new Idempotency(parts.store, parts.clock);
    this.#byToken = new Quotas("token", limits.token, parts.clock);
    this.#byPlayer = new Quotas("player", limits.player, parts.clock);
    this.#byAddress = new Quotas("address", limits.address, parts.clock);
  }

  /** Lets a caller in for one operation. @throws Refusal 401, 403 or 429. */
  async contextOf(each: Operation, call: Call): Promise<AnyContext> {
    const { access } = this.#parts;
    if (each.caller === "anyone") {
      spend(this.#byAddress, addressKey(call.address), call);
      return new Context(this.#parts, call, {});
    }
    if (each.caller === "device") {
      const player = await this.#known(access.authenticate(call.header("authorization")), call);
      spend(this.#byPlayer, player.id, call);
      if (player.removed_at !== null) throw invalidToken();
      return new Context(this.#parts, call, { player });
    }
    return this.operatorContext(each, call, await this.operatorOf(call));
  }

  /** The operator who calls; counts as one request of their token. @throws Refusal 401 or 429. */
  async operatorOf(call: Call): Promise<Operator> {
    const { clock, store } = this.#parts;
    const authorization = call.header("authorization");
    const operator =
      cachedOperator(store.db, clock, authorization) ?? (await this.#known(authenticate(store.db, clock, authorization), call));
    this.count(operator, call);
    return operator;
  }

  /** Counts a request more of an operator's token. @throws Refusal 429. */
  count(operator: Operator, call: Call): void {
    spend(this.#byToken, operator.tokenId, call);
  }

  /** Lets an operator who is known already in for one operation. @throws Refusal 403. */
  operatorContext(each: Operation, call: Call, operator: Operator): AnyContext {
    if (each.scope !== undefined) requireScope(operator, each.scope);
    return new Context(this.#parts, call, { operator });
  }

  /**
   * Runs an operation, the writes of operators with audit and idempotency.
   * @param onWritten hears of an operator's write before it is committed. With it nothing is kept for a repeat that it rolls back.
   */
  answer(each: Operation, context: AnyContext, input: Input, call: Call, onWritten?: OnWritten): Promise<Made> {
    const isRepeatable = each.method === "POST" && each.caller === "operator" && each.stream === undefined;
    const key = isRepeatable ? call.header("idempotency-key") : undefined;
    if (key === undefined) return this.#inTurn(each, context, input, call, undefined, onWritten);
    return this.#once(key, each, context, input, call, onWritten);
  }

  /**
   * Runs a write and undoes it: what is refused is refused all the same, and nobody hears of what is not.
   * @param seen looks at what it would leave, before it is undone
   */
  async tryOut(each: Operation, context: AnyContext, input: Input, call: Call, seen?: OnWritten): Promise<Made> {
    const undo: OnWritten = async (db, made, playerIds) => {
      await seen?.(db, made, playerIds);
      throw new RolledBack(made);
    };
    try {
      await this.#inTurn(each, context, input, call, undefined, undo);
    } catch (error) {
      if (error instanceof RolledBack) return error.made;
      throw error;
    }
    throw new TypeError(`${each.name} wrote outside change(): its dry run was no dry run`);
  }

  async #once(
    key: string,
    each: Operation,
    context: AnyContext,
    input: Input,
    call: Call,
    onWritten: OnWritten | undefined,
  ): Promise<Made> {
    const hash = hashSecret(JSON.stringify([each.name, call.url, input.body ?? null, input.bytes.sha256]));
    const caller = { tokenId: context.tokenId, secret: bearerToken(call.header("authorization")) };
    const kept = await this.#idempotency.once(caller, key, hash, async (keep) =>
      toKeep(await this.#inTurn(each, context, input, call, keep, onWritten)),
    );
    if (kept.replayed) call.setHeaders({ "Idempotency-Replayed": "true" });
    return new JsonResponse(kept.status, kept.body === "" ? undefined : JSON.parse(kept.body), kept.headers);
  }

  /** Who calls; a stranger's attempts count for their address. */
  async #known<T>(caller: Promise<T>, call: Call): Promise<T> {
    try {
      return await caller;
    } catch (error) {
      if (error instanceof ProblemError) spend(this.#byAddress, addressKey(call.address), call);
      throw error;
    }
  }

  /** Conditional writes come one after the other, so that what If-Match compared is still so when the write happens. */
  #inTurn(
    each: Operation,
    context: AnyContext,
    input: Input,
    call: Call,
    keep: Keep | undefined,
    onWritten: OnWritten | undefined,
  ): Promise<Made> {
    if (each.current === undefined) return this.#run(each, context, input, null, keep, onWritten);
    const turn = this.#turn.then(async () => {
      const before = digestOf(await each.current!(context, input.params));
      checkMatch(before, call.header("if-match"));
      return this.#run(each, context, input, before, keep, onWritten);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Runs an operation. An operator's write leaves its entry in the audit log, in the transaction of `change`. */
  async #run(
    each: Operation,
    context: AnyContext,
    input: Input,
    before: string | null,
    keep: Keep | undefined,
    onWritten: OnWritten | undefined,
  ): Promise<Made> {
    if (each.caller !== "operator" || isRead(each)) return answerOf(each, await each.run(context, input));
    if (each.stream) return this.#runStream(each, context, input);
    let isAudited = false;
    // A long upload may outlive its token.
    context.opening = async (db) => {
      context.operator = await reauthorize(db, this.#parts.clock, context.operator, each.scope);
    };
    context.committing = async (db, made, playerIds) => {
      await this.#parts.audit.append(db, deedOf(each, context, input.params, before, made));
      await keep?.(db, toKeep(answerOf(each, made)));
      await onWritten?.(db, answerOf(each, made), playerIds);
      isAudited = true;
    };
    const made = await each.run(context, input);
    if (!isAudited) throw new TypeError("a write of an operator has to go through change(), or nobody would know of it");
    return answerOf(each, made);
  }

  /** Bytes that come over several requests: told of is where they begin, where they are called off, and what they became. */
  async #runStream(each: Operation, context: AnyContext, input: Input): Promise<Made> {
    const { audit, store } = this.#parts;
    const made = answerOf(each, await each.run(context, input));
    const assetId = made instanceof JsonResponse ? made.headers["Asset-Id"] : undefined;
    if (each.method !== "PATCH" || assetId !== undefined) {
      const deed = deedOf(each, context, input.params, null, made);
      await store.write((db) => audit.append(db, { ...deed, resourceId: assetId ?? deed.resourceId }));
    }
    return made;
  }
}

/** Thrown inside a write to undo it: what it would have answered. */
class RolledBack extends Error {
  readonly made: Made;

  constructor(made: Made) {
    super("a dry run was rolled back");
    this.name = "RolledBack";
    this.made = made;
  }
}

/** The body of an operation that takes no bytes. */
export const noBytes: ReceivedFile = { path: "", sha256: "", sizeBytes: 0, [Symbol.asyncDispose]: async () => undefined };

/** Counts a request and tells what is left. @throws Refusal 429 when nothing is. */
function spend(quotas: Quotas, key: string, call: Call): void {
  const { headers, waitMs } = quotas.take(key);
  call.setHeaders(headers);
  if (waitMs > 0) throw tooManyRequests("Too many requests", waitMs);
}

/** What the audit log says of a write: digests stand for the resource. */
function deedOf(each: Operation, context: AnyContext, params: unknown, before: string | null, made: unknown): AuditedWrite {
  const resource = made instanceof JsonResponse ? made.body : made;
  const named = Object.values((params ?? {}) as Record<string, string>).at(-1) ?? null;
  const isThere = each.version !== undefined && !(made instanceof JsonResponse) && made !== undefined;
  return {
    teamId: context.teamId,
    userId: context.operator.userId,
    tokenId: context.tokenId,
    action: each.name,
    resourceType: each.tag,
    resourceId: idOf(resource) || named,
    before,
    after: isThere ? digestOf(each.version!(made)) : null,
    address: context.address,
    requestId: context.requestId,
  };
}

/** What an operation's result is on the wire: status, body, ETag and Location. */
function answerOf(each: Operation, made: unknown): Made {
  if (made instanceof FileResponse || made instanceof StreamResponse) return made;
  if (made instanceof JsonResponse) {
    // Whatever its status, a resource has its version.
    const hasVersion = each.version !== undefined && made.body !== undefined && made.status < 300 && made.headers["ETag"] === undefined;
    return hasVersion ? new JsonResponse(made.status, made.body, { ...made.headers, ETag: etagOf(each.version!(made.body)) }) : made;
  }
  const headers: Record<string, string> = {};
  if (each.version !== undefined) headers["ETag"] = etagOf(each.version(made));
  if (each.status === 201 && each.version !== undefined) headers["Location"] = `${apiPrefix}${collectionOf(each)}/${idOf(made)}`;
  return new JsonResponse(each.status, made, headers);
}

function toKeep(answer: Made): KeptAnswer {
  if (!(answer instanceof JsonResponse)) throw new TypeError("a file or a stream is no answer to a POST");
  return { status: answer.status, headers: { ...answer.headers }, body: answer.body === undefined ? "" : JSON.stringify(answer.body) };
}

function checkMatch(before: string, header: string | undefined): void {
  if (header === undefined || header.trim() === "*") return;
  const current = `"${before}"`;
  if (header.split(",").some((tag) => tag.trim() === current)) return;
  throw new ProblemError("precondition-failed", `It is now ${current}: read it again and apply your change to that`, {
    headers: { ETag: current },
  });
}

function etagOf(version: unknown): string {
  return `"${digestOf(version)}"`;
}

function collectionOf(each: Operation): string {
  return each.path.replace(/\/pair$/, "");
}

function idOf(made: unknown): string {
  return typeof made === "object" && made !== null && "id" in made ? String(made.id) : "";
}
