// The shape of an operation. REST routes, the API description and MCP tools are generated from the table of operations.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Scope } from "../../protocol/operator/people.ts";
import type { ReceivedFile } from "../content/blobs/blob-store.ts";
import type { ProblemKind } from "../http/problem.ts";
import type { Operator } from "../people/operator.ts";
import type { Caller, Contexts, OperatorContext } from "./context.ts";
import type { OperationResponse } from "./responses.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** The path prefix of all operations. */
export const apiPrefix = "/api/v1";

/** The schema of a response without a body. */
export const NoContent = z.undefined();
type NoContent = typeof NoContent;

type EmptyObject = z.ZodObject<Record<never, never>, z.core.$strict>;
// An operation without a response body may return nothing.
type Result<T> = T extends undefined ? void : T;

type Method = "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The fields that every operation has. */
interface Common<D, C extends Caller, O extends z.ZodType, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  /** The operationId; in snake_case, the name of the MCP tool. */
  name: string;
  tag: string;
  /** The path below /api/v1, with parameters as `{id}`. */
  path: string;
  summary: string;
  description: string;
  caller: C;
  /** Advice for agents, added to the tool's description: when to use it and when not. False: there is no tool. */
  agent?: string | false;
  params?: P;
  query?: Q;
  /** Request headers that it reads: name and meaning. */
  headers?: Readonly<Record<string, string>>;
  status: number;
  output: O;
  /** Other responses worth describing, by status. */
  others?: Readonly<Record<number, { description: string; schema?: z.ZodType }>>;
  /** Problems it may respond with, besides those that every operation may. */
  errors: readonly ProblemKind[];
  run: (
    dependencies: D,
    context: Contexts[C],
    input: { params: z.output<P>; query: z.output<Q>; body: z.output<B>; bytes: ReceivedFile; raw: IncomingMessage },
    unitOfWork: UnitOfWork<C>,
  ) => Promise<Result<z.output<O>> | OperationResponse>;
}

/** Rules for people who are signed in. */
interface UserRules {
  /** True if it is about the caller's own user: a person may do it whatever their role, only a token needs the scope. */
  isOwn?: true;
  /** True if it acts on the caller's own user beyond the team, or on their other teams: a confined session may not, whatever its scopes. */
  wholePerson?: true;
}

interface SessionRules<B extends z.ZodType> extends UserRules {
  /** True if the person must have proved their identity within 15 minutes; a function: for some bodies. */
  proof?: true | ((body: z.output<B>) => boolean);
  /** True if its response sets a cookie. Such a response is not kept for a repeat of the request. */
  setsCookie?: true;
}

interface ByOperator {
  caller: "operator";
  scope?: Scope;
}

interface Read<S> extends ByOperator {
  method: "GET";
  session?: S;
  /** True if it can be done in a draft, by the header `Signage-Draft`. A contributor's write may become a proposal. */
  drafts?: true;
}

interface Write<D, P extends z.ZodType, B extends z.ZodType> extends Omit<Read<SessionRules<B>>, "method"> {
  method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** It changes no resource, such as a ticket for a connection: the audit log has no entry of it. */
  unaudited?: true;
  /** Reads the resource that If-Match is compared with. Without it If-Match is ignored. */
  current?: (dependencies: D, context: OperatorContext, params: z.output<P>) => Promise<unknown>;
  /** The path of the collection to which it adds a resource, if it is not its own path. */
  collection?: string;
}

interface JsonBody<B extends z.ZodType> {
  body?: B;
  /** An example of the body. By default the description shows a generated sample. */
  example?: unknown;
}

/** The body is a file of at most this many bytes; it arrives as `input.bytes`. */
type FileBody<D> = { bytes: (dependencies: D) => number };

