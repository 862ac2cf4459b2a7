// Serves resumable uploads by the tus 1.0 protocol (https://tus.io/protocols/resumable-upload) with @tus/server, but with the API's own errors.
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { DataStore, ERRORS, Server, Upload as TusUpload } from "@tus/server";
import { Fault } from "../../../base/fault.ts";
import { Name } from "../../../protocol/common.ts";
import { tooLarge } from "../blobs/blob-store.ts";
import { invalidField, ProblemError, type ProblemKind } from "../../http/problem.ts";
import type { Uploads } from "./uploads.ts";

/** A tus response: a status and headers, no body. */
export interface TusResponse {
  status: number;
  headers: Record<string, string>;
}

const tusHeaders = { "Tus-Resumable": "1.0.0" };
const problemKinds: Record<number, ProblemKind> = {
  404: "not-found",
  409: "wrong-offset",
  410: "gone",
  412: "tus-version",
  413: "too-large",
  // An unsupported extension, such as concatenation.
  501: "bad-request",
};

const running = new AsyncLocalStorage<RunningRequest>();

type TusRequest = Parameters<Server["handleWeb"]>[0];

/** The request that the library is handling: its team, and the error that our code threw into the library. */
interface RunningRequest {
  teamId: string;
  failure: unknown;
}

export class TusServer {
  readonly #uploads: Uploads;
  readonly #server: Server;

  constructor(uploads: Uploads, path: string) {
    this.#uploads = uploads;
    this.#server = new Server({
      path,
      datastore: new UploadStore(uploads),
      ...(uploads.bytes.locker === null ? {} : { locker: uploads.bytes.locker }),
      relativeLocation: true,
      maxSize: uploads.dependencies.maxAssetBytes,
      // Callers send a token; pages of other origins have no access.
      allowedOrigins: () => false,
      namingFunction: () => uploads.dependencies.makeId("upl"),
      onUploadCreate: (_request, upload) => noteFailure(() => this.#create(upload), isAny),
      onUploadFinish: (_request, upload) => noteFailure(() => this.#finish(upload), isAny),
    });
  }

  /**
   * Handles one request of a team.
   * @throws ProblemError with the headers of the tus protocol.
   */
  async handle(raw: IncomingMessage, teamId: string): Promise<TusResponse> {
    const request = toWeb(raw);
    const handled: RunningRequest = { teamId, failure: null };
    const response = await running.run(handled, () => this.#server.handleWeb(request));
    const detail = (await response.text()).trim();
    if (handled.failure !== null) throw withTusHeaders(handled.failure);
    if (response.status >= 400) throw this.#problem(response.status, detail);
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !/^(content-|access-control-|cache-control)/.test(name)));
    return { status: response.status, headers };
  }

  #problem(status: number, detail: string): ProblemError {
    if (status === 413) return withTusHeaders(tooLarge(this.#uploads.dependencies.maxAssetBytes)) as ProblemError;
    // Another request of the same upload did not release its lock in time.
    if (/acquire lock/.test(detail))
      return new ProblemError("in-flight", "Another request of this upload is running", { headers: tusHeaders });
    const kind = problemKinds[status] ?? (status >= 500 ? "internal" : "bad-request");
    return new ProblemError(kind, `tus: ${detail}`, { headers: tusHeaders, cause: status >= 500 ? new Error(detail) : undefined });
  }

  async #create(upload: TusUpload): Promise<object> {
    const { filename, name, filetype } = upload.metadata ?? {};
    const parsed = Name.safeParse(filename ?? name ?? "untitled");
    if (!parsed.success) throw invalidField("/Upload-Metadata", `filename: ${parsed.error.issues[0]!.message}`);
    await this.#uploads.create({
      id: upload.id,
      team_id: running.getStore()!.teamId,
      name: parsed.data,
      metadata: JSON.stringify(upload.metadata ?? {}),
      content_type: filetype ?? null,
      size_bytes: upload.size ?? null,
    });
    return {};
  }

  async #finish(upload: TusUpload): Promise<{ headers: Record<string, string> }> {
    const { assetId, isDuplicate } = await this.#uploads.finish(upload.id);
    return { headers: { "Asset-Id": assetId, ...(isDuplicate ? { "Asset-Duplicate": "true" } : {}) } };
  }
}

/** The library's view of the uploads: their rows are in the database, and their bytes are stored before they are acknowledged. */
class UploadStore extends DataStore {
  override readonly extensions = ["creation", "creation-with-upload", "creation-defer-length", "termination", "expiration"];
  readonly #uploads: Uploads;

  constructor(uploads: Uploads) {
    super();
    this.#uploads = uploads;
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    await this.#uploads.bytes.create(upload.id);
    await this.#uploads.extend(upload.id, upload.size ?? null);
    return upload;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const row = await this.#uploads.row(id);
    if (row === undefined) throw ERRORS.FILE_NOT_FOUND;
    const offset = await this.#uploads.bytes.offsetOf(id);
    if (offset === null) throw ERRORS.FILE_NO_LONGER_EXISTS;
    return new TusUpload({
      id,
      offset,
      metadata: JSON.parse(row.metadata) as Record<string, string | null>,
      creation_date: new Date(row.created_at).toISOString(),
      ...(row.size_bytes === null ? {} : { size: row.size_bytes }),
    });
  }

  override declareUploadLength(id: string, length: number): Promise<void> {
    return this.#uploads.extend(id, length).then(() => undefined);
  }

  override write(bytes: Readable, id: string, offset: number): Promise<number> {
    // Errors of the connection stay the library's.
    return noteFailure(
      () => this.#uploads.bytes.append(id, bytes, offset),
      (error) => error instanceof Fault || error instanceof ProblemError,
    );
  }

  override async remove(id: string): Promise<void> {
    await this.#uploads.remove(id);
  }

  // Expired uploads are deleted with their rows.
  override getExpiration(): number {
    return 0;
  }
}

/** Keeps the error of the running request, since the library turns every error into a bare status. */
async function noteFailure<T>(act: () => Promise<T>, isOurs: (error: unknown) => boolean): Promise<T> {
  try {
    return await act();
  } catch (failure) {
    if (isOurs(failure)) running.getStore()!.failure = failure;
    throw failure;
  }
}

function isAny(): boolean {
  return true;
}

function toWeb(raw: IncomingMessage): TusRequest {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw.headers)) if (value !== undefined) headers.set(name, String(value));
  const hasBody = raw.method === "PATCH" || raw.method === "POST";
  const body = hasBody ? (Readable.toWeb(raw) as ReadableStream) : null;
  const request = new Request(new URL(raw.url!, "http://service"), { method: raw.method!, headers, body, duplex: "half" } as RequestInit);
  // The library reads this property to stop writing when the sender disconnects.
  return Object.defineProperty(request, "runtime", { value: { name: "node", node: { req: raw } } }) as TusRequest;
}

function withTusHeaders(failure: unknown): unknown {
  if (!(failure instanceof ProblemError)) return failure;
  const { kind, message, errors, headers, cause } = failure;
  return new ProblemError(kind, message, { errors, headers: { ...headers, ...tusHeaders }, cause });
}
