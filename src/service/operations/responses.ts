// The kinds of responses an operation can return besides its plain result.
import type { Readable } from "node:stream";

/** A JSON response with its own status and headers. */
export class JsonResponse {
  readonly status: number;
  /** A value, or its JSON in a buffer. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** `Set-Cookie` headers. */
  readonly cookies: readonly string[];

  constructor(status: number, body: unknown, headers: Record<string, string> = {}, cookies: readonly string[] = []) {
    this.cookies = cookies;
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A stored file. It supports ranges; its strong ETag is its hash. */
export class FileResponse {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mimeType: string;
  /** The file name for downloads; null: none is sent. */
  readonly name: string | null;
  /** Reads the bytes from `start` to `end` inclusive; null: they are the blob with this hash. */
  readonly read: ((start: number, end: number) => Readable) | null;
  /** True if the bytes at its URL never change. */
  readonly isImmutable: boolean;

  constructor(file: {
    sha256: string;
    size_bytes: number;
    mime_type: string;
    name?: string;
    read?: (start: number, end: number) => Readable;
    isImmutable?: boolean;
  }) {
    this.name = file.name ?? null;
    this.read = file.read ?? null;
    this.isImmutable = file.isImmutable ?? true;
    this.sha256 = file.sha256;
    this.sizeBytes = file.size_bytes;
    this.mimeType = file.mime_type;
  }
}

/** A response that is sent while it is produced. An error after the first byte cuts the connection. */
export class StreamResponse {
  readonly type: string;
  readonly parts: AsyncIterable<string | Buffer>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: string, parts: AsyncIterable<string | Buffer>, headers: Record<string, string> = {}) {
    this.type = type;
    this.parts = parts;
    this.headers = headers;
  }
}

export type OperationResponse = JsonResponse | FileResponse | StreamResponse;
