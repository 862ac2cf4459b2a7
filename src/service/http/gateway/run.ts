// One call of an operation, as the gateway runs it.
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../../base/clock.ts";
import type { ReceivedFile } from "../../content/blobs/blob-store.ts";
import type { ChangeDependencies } from "../../operations/commit-change.ts";
import type { Operation } from "../../operations/operation.ts";
import type { OperationDependencies } from "../../operations/operations.ts";
import type { OperationResponse } from "../../operations/responses.ts";
import type { AuditLog } from "../../people/audit.ts";
import type { Versions } from "../../publishing/versions/versions.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { Call } from "./call.ts";
import type { Context } from "./context.ts";

/** The input of an operation, validated by its schemas. */
export interface Input {
  params: unknown;
  query: unknown;
  body: unknown;
  bytes: ReceivedFile;
  raw: IncomingMessage;
}

/** Called in the transaction of a write, before it commits, with the players that it concerns. If it throws, the write rolls back. */
export type BeforeCommit = (db: Db, response: OperationResponse, playerIds: readonly string[]) => Promise<void>;

export type GatewayDependencies = OperationDependencies &
  ChangeDependencies & { clock: Clock; audit: AuditLog; makeId: MakeId; versions: Versions };
/** One call of an operation. */
export interface Run {
  operation: Operation<OperationDependencies>;
  context: Context;
  input: Input;
  call: Call;
  beforeCommit: readonly BeforeCommit[];
}

/** The file of an operation that takes none. */
export const noBytes: ReceivedFile = { path: "", sha256: "", sizeBytes: 0, [Symbol.asyncDispose]: async () => undefined };
