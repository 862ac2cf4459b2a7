// The operations as HTTP routes: who may call, what came in, what goes out.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { authenticate, demand, hashOf, refuseToken } from "./access.ts";
import { tooLarge, type Received } from "./blobs.ts";
import { sendFile } from "./file-answer.ts";
import { Idempotency, type KeptAnswer } from "./idempotency.ts";
import { routeSchema } from "./openapi.ts";
import { operations } from "./operations.ts";
import { FileAnswer, OtherAnswer, type Contexts, type Operation, type Parts } from "./operations/operation.ts";
import { Refusal } from "./problem.ts";
import { digestOf } from "./stable.ts";

export const apiPrefix = "/api/v1";

type AnyContext = Contexts["operator"] & Contexts["device"];
type Input = { params: unknown; query: unknown; body: unknown; bytes: Received };
type Made = OtherAnswer | FileAnswer;

/** Adds a route for each operation. JSON and raw bodies live in scopes of their own, since each has its own parsers. */
export function addOperations(app: FastifyInstance, parts: Parts): void {
  const door = new Door(parts);
  app.register(async (scope) => {
    for (const each of operations) if (each.bytes === undefined) door.add(scope, each);
  });
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Whatever the type says, the bytes are taken as they are.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    for (const each of operations) if (each.bytes !== undefined) door.add(scope, each);
  });
}

/** Adds what the operations share: one turn at a time for conditional writes, and the memory of idempotency keys. */
class Door {
  readonly #parts: Parts;
  readonly #idempotency: Idempotency;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#idempotency = new Idempotency(parts.store, parts.clock);
  }

  add(scope: FastifyInstance, each: Operation): void {
    const contexts = new WeakMap<FastifyRequest, AnyContext>();
    scope.route({
      method: each.method satisfies HTTPMethods,
      url: apiPrefix + each.path.replaceAll(/\{(\w+)\}/g, ":$1"),
      schema: routeSchema(each),
      ...(each.bytes === undefined ? {} : { bodyLimit: Number.MAX_SAFE_INTEGER }),
      // Before the body is read: a stranger's gigabytes are not taken in.
      onRequest: async (request, reply) => {
        contexts.set(request, await this.#contextOf(each, request, reply));
        if (each.bytes !== undefined) checkLength(request, each.bytes(this.#parts));
      },
      handler: async (request, reply) => {
        await using owned = new AsyncDisposableStack();
        const { params, query } = request;
        const bytes = each.bytes === undefined ? noBytes : owned.use(await this.#receive(request, each.bytes(this.#parts)));
        const body = each.bytes === undefined ? request.body : undefined;
        const input: Input = { params, query, body, bytes };
        const answer = await this.#answer(each, contexts.get(request)!, input, request, reply);
        return answer instanceof FileAnswer ? sendFile(this.#parts.blobs, answer, request, reply) : send(answer, reply);
      },
    });
  }

  async #contextOf(each: Operation, request: FastifyRequest, reply: FastifyReply): Promise<AnyContext> {
    const parts = this.#parts;
    const context = {
      parts,
      address: request.ip,
      header: (name: string) => headerOf(request, name),
      committing: null,
      get signal() {
        const gone = new AbortController();
        reply.raw.once("close", () => gone.abort());
        return AbortSignal.any([gone.signal, parts.closing]);
      },
    };
    // A context holds what its caller's kind of operation reads; the table says which kind each is.
    const as = (more: object) => Object.defineProperties(more, Object.getOwnPropertyDescriptors(context)) as AnyContext;
    if (each.caller === "anyone") return as({});
    if (each.caller === "device") {
      const player = await parts.access.playerOf(request.headers.authorization);
      if (player.removed_at !== null) throw refuseToken();
      return as({ player });
    }
    const operator = await authenticate(parts.store.db, parts.clock, request.headers.authorization);
    if (each.scope !== undefined) demand(operator, each.scope);
    return as({ operator, teamId: operator.teamId, tokenId: operator.tokenId });
  }

  #receive(request: FastifyRequest, mostBytes: number): Promise<Received> {
    // Fastify parses no body where neither type nor length announce one: that is an empty file.
    const stream = request.body === undefined ? request.raw : (request.body as typeof request.raw);
    return this.#parts.blobs.receive(stream, mostBytes);
  }

  async #answer(each: Operation, context: AnyContext, input: Input, request: FastifyRequest, reply: FastifyReply): Promise<Made> {
    const key = headerOf(request, "idempotency-key");
    if (key === undefined || each.method !== "POST" || each.caller !== "operator") return this.#inTurn(each, context, input, request);
    const hash = hashOf(JSON.stringify([each.name, request.url, input.body ?? null, input.bytes.sha256]));
    const kept = await this.#idempotency.once(context.tokenId, key, hash, async (keep) => {
      context.committing = (db, made) => keep(db, toKeep(answerOf(each, made)));
      return toKeep(await this.#inTurn(each, context, input, request));
    });
    if (kept.replayed) reply.header("Idempotency-Replayed", "true");
    return new OtherAnswer(kept.status, kept.body === "" ? undefined : JSON.parse(kept.body), kept.headers);
  }

  /** Conditional writes come one after the other, so that what If-Match compared is still so when the write happens. */
  async #inTurn(each: Operation, context: AnyContext, input: Input, request: FastifyRequest): Promise<Made> {
    if (each.current === undefined) return this.#run(each, context, input);
    const turn = this.#turn.then(async () => {
      await checkMatch(each, context, input.params, headerOf(request, "if-match"));
      return this.#run(each, context, input);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #run(each: Operation, context: AnyContext, input: Input): Promise<Made> {
    return answerOf(each, await each.run(context, input));
  }
}

/** What an operation's result is on the wire: status, body, ETag and Location. */
function answerOf(each: Operation, made: unknown): Made {
  if (made instanceof OtherAnswer || made instanceof FileAnswer) return made;
  const headers: Record<string, string> = {};
  if (each.version !== undefined) headers["ETag"] = etagOf(each.version(made));
  if (each.status === 201 && each.version !== undefined) headers["Location"] = `${apiPrefix}${collectionOf(each)}/${idOf(made)}`;
  return new OtherAnswer(each.status, made, headers);
}

const noBytes: Received = { path: "", sha256: "", sizeBytes: 0, [Symbol.asyncDispose]: async () => undefined };

function toKeep(answer: Made): KeptAnswer {
  if (answer instanceof FileAnswer) throw new TypeError("a file is no answer to a POST");
  return { status: answer.status, headers: { ...answer.headers }, body: answer.body === undefined ? "" : JSON.stringify(answer.body) };
}

function send(answer: OtherAnswer, reply: FastifyReply): FastifyReply {
  reply.code(answer.status).headers({ ...answer.headers });
  return answer.body === undefined ? reply.send() : reply.type("application/json; charset=utf-8").send(answer.body);
}

async function checkMatch(each: Operation, context: AnyContext, params: unknown, header: string | undefined): Promise<void> {
  if (header === undefined || header.trim() === "*") return;
  const current = etagOf(await each.current!(context, params));
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
