// The requests that this service sends to a bucket. Every failure is a Fault, except that an object is missing.
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { Fault } from "../../../../base/fault.ts";
import type { S3Config } from "./config.ts";

/** An object as a list or a HEAD shows it. */
export interface ObjectEntry {
  key: string;
  sizeBytes: number;
}

const connectLimitMs = 5_000;
// From the request's first byte to the response's headers: a part of 16 MiB may take as long.
const requestLimitMs = 60_000;
const maxAttempts = 4;
const maxSockets = 100;

/** The client of a bucket. It retries the failures that S3 asks to retry (503 SlowDown, broken connections), with growing waits. */
export class Bucket implements Disposable {
  readonly config: S3Config;
  readonly client: S3Client;
  readonly #localNow: () => number;
  /** How far the bucket's clock is ahead of this machine's, by its latest response, which may be a second old. */
  #aheadMs = 0;

  constructor(config: S3Config, localNow: () => number = Date.now) {
    this.config = config;
    this.#localNow = localNow;
    this.client = new S3Client(clientConfig(config));
    this.client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { date } = (result.response as { headers?: Record<string, string> }).headers ?? {};
        const at = Date.parse(date ?? "");
        if (!Number.isNaN(at)) this.#aheadMs = at - localNow();
        return result;
      },
      { step: "deserialize", name: "readClock" },
    );
  }

  /** The time at the bucket; never later than that. */
  now(): number {
    return this.#localNow() + this.#aheadMs;
  }

  /** The bucket's name for messages. */
  get name(): string {
    const { bucket, endpoint } = this.config;
    return `the bucket ${bucket}${endpoint === null ? "" : ` at ${endpoint}`}`;
  }

  /** The object's size, and its SHA-256 if the server knows it; null: there is no object. */
  async head(key: string, signal?: AbortSignal): Promise<{ sizeBytes: number; sha256: string | null } | null> {
    const command = new HeadObjectCommand({ ...this.#at(key), ChecksumMode: "ENABLED" });
    const found = await this.#unlessMissing(() => this.client.send(command, options(signal)));
    return found === null ? null : { sizeBytes: found.ContentLength ?? 0, sha256: wholeChecksum(found.ChecksumSHA256) };
  }

  /** The bytes of an object, whole or from `range.start` to `range.end` inclusive; null: there is no object. */
  async get(key: string, range?: { start: number; end: number }): Promise<{ body: Readable; totalBytes: number } | null> {
    const wanted = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    const found = await this.#unlessMissing(() => this.client.send(new GetObjectCommand({ ...this.#at(key), ...wanted })));
    if (found === null) return null;
    const total = found.ContentRange?.split("/")[1] ?? found.ContentLength;
    return { body: found.Body as Readable, totalBytes: Number(total) };
  }

  /** Stores an object. @returns false: there was one already, which stays. @param isNew whether an existing object stays. */
  async put(key: string, bytes: Buffer, isNew: boolean): Promise<boolean> {
    const checksum = createHash("sha256").update(bytes).digest("base64");
    const condition = isNew ? { IfNoneMatch: "*" } : {};
    const command = new PutObjectCommand({ ...this.#at(key), Body: bytes, ChecksumSHA256: checksum, ...condition });
    try {
      await this.client.send(command);
      return true;
    } catch (error) {
      if (isNew && [409, 412].includes(statusOf(error) ?? 0)) return false;
      throw this.fault(error);
    }
  }

  /** Deletes an object if it exists. */
  async delete(key: string): Promise<void> {
    await this.#unlessMissing(() => this.client.send(new DeleteObjectCommand(this.#at(key))));
  }

  /** The objects whose keys begin with `prefix`, sorted by key, page by page. */
  async *list(prefix: string, pageSize = 1_000, signal?: AbortSignal): AsyncGenerator<ObjectEntry[]> {
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const command = new ListObjectsV2Command({
        Bucket: this.config.bucket,
        Prefix: prefix,
        MaxKeys: pageSize,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.client.send(command, options(signal)).catch((error: unknown) => {
        throw this.fault(error);
      });
      yield (page.Contents ?? []).map(({ Key, Size }) => ({ key: Key ?? "", sizeBytes: Size ?? 0 }));
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    }
  }

  /** An error of the library as a Fault. Whatever it is, the next attempt may succeed. */
  fault(error: unknown): Fault {
    if (error instanceof Fault) return error;
    const status = statusOf(error);
    const name = error instanceof Error ? error.name : "";
    const reason = status === undefined || status === 0 ? "cannot be reached" : `responds with ${status} ${name}`;
    return new Fault("blobs-unavailable", `${this.name} ${reason}`, { cause: error });
  }

  [Symbol.dispose](): void {
    this.client.destroy();
  }

  async #unlessMissing<T>(act: () => Promise<T>): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      const isMissing = error instanceof Error && (error.name === "NoSuchKey" || error.name === "NotFound");
      if (isMissing) return null;
      throw this.fault(error);
    }
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.config.bucket, Key: key };
  }
}

/** The settings of the library. */
function clientConfig({ endpoint, region, isPathStyle, credentials }: S3Config): S3ClientConfig {
  return {
    region,
    forcePathStyle: isPathStyle,
    maxAttempts,
    // The hashes are known already; other checksums would be computed again, and servers other than Amazon's may refuse them.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: connectLimitMs,
      requestTimeout: requestLimitMs,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
    },
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === null ? {} : { credentials }),
  };
}

function options(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

/** The SHA-256 of a whole object, in hex. That of an object from several parts is a hash of hashes. */
function wholeChecksum(base64: string | undefined): string | null {
  return base64 === undefined || base64.includes("-") ? null : Buffer.from(base64, "base64").toString("hex");
}

/** The HTTP status of an error of the library. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number } | undefined)?.httpStatusCode;
}