interface JsonOutput<O extends z.ZodType> {
  /** An example of the response body. By default the description shows a generated sample. */
  outputExample?: unknown;
  /** Text media types in which the response is also available. */
  texts?: readonly string[];
  /** Its response has links to files of this service, which operators get with the service's address. */
  hasLinks?: true;
  /** The part of a resource that its ETag is a digest of. Without it the resource has no ETag. */
  version?: (resource: z.output<O>) => unknown;
}

/** Media types of the response if it is a file. */
type FileOutput = { file: readonly string[] };
/** Media type of the response if it is sent until the client leaves. A browser may send a one-time ticket as `?ticket=` for it. */
type EndlessOutput = { endless: string };
type ByOthers<M> = { caller: Exclude<Caller, "operator">; method: M };

/** The kinds of operations: reading, writing and streaming, by operators and by others. */
type Kind<D, O extends z.ZodType, P extends z.ZodType, B extends z.ZodType> =
  | (Read<Exclusive<UserRules, SessionRules<B>>> & (JsonOutput<O> | FileOutput | EndlessOutput))
  | (Write<D, P, B> & (JsonBody<B> | FileBody<D>) & JsonOutput<O>)
  | (ByOthers<"GET"> & (JsonOutput<O> | FileOutput))
  // Some of their bodies may be compressed with gzip.
  | (ByOthers<"POST" | "PUT"> & ((JsonBody<B> & { inflates?: true }) | FileBody<D>))
  // The body, of any type, is not parsed: `run` reads it from `input.raw` and writes outside a unit of work (tus).
  | ((ByOperator | ByOthers<Method>) & { method: Method; stream: true });

type KeysOf<T> = T extends unknown ? keyof T : never;
// The members of a union, each without the fields of the others.
type Exclusive<T, All = T> = T extends unknown ? T & Partial<Record<Exclude<KeysOf<All>, keyof T>, undefined>> : never;

/** An operation that needs the dependencies `D` to run. Its caller, method, body and response decide which other fields it may have. */
type Definition<D, C extends Caller, O extends z.ZodType, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> = Common<
  D,
  C,
  O,
  P,
  Q,
  B
> &
  Exclusive<Kind<D, O, P, B>>;

/**
 * An operation of any kind that needs the dependencies `D` to run. Without `D` it can be described but not run: an operation that
 * needs anything is assignable to `Operation<never>`.
 */
export type Operation<D = never> = Definition<D, Caller, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** True if the operation changes nothing. */
export function isRead({ method }: Operation): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** True if the operation leaves content as it is, whatever its method: `POST /schedules/effect` only tries. */
export function keepsContent(operation: Operation): boolean {
  return isRead(operation) || operation.unaudited === true;
}

/** The request header that names the draft in which content is read or written. */
export const draftHeader = "Signage-Draft";

/** The scope that this kind of caller needs for the operation; undefined: none. */
export function scopeFor(
  { scope, session }: Operation,
  { isSession, confinedBy }: Pick<Operator, "isSession" | "confinedBy">,
): Scope | undefined {
  return isSession && confinedBy === null && session?.isOwn === true ? undefined : scope;
}

/** True if a call of the operation with this body needs a fresh proof of a person who is signed in. */
export function needsProof({ session }: Operation, body: unknown): boolean {
  const proof = session?.proof;
  return typeof proof === "function" ? proof(body) : proof === true;
}

/**
 * Returns the function that defines operations which need the dependencies `D`. It infers the types of an operation's input and
 * output from the operation's schemas. Two functions, since TypeScript infers either all type arguments or none.
 */
export function operationsWith<D>() {
  return function operation<
    C extends Caller,
    O extends z.ZodType,
    P extends z.ZodType = EmptyObject,
    Q extends z.ZodType = EmptyObject,
    B extends z.ZodType = EmptyObject,
  >(definition: Definition<D, C, O, P, Q, B>): Operation<D> {
    // The input types are erased here: the gateway only passes values that these schemas have parsed.
    return definition as unknown as Operation<D>;
  };
}
