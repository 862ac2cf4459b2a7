// The shape of an operation. REST routes, the API description and MCP tools are generated from the table of operations.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Scope } from "../../protocol/operator/people.ts";
import type { ReceivedFile } from "../content/blobs/blob-store.ts";
import type { ProblemKind } from "../http/problem.ts";
import type { Operator } from "../people/operator.ts";
import type { Caller, Contexts } from "./context.ts";
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

/** The fields of an operation that appear in the API description. */
interface Description<C extends Caller, O extends z.ZodType, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  /** The operationId; in snake_case, the name of the MCP tool. */
  name: string;
  tag: string;
  method: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below /api/v1, with parameters as `{id}`. */
  path: string;
  summary: string;
  description: string;
  caller: C;
  scope?: Scope;
  /** Whether it is about the caller's own user: a person who is signed in may do it whatever their role, only a token needs the scope. */
  isOwn?: true;
  /** Whether it acts on the caller's own user beyond the team, or on their other teams: a confined session may not, whatever its scopes. */
  wholePerson?: true;
  /** Advice for agents, added to the tool's description: when to use it and when not. False: there is no tool. */
  agent?: string | false;
  params?: P;
  query?: Q;
  body?: B;
  /** Whether the body may be compressed with gzip. */
  inflates?: boolean;
  /** The body, of any type, is not parsed: `run` reads it from `input.raw` (tus). */
  stream?: true;
  /** Whether it can be done in a draft, by the header `Signage-Draft`. A contributor's write may become a proposal. */
  drafts?: true;
  /** An example of the body. By default the description shows a generated sample. */
  example?: unknown;
  status: number;
  output: O;
  /** An example of the response body. By default the description shows a generated sample. */
  outputExample?: unknown;
  /** Text media types in which the response is also available. */
  texts?: readonly string[];
  /** Media type of the response if it is sent until the client leaves. */
  endless?: string;
  /** Whether a browser may send a one-time ticket for this path as `?ticket=` in place of the token. */
  acceptsTicket?: true;
  /** Media types of the response if it is a file. */
  file?: readonly string[];
  /** Whether a person who is signed in must have proved within 15 minutes who they are: always, or for some bodies. */
  proof?: true | ((body: z.output<B>) => boolean);
  /** It changes no resource, such as a ticket for a connection: the audit log has no entry of it. */
  unaudited?: true;
  /** Whether its response sets a cookie. Such a response is not kept for a repeat of the request. */
  setsCookie?: true;
  /** Other responses worth describing, by status. */
  others?: Readonly<Record<number, { description: string; schema?: z.ZodType }>>;
  /** Problems it may respond with, besides those that every operation may. */
  errors: readonly ProblemKind[];
  /** Request headers that it reads: name and meaning. */
  headers?: Readonly<Record<string, string>>;
  /** Its response has links to files of this service, which operators get with the service's address. */
  hasLinks?: true;
  /** The path of the collection to which it adds a resource, if it is not its own path. */
  collection?: string;
  /** The part of a resource that its ETag is a digest of. Without it the resource has no ETag. */
  version?: (resource: z.output<O>) => unknown;
}

/** An operation that needs the dependencies `D` to run. */
interface Definition<
  D,
  C extends Caller,
  O extends z.ZodType,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
> extends Description<C, O, P, Q, B> {
  /** The body is a file of at most this many bytes; it arrives as `input.bytes`. */
  bytes?: (dependencies: D) => number;
  /** Reads the resource that If-Match is compared with. Without it If-Match is ignored. */
  current?: (dependencies: D, context: Contexts[C], params: z.output<P>) => Promise<unknown>;
  run: (
    dependencies: D,
    context: Contexts[C],
    input: { params: z.output<P>; query: z.output<Q>; body: z.output<B>; bytes: ReceivedFile; raw: IncomingMessage },
    unitOfWork: UnitOfWork<C>,
  ) => Promise<Result<z.output<O>> | OperationResponse>;
}

/**
 * An operation of any kind that needs the dependencies `D` to run. Without `D` it can be described but not run: an operation that
 * needs anything is assignable to `Operation<never>`.
 */
export type Operation<D = never> = Definition<D, Caller, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** Whether the operation changes nothing. */
export function isRead({ method }: Operation): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** Whether the operation leaves content as it is, whatever its method: `POST /schedules/effect` only tries. */
export function keepsContent(operation: Operation): boolean {
  return isRead(operation) || operation.unaudited === true;
}

/** The request header that names the draft in which content is read or written. */
export const draftHeader = "Signage-Draft";

/** The scope that this kind of caller needs for the operation; undefined: none. */
export function scopeFor(
  { scope, isOwn }: Operation,
  { isSession, confinedBy }: Pick<Operator, "isSession" | "confinedBy">,
): Scope | undefined {
  return isSession && confinedBy === null && isOwn === true ? undefined : scope;
}

/** Whether a call of the operation with this body needs a fresh proof of a person who is signed in. */
export function needsProof({ proof }: Operation, body: unknown): boolean {
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
