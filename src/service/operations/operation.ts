// The shape of an operation: a verb said once, from which routes, the API's description and MCP tools are made.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Scope } from "../../protocol/operator/people.ts";
import type { Operator } from "../people/operator.ts";
import type { AuditLog } from "../people/audit.ts";
import type { Blobs, ReceivedFile } from "../content/blobs.ts";
import type { BlobSweeper } from "../content/blob-sweeper.ts";
import type { Commands } from "../fleet/commands.ts";
import type { DesiredStates } from "../fleet/state/desired-states.ts";
import type { DeviceAccess } from "../fleet/devices/device-access.ts";
import type { OutboundHttp } from "../../base/http/outbound-http.ts";
import type { EventJournal, NewEvent } from "../events/event-journal.ts";
import type { HeartbeatDependencies } from "../fleet/devices/heartbeats.ts";
import type { MakeId } from "../store/ids.ts";
import type { JournalEntry, DeviceJournal } from "../fleet/devices/device-journal.ts";
import type { TokenExpiry } from "../people/token-expiry.ts";
import type { Pairing } from "../fleet/pairing.ts";
import type { Presence } from "../fleet/presence.ts";
import { ProblemError, type ProblemKind } from "../http/problem.ts";
import type { Imports } from "../content/imports.ts";
import type { DeviceSockets } from "../fleet/devices/device-sockets.ts";
import type { Db, Store } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";
import type { Deliveries } from "../events/webhooks/deliveries.ts";
import type { WebhookSender } from "../events/webhooks/sender.ts";
import type { MediaProcessPool } from "../media/process-pool.ts";
import type { Thumbnails } from "../content/thumbnails.ts";
import type { Uploads } from "../content/uploads.ts";

/** Where all operations are. */
export const apiPrefix = "/api/v1";

/** The parts of the service that operations work with. */
export interface Parts extends HeartbeatDependencies {
  log: Log;
  store: Store;
  clock: Clock;
  makeId: MakeId;
  blobs: Blobs;
  desired: DesiredStates;
  access: DeviceAccess;
  pairing: Pairing;
  commands: Commands;
  journal: DeviceJournal;
  audit: AuditLog;
  tokens: TokenExpiry;
  presence: Presence;
  sockets: DeviceSockets;
  events: EventJournal;
  deliveries: Deliveries;
  webhooks: WebhookSender;
  webhookHttp: OutboundHttp;
  sweeper: BlobSweeper;
  thumbnails: Thumbnails;
  /** Reads uploaded bytes, in processes of their own. */
  media: MediaProcessPool;
  imports: Imports;
  uploads: Uploads;
  /** Largest asset that is taken, in bytes. */
  maxAssetBytes: number;
  /** Where people reach the service; null when that is not known. */
  publicUrl: string | null;
  /** Aborts when the service stops: whatever is held back is answered at once. */
  closing: AbortSignal;
}

interface AnyContext {
  parts: Parts;
  /** Where the request came from. */
  address: string;
  requestId: string;
  /** A header of the request, by its lower-case name. */
  header: (name: string) => string | undefined;
  /** Aborts when the caller is gone, its operator's token ends or the service stops. */
  signal: AbortSignal;
  /** What is asked first in the transaction of {@link change}: may it still be done? Brings `operator` up to date. Set by the door. */
  opening: ((db: Db) => Promise<void>) | null;
  /**
   * What else is written in the transaction of {@link change}, given the answer and the players that it concerns; set by the
   * door. What it throws rolls everything back, and nobody is told of anything.
   */
  committing: ((db: Db, answer: unknown, playerIds: readonly string[]) => Promise<void>) | null;
}
/** What an operation knows of its caller, by who may call it. */
export interface Contexts {
  operator: AnyContext & { teamId: string; tokenId: string; operator: Operator };
  device: AnyContext & { player: PlayerRow };
  anyone: AnyContext;
}
export type Caller = keyof Contexts;
export type OperatorContext = Contexts["operator"];

/** A file as an answer: sent with ranges, and under a strong ETag that is its hash. */
export class FileResponse {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mimeType: string;
  /** What a person calls it; null: it is sent without a name. */
  readonly name: string | null;

  constructor(file: { sha256: string; size_bytes: number; mime_type: string; name?: string }) {
    this.name = file.name ?? null;
    this.sha256 = file.sha256;
    this.sizeBytes = file.size_bytes;
    this.mimeType = file.mime_type;
  }
}

/** An answer other than the operation's usual one. */
export class JsonResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** An answer that is sent as it comes about. What goes wrong on the way cuts it off. */
export class StreamResponse {
  readonly type: string;
  readonly parts: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: string, parts: AsyncIterable<string>, headers: Record<string, string> = {}) {
    this.type = type;
    this.parts = parts;
    this.headers = headers;
  }
}

// An operation without a body in its answer need not return one.
type Result<T> = T extends undefined ? void : T;

