// Where the mirror copies releases from: a folder, such as a USB stick, or a web server.
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { Fault, hasErrorCode } from "../../base/fault.ts";
import { OutboundHttp, type AddressRule, type OutboundResponse } from "../../base/http/outbound-http.ts";
import { readFromFolder } from "../../base/releases/folder.ts";
import type { ReadRelease } from "../../base/releases/verify.ts";

/** The rest of a bundle. */
export interface BundleStream {
  /** The position of its first byte: the requested one, or 0 if the source cannot resume. */
  from: number;
  bytes: AsyncIterable<Uint8Array>;
}

export interface ReleaseSource extends AsyncDisposable {
  /** The folder or the address, as the operator named it. */
  name: string;
  read: ReadRelease;
  /** The bytes of the file at `path` from a position on; null if the source does not have it. @throws Fault `unreachable`. */
  openBundle(path: string, from: number, signal: AbortSignal): Promise<BundleStream | null>;
}

// A whole answer with metadata, which has at most a few megabytes.
const metadataLimitMs = 120_000;
const silenceLimitMs = 30_000;
const maxRedirects = 5;

/** The source that an operator named, not read yet. @param from a folder, or a URL */
export function openSource(from: string): ReleaseSource {
  return /^https?:\/\//i.test(from) ? new WebSource(from) : folderSource(from);
}

function folderSource(folder: string): ReleaseSource {
  const read = readFromFolder(folder);
  return {
    name: folder,
    read: async (path, maxBytes, signal) => {
      await requireFolder(folder);
      return read(path, maxBytes, signal);
    },
    async openBundle(path, from, signal) {
      const file = await open(join(folder, path), "r").catch((error: unknown) => {
        if (hasErrorCode(error, "ENOENT")) return null;
        throw error;
      });
      await file?.close();
      return file === null ? null : { from, bytes: createReadStream(join(folder, path), { start: from, signal }) };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A missing folder would look like an empty one: a USB stick that was pulled out. */
async function requireFolder(folder: string): Promise<void> {
  const found = await stat(join(folder, "metadata")).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  });
  if (found === null)
    throw new Fault("unreachable", `${folder} has no releases. Is the right folder named, and the disk or USB stick connected?`);
}

// The person who starts the service names this server, so it may have any address.
const anyAddress: AddressRule = {
  allows: () => true,
  addressRejected: (address) => new Fault("refused", `${address} is not called`),
  nameRejected: (hostname, cause) => new Fault("unreachable", `${hostname} cannot be resolved`, { cause }),
};

class WebSource implements ReleaseSource {
  readonly name: string;
  readonly #http = new OutboundHttp({ policy: { ruleFor: () => anyAddress }, silenceLimitMs });

  constructor(url: string) {
    this.name = url.replace(/\/+$/, "");
  }

  readonly read: ReadRelease = async (path, maxBytes, signal) => {
    const limit = AbortSignal.timeout(metadataLimitMs);
    const response = await this.#request(path, {}, signal === undefined ? limit : AbortSignal.any([signal, limit]));
    if (isMissing(response)) return null;
    this.#requireStatus(response, path, 200);
    const parts: Buffer[] = [];
    let length = 0;
    try {
      for await (const part of response.body as AsyncIterable<Buffer>) {
        parts.push(part);
        length += part.length;
        // One byte more than allowed tells the verification that the file is too long.
        if (length > maxBytes) break;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw new Fault("unreachable", `${this.name} broke off while it sent ${path}`, { cause: error });
    }
    return Buffer.concat(parts);
  };

  async openBundle(path: string, from: number, signal: AbortSignal): Promise<BundleStream | null> {
    const response = await this.#request(path, from === 0 ? {} : { range: `bytes=${from}-` }, signal);
    if (isMissing(response)) return null;
    // The local part is longer than the server's file: begin again.
    if (response.status === 416 && from > 0) {
      discard(response);
      return this.openBundle(path, 0, signal);
    }
    this.#requireStatus(response, path, 200, 206);
    const start = response.status === 200 ? 0 : Number(/^bytes (\d+)-/.exec(String(response.headers["content-range"]))?.[1] ?? Number.NaN);
    if (start !== 0 && start !== from) {
      discard(response);
      throw new Fault("unreachable", `${this.name} sends another part of ${path} than was asked for`);
    }
    return { from: start, bytes: response.body };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http[Symbol.asyncDispose]();
  }

  #request(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<OutboundResponse> {
    const url = `${this.name}/${path.split("/").map(encodeURIComponent).join("/")}`;
    return this.#http.request(url, { headers, maxRedirects, signal });
  }

  #requireStatus(response: OutboundResponse, path: string, ...expected: readonly number[]): void {
    if (expected.includes(response.status)) return;
    discard(response);
    throw new Fault("unreachable", `${this.name} answers ${response.status} for ${path}`);
  }
}

function isMissing(response: OutboundResponse): boolean {
  if (response.status !== 404 && response.status !== 403) return false;
  discard(response);
  return true;
}

function discard({ body }: OutboundResponse): void {
  body.on("error", () => undefined).destroy();
}
