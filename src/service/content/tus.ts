// Speaks tus 1.0 (https://tus.io/protocols/resumable-upload) for uploads: the protocol's rules are @tus/server's, the answers ours.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { open, rm } from "node:fs/promises";
import { FileStore } from "@tus/file-store";
import { Server, type Upload as TusUpload } from "@tus/server";
import { Name } from "../../protocol/common.ts";
import { tooLarge } from "./blobs.ts";
import { writeStream } from "./file-writer.ts";
import { invalidField, ProblemError, type ProblemKind } from "../http/problem.ts";
import type { Uploads } from "./uploads.ts";

/** What the protocol answers: a status and headers, no body. */
export interface TusResponse {
  status: number;
  headers: Record<string, string>;
}

const resumable = { "Tus-Resumable": "1.0.0" };
const kinds: Record<number, ProblemKind> = {
  404: "not-found",
  409: "wrong-offset",
  410: "gone",
  412: "tus-version",
  413: "too-large",
  // An extension that is not spoken here, such as concatenation.
  501: "bad-request",
};

type TusRequest = Parameters<Server["handleWeb"]>[0];

/** One request under way: whose it is, and what refused it beneath the protocol. */
interface UnderWay {
  teamId: string;
  failure: unknown;
}

export class TusServer {
  readonly #uploads: Uploads;
  readonly #server: Server;
  readonly #underWay = new WeakMap<TusRequest, UnderWay>();

  constructor(uploads: Uploads, path: string) {
    this.#uploads = uploads;
    this.#server = new Server({
      path,
      datastore: new SyncedStore(uploads),
      relativeLocation: true,
      maxSize: uploads.parts.maxAssetBytes,
      // Callers carry a token; pages of other sites have no business here.
      allowedOrigins: () => false,
      namingFunction: () => uploads.parts.makeId("upl"),
      onUploadCreate: (request, upload) => this.#guarded(request, () => this.#create(request, upload)),
      onUploadFinish: (request, upload) => this.#guarded(request, () => this.#finish(upload)),
    });
  }

  /**
   * Answers one request of a team.
   * @throws Refusal in the words of our problems, carrying the protocol's headers.
   */
  async handle(raw: IncomingMessage, teamId: string): Promise<TusResponse> {
    const request = toWeb(raw);
    const underWay: UnderWay = { teamId, failure: null };
    this.#underWay.set(request, underWay);
    const response = await this.#server.handleWeb(request);
    const detail = (await response.text()).trim();
    if (underWay.failure !== null) throw withTusHeaders(underWay.failure);
    if (response.status >= 400) throw this.#refusal(response.status, detail);
    const headers = Object.fromEntries([...response.headers].filter(([name]) => !/^(content-|access-control-|cache-control)/.test(name)));
    return { status: response.status, headers };
  }

  #refusal(status: number, detail: string): ProblemError {
    if (status === 413) return withTusHeaders(tooLarge(this.#uploads.parts.maxAssetBytes)) as ProblemError;
    // Another request of the same upload did not let go in time.
    if (/acquire lock/.test(detail))
      return new ProblemError("in-flight", "Another request of this upload is under way", { headers: resumable });
    const kind = kinds[status] ?? (status >= 500 ? "internal" : "bad-request");
    return new ProblemError(kind, `tus: ${detail}`, { headers: resumable, cause: status >= 500 ? new Error(detail) : undefined });
  }

  async #create(request: TusRequest, upload: TusUpload): Promise<object> {
    const { filename, name, filetype } = upload.metadata ?? {};
    const said = filename ?? name ?? "untitled";
    const parsed = Name.safeParse(said);
    if (!parsed.success) throw invalidField("/Upload-Metadata", `filename: ${parsed.error.issues[0]!.message}`);
    await this.#uploads.create({
      id: upload.id,
      team_id: this.#underWay.get(request)!.teamId,
      name: parsed.data,
      metadata: JSON.stringify(upload.metadata ?? {}),
      content_type: filetype ?? null,
      size_bytes: upload.size ?? null,
    });
    return {};
  }

  async #finish(upload: TusUpload): Promise<{ headers: Record<string, string> }> {
    return { headers: { "Asset-Id": await this.#uploads.finish(upload.id) } };
  }

  /** The library turns whatever is thrown into a status; ours is kept to be thrown again. */
  async #guarded<T>(request: TusRequest, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (failure) {
      this.#underWay.get(request)!.failure = failure;
      throw failure;
    }
  }
}

/** The library's store of files, whose notes are rows and whose acknowledged bytes are on the disk. */
class SyncedStore extends FileStore {
  readonly #uploads: Uploads;

  constructor(uploads: Uploads) {
    super({
      directory: uploads.folder,
      configstore: {
        get: async (id: string) => {
          const row = await uploads.row(id);
          if (row === undefined) return undefined;
          const about = {
            id,
            offset: 0,
            metadata: JSON.parse(row.metadata) as Record<string, string | null>,
            creation_date: new Date(row.created_at).toISOString(),
          };
          return (row.size_bytes === null ? about : { ...about, size: row.size_bytes }) as TusUpload;
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
  // The library ends a write when the sender is gone, which it hears from here.
  return Object.defineProperty(request, "runtime", { value: { name: "node", node: { req: raw } } }) as TusRequest;
}

function withTusHeaders(failure: unknown): unknown {
  if (!(failure instanceof ProblemError)) return failure;
  const { kind, message, errors, headers, cause } = failure;
  return new ProblemError(kind, message, { errors, headers: { ...headers, ...resumable }, cause });
}