/** What an operation without a parameter takes. */
export const Nothing = z.strictObject({});
type Nothing = typeof Nothing;
/** The schema of an answer without a body. */
export const NoContent = z.undefined();

interface Spec<C extends Caller, O extends z.ZodType, P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  /** The operationId, and in snake_case the tool's name. */
  name: string;
  tag: string;
  method: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below /api/v1, parameters as `{id}`. */
  path: string;
  summary: string;
  description: string;
  caller: C;
  scope?: Scope;
  /** What an agent is told beside the description: when to use it, and when not. False: it is no tool for agents. */
  agent?: string | false;
  params?: P;
  query?: Q;
  body?: B;
  /** Whether the body may come packed by gzip. */
  inflates?: boolean;
  /** Raw bytes as the body, at most so many. They arrive as `input.bytes`. */
  bytes?: (parts: Parts) => number;
  /** The body, of whatever type, is left unread: `run` reads it from `input.raw` (tus). */
  stream?: true;
  /** An example of the body; without it the description shows a sample of `body`. */
  example?: unknown;
  status: number;
  output: O;
  /** An example of the answer's body; without it the description shows a sample of `output`. */
  answer?: unknown;
  /** Media types of text that the answer comes in too, for whoever asks for them. */
  texts?: readonly string[];
  /** Media types of the answer when it is a file. */
  file?: readonly string[];
  /** Other answers worth describing. */
  others?: Readonly<Record<number, { description: string; schema?: z.ZodType }>>;
  /** What it may refuse, beyond what every operation may. */
  errors: readonly ProblemKind[];
  /** Headers of the request that it reads: name and meaning. */
  headers?: Readonly<Record<string, string>>;
  /** The part of a resource that its ETag is a digest of; absent: it has none. */
  version?(resource: z.output<O>): unknown;
  /** The resource as it stands, for If-Match; absent: not honoured. */
  current?(context: Contexts[C], params: z.output<P>): Promise<unknown>;
  run(
    context: Contexts[C],
    input: { params: z.output<P>; query: z.output<Q>; body: z.output<B>; bytes: ReceivedFile; raw: IncomingMessage },
  ): Promise<Result<z.output<O>> | JsonResponse | FileResponse | StreamResponse>;
}

/** An operation of any kind. Its parts fit together because {@link operation} checked them. */
export type Operation = Spec<Caller, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** Whether it changes nothing. */
export function isRead({ method }: Operation): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** Defines an operation; the types of its input and output follow from its schemas. */
export function operation<
  C extends Caller,
  O extends z.ZodType,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(spec: Spec<C, O, P, Q, B>): Operation {
  // The one place where the particular types are let go: routes pass only what these schemas have parsed.
  return spec as unknown as Operation;
}

/** An event of a write; without players of its own it concerns all that are affected. */
export type WriteEvent = Omit<NewEvent, "players"> & { players?: readonly string[] };

/** What a write brought about: its result, the players that may now show something else, and messages to send. */
export interface Change<T> {
  result: T;
  affected?: readonly PlayerRow[];
  entries?: readonly JournalEntry[];
  /** What to tell subscribers and webhooks. */
  events?: readonly WriteEvent[];
  /** What happens in memory once it is committed; never when it is rolled back. */
  committed?: () => void;
}

/**
 * Runs a write as one transaction: what it changes, the revisions of the players it affects, the messages they may miss
 * and what the door writes of it stand or fall together. Once it is committed, tells the players that really moved.
 * @param answer makes the operation's answer, by the transaction's own sight; without it the write's result is the answer.
 */
export async function change<T, A = T>(
  context: Pick<AnyContext, "parts" | "opening" | "committing">,
  write: (db: Db) => Promise<Change<T>>,
  answer: (db: Db, result: T) => Promise<A> = async (_db, result) => result as unknown as A,
): Promise<A> {
  const { desired, events, journal, sockets, store } = context.parts;
  const { made, entries, committed } = await store.write(async (db) => {
    await context.opening?.(db);
    const done = await write(db);
    const moved = await desired.updateRevisions(db, done.affected ?? []);
    const hints = await journal.appendAll(
      db,
      moved.map(({ playerId, revision }) => ({ playerId, message: { type: "state.changed", data: { revision } } })),
    );
    const concerned = (done.affected ?? []).map(({ id }) => id);
    await events.append(
      db,
      (done.events ?? []).map((event) => ({ players: concerned, ...event })),
    );
    const given = await answer(db, done.result);
    const sent = [...(done.entries ?? []), ...hints];
    const told = (done.events ?? []).flatMap(({ players }) => players ?? []);
    await context.committing?.(db, given, [...new Set([...sent.map(({ playerId }) => playerId), ...told])]);
    return { made: given, entries: sent, committed: done.committed };
  });
  desired.clearCache();
  committed?.();
  sockets.push(entries);
  return made;
}

/** Refuses what is not there, or not the caller's team's: to the caller that is the same. */
export function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new ProblemError("not-found", `There is no such ${what}`);
  return row;
}
