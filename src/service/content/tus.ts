// Serves resumable uploads by the tus 1.0 protocol (https://tus.io/protocols/resumable-upload) with @tus/server, but with the API's own errors.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { open, rm } from "node:fs/promises";
import { FileStore } from "@tus/file-store";
import { Server, type Upload as TusUpload } from "@tus/server";
import { Name } from "../../protocol/common.ts";
import { tooLarge } from "./blobs/blob-store.ts";
import { writeStream } from "./file-writer.ts";
import { invalidField, ProblemError, type ProblemKind } from "../http/problem.ts";
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

type TusRequest = Parameters<Server["handleWeb"]>[0];

/** A running request: its team, and the error that our code threw into the library. */
interface RunningRequest {
  teamId: string;
  failure: unknown;
}

export class TusServer {
  readonly #uploads: Uploads;
  readonly #server: Server;
  readonly #running = new WeakMap<TusRequest, RunningRequest>();

  constructor(uploads: Uploads, path: string) {
    this.#uploads = uploads;
    this.#server = new Server({
      path,
      datastore: new SyncedStore(uploads),
      relativeLocation: true,
      maxSize: uploads.dependencies.maxAssetBytes,
      // Callers send a token; pages of other origins have no access.
      allowedOrigins: () => false,
      namingFunction: () => uploads.dependencies.makeId("upl"),
      onUploadCreate: (request, upload) => this.#storeErrors(request, () => this.#create(request, upload)),
      onUploadFinish: (request, upload) => this.#storeErrors(request, () => this.#finish(upload)),
    });
  }

  /**
   * Handles one request of a team.
   * @throws ProblemError with the headers of the tus protocol.
   */
  async handle(raw: IncomingMessage, teamId: string): Promise<TusResponse> {
    const request = toWeb(raw);
    const running: RunningRequest = { teamId, failure: null };
    this.#running.set(request, running);
    const response = await this.#server.handleWeb(request);
    const detail = (await response.text()).trim();
    if (running.failure !== null) throw withTusHeaders(running.failure);
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

  async #create(request: TusRequest, upload: TusUpload): Promise<object> {
    const { filename, name, filetype } = upload.metadata ?? {};
    const parsed = Name.safeParse(filename ?? name ?? "untitled");
    if (!parsed.success) throw invalidField("/Upload-Metadata", `filename: ${parsed.error.issues[0]!.message}`);
    await this.#uploads.create({
      id: upload.id,
      team_id: this.#running.get(request)!.teamId,
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

  /** Stores the error, since the library turns every error into a bare status. */
  async #storeErrors<T>(request: TusRequest, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (failure) {
      this.#running.get(request)!.failure = failure;
      throw failure;
    }
  }
}

/** The library's file store, changed in two ways: metadata is in the database, and bytes are synced before they are acknowledged. */
class SyncedStore extends FileStore {
  readonly #uploads: Uploads;

  constructor(uploads: Uploads) {
    super({
      directory: uploads.folder,
      configstore: {
        get: async (id: string) => {
          const row = await uploads.row(id);
          if (row === undefined) return undefined;
          const upload = {
            id,
            offset: 0,
            metadata: JSON.parse(row.metadata) as Record<string, string | null>,
            creation_date: new Date(row.created_at).toISOString(),
          };
          return (row.size_bytes === null ? upload : { ...upload, size: row.size_bytes }) as TusUpload;
        },
        set: async (id: string, upload: TusUpload) => void (await uploads.extend(id, upload.size ?? null)),
        delete: (id: string) => uploads.remove(id),
      },
    });
    this.#uploads = uploads;
  }

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const file = await open(this.#uploads.path(id), "r+");
    const hash = this.#uploads.takeHash(id, offset);
    try {
      const end = offset + (await writeStream(file, readable, { at: offset, hash }));
      if (hash !== null) this.#uploads.storeHash(id, end, hash);
      return end;
    } finally {
      await file.close();
    }
  }

  override async remove(id: string): Promise<void> {
    await rm(this.#uploads.path(id), { force: true });
    await this.#uploads.remove(id);
  }
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
