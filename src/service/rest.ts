// The operations as HTTP routes: who may call and how often, what came in, what goes out, and the record of it.
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { authenticate, bearerOf, confirm, demand, hashOf, refuseToken, type Operator } from "./access.ts";
import type { Deed } from "./audit.ts";
import { tooLarge, type Received } from "./blobs.ts";
import { sendFile } from "./file-answer.ts";
import { Idempotency, type KeptAnswer } from "./idempotency.ts";
import { apiPrefix } from "./openapi/document.ts";
import { inflate } from "./inflate.ts";
import { operations } from "./operations.ts";
import { FileAnswer, OtherAnswer, StreamAnswer, type Contexts, type Operation, type Parts } from "./operations/operation.ts";
import { Refusal } from "./problem.ts";
import { addressKey, Quotas, tooMany, type RequestLimits } from "./rate-limit.ts";
import { digestOf } from "./stable.ts";
import type { Db } from "./store.ts";
import { routeSchema } from "./validation.ts";

type AnyContext = Contexts["operator"] & Contexts["device"];
type Input = { params: unknown; query: unknown; body: unknown; bytes: Received; raw: FastifyRequest["raw"] };
type Made = OtherAnswer | FileAnswer | StreamAnswer;

/** Adds a route for each operation. JSON and raw bodies live in scopes of their own, since each has its own parsers. */
export function addOperations(app: FastifyInstance, parts: Parts, limits: RequestLimits): void {
  const door = new Door(parts, limits);
  app.register(async (scope) => {
    for (const each of operations) if (!takesAnything(each)) door.add(scope, each);
  });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Whatever the type says, the bytes are taken as they are.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    for (const each of operations) if (takesAnything(each)) door.add(scope, each);
  });
}

type Keep = (db: Db, answer: KeptAnswer) => Promise<void>;

/**
 * Adds what the operations share: who calls, the quotas, one turn at a time for conditional writes, the audit log and the
 * memory of idempotency keys.
 */
class Door {
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

  add(scope: FastifyInstance, each: Operation): void {
    const contexts = new WeakMap<FastifyRequest, AnyContext>();
    scope.route({
      method: each.method satisfies HTTPMethods,
      url: apiPrefix + each.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      schema: routeSchema(each),
      // Described only where it is an operation of its own.
      config: { operation: each.name, ...(each.method === "HEAD" ? { swagger: { exposeHeadRoute: true } } : {}) },
      ...(!takesAnything(each) ? {} : { bodyLimit: Number.MAX_SAFE_INTEGER }),
      ...(each.inflates === true ? { preParsing: inflate } : {}),
      // Before the body is read: a stranger's gigabytes are not taken in.
      onRequest: async (request, reply) => {
        contexts.set(request, await this.#contextOf(each, request, reply));
        if (each.bytes !== undefined) checkLength(request, each.bytes(this.#parts));
      },
      handler: async (request, reply) => {
        await using owned = new AsyncDisposableStack();
        const { params, query } = request;
        const bytes = each.bytes === undefined ? noBytes : owned.use(await this.#receive(request, each.bytes(this.#parts)));
        const body = takesAnything(each) ? undefined : request.body;
        const input: Input = { params, query, body, bytes, raw: request.raw };
        const context = contexts.get(request)!;
        const answer = await this.#answer(each, context, input, request, reply);
        if (answer instanceof OtherAnswer) return send(answer, reply);
        // A download may take hours: it is cut when the token ends.
        if (each.caller === "operator") this.#parts.tokens.onEnd(context.tokenId, () => reply.raw.destroy(), goneOf(reply));
        if (answer instanceof FileAnswer) return sendFile(this.#parts.blobs, answer, request, reply);
        return reply
          .type(answer.type)
          .headers({ ...answer.headers })
          .send(Readable.from(answer.parts));
      },
    });
  }

  async #contextOf(each: Operation, request: FastifyRequest, reply: FastifyReply): Promise<AnyContext> {
    const parts = this.#parts;
    let endedOf = (_until: AbortSignal): AbortSignal[] => [];
    const context = {
      parts,
      address: request.ip,
      requestId: request.id,
      header: (name: string) => headerOf(request, name),
      opening: null,
      committing: null,
      get signal() {
        const gone = goneOf(reply);
        return AbortSignal.any([gone, parts.closing, ...endedOf(gone)]);
      },
    };
    // A context holds what its caller's kind of operation reads; the table says which kind each is.
    const as = (more: object) => Object.defineProperties(more, Object.getOwnPropertyDescriptors(context)) as AnyContext;
    if (each.caller === "anyone") {
      spend(this.#byAddress, addressKey(request.ip), reply);
      return as({});
    }
    if (each.caller === "device") {
      const player = await this.#known(parts.access.playerOf(request.headers.authorization), request, reply);
      spend(this.#byPlayer, player.id, reply);
      if (player.removed_at !== null) throw refuseToken();
      return as({ player });
    }
    const operator = await this.#known(authenticate(parts.store.db, parts.clock, request.headers.authorization), request, reply);
    spend(this.#byToken, operator.tokenId, reply);
    if (each.scope !== undefined) demand(operator, each.scope);
    endedOf = (until) => [this.#endOf(operator, until)];
    return as({ teamId: operator.teamId, tokenId: operator.tokenId, operator });
  }

  /** Who calls; a stranger's attempts count for their address. */
  async #known<T>(caller: Promise<T>, request: FastifyRequest, reply: FastifyReply): Promise<T> {
    try {
      return await caller;
    } catch (error) {
      if (error instanceof Refusal) spend(this.#byAddress, addressKey(request.ip), reply);
      throw error;
    }
  }

  #endOf(operator: Operator, until: AbortSignal): AbortSignal {
    const ended = new AbortController();
    this.#parts.tokens.onEnd(operator.tokenId, () => ended.abort(), until);
    return ended.signal;
  }

  #receive(request: FastifyRequest, mostBytes: number): Promise<Received> {
    // Fastify parses no body where neither type nor length announce one: that is an empty file.
    const stream = request.body === undefined ? request.raw : (request.body as typeof request.raw);
    return this.#parts.blobs.receive(stream, mostBytes);
  }

  async #answer(each: Operation, context: AnyContext, input: Input, request: FastifyRequest, reply: FastifyReply): Promise<Made> {
    const key = headerOf(request, "idempotency-key");
    if (key === undefined || each.method !== "POST" || each.caller !== "operator" || each.stream)
      return this.#inTurn(each, context, input, request);
    const hash = hashOf(JSON.stringify([each.name, request.url, input.body ?? null, input.bytes.sha256]));
    const caller = { tokenId: context.tokenId, secret: bearerOf(request.headers.authorization) };
    const kept = await this.#idempotency.once(caller, key, hash, async (keep) =>
      toKeep(await this.#inTurn(each, context, input, request, keep)),
    );
    if (kept.replayed) reply.header("Idempotency-Replayed", "true");
    return new OtherAnswer(kept.status, kept.body === "" ? undefined : JSON.parse(kept.body), kept.headers);
  }

  /** Conditional writes come one after the other, so that what If-Match compared is still so when the write happens. */
  async #inTurn(each: Operation, context: AnyContext, input: Input, request: FastifyRequest, keep?: Keep): Promise<Made> {
    if (each.current === undefined) return this.#run(each, context, input, null, keep);
    const turn = this.#turn.then(async () => {
      const before = digestOf(await each.current!(context, input.params));
      checkMatch(before, headerOf(request, "if-match"));
      return this.#run(each, context, input, before, keep);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Runs an operation. An operator's write leaves its entry in the audit log, in the transaction of {@link change}. */
  async #run(each: Operation, context: AnyContext, input: Input, before: string | null, keep?: Keep): Promise<Made> {
    if (each.caller !== "operator" || isRead(each)) return answerOf(each, await each.run(context, input));
    if (each.stream) return this.#runStream(each, context, input);
    let isAudited = false;
    // A long upload may outlive its token.
    context.opening = (db) => confirm(db, this.#parts.clock, context.operator, each.scope);
    context.committing = async (db, made) => {
      await this.#parts.audit.append(db, deedOf(each, context, input.params, before, made));
      await keep?.(db, toKeep(answerOf(each, made)));
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
    const assetId = made instanceof OtherAnswer ? made.headers["Asset-Id"] : undefined;
    if (each.method !== "PATCH" || assetId !== undefined) {
      const deed = deedOf(each, context, input.params, null, made);
      await store.write((db) => audit.append(db, { ...deed, resourceId: assetId ?? deed.resourceId }));
    }
    return made;
  }
}

/** Whether it changes nothing. */
function isRead({ method }: Operation): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** Counts a request and tells what is left. @throws Refusal 429 when nothing is. */
function spend(quotas: Quotas, key: string, reply: FastifyReply): void {
  const { headers, waitMs } = quotas.take(key);
  reply.headers(headers);
  if (waitMs > 0) throw tooMany("Too many requests", waitMs);
}

/** What the audit log says of a write: digests stand for the resource. */
function deedOf(each: Operation, context: AnyContext, params: unknown, before: string | null, made: unknown): Deed {
  const resource = made instanceof OtherAnswer ? made.body : made;
  const named = Object.values((params ?? {}) as Record<string, string>).at(-1) ?? null;
  const isThere = each.version !== undefined && !(made instanceof OtherAnswer) && made !== undefined;
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

/** Whether the body is bytes that no parser looks at. */
function takesAnything(each: Operation): boolean {
  return each.bytes !== undefined || each.stream === true;
}

/** What an operation's result is on the wire: status, body, ETag and Location. */
function answerOf(each: Operation, made: unknown): Made {
  if (made instanceof OtherAnswer || made instanceof FileAnswer || made instanceof StreamAnswer) return made;
  const headers: Record<string, string> = {};
  if (each.version !== undefined) headers["ETag"] = etagOf(each.version(made));
  if (each.status === 201 && each.version !== undefined) headers["Location"] = `${apiPrefix}${collectionOf(each)}/${idOf(made)}`;
  return new OtherAnswer(each.status, made, headers);
}

const noBytes: Received = { path: "", sha256: "", sizeBytes: 0, [Symbol.asyncDispose]: async () => undefined };

function toKeep(answer: Made): KeptAnswer {
  if (!(answer instanceof OtherAnswer)) throw new TypeError("a file or a stream is no answer to a POST");
  return { status: answer.status, headers: { ...answer.headers }, body: answer.body === undefined ? "" : JSON.stringify(answer.body) };
}

function send(answer: OtherAnswer, reply: FastifyReply): FastifyReply {
  reply.code(answer.status).headers({ ...answer.headers });
  return answer.body === undefined ? reply.send() : reply.type("application/json; charset=utf-8").send(answer.body);
}

function checkMatch(before: string, header: string | undefined): void {
  if (header === undefined || header.trim() === "*") return;
  const current = `"${before}"`;
  if (header.split(",").some((tag) => tag.trim() === current)) return;
  throw new Refusal("precondition-failed", `It is now ${current}: read it again and apply your change to that`, {
    headers: { ETag: current },
  });
}

function checkLength(request: FastifyRequest, mostBytes: number): void {
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge(mostBytes);
}

function etagOf(version: unknown): string {
  return `"${digestOf(version)}"`;
}

/** Aborts when the caller is gone or was answered. */
function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return gone.signal;
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function collectionOf(each: Operation): string {
  return each.path.replace(/\/pair$/, "");
}

function idOf(made: unknown): string {
  return typeof made === "object" && made !== null && "id" in made ? String(made.id) : "";
}
