// Reads a file to compute its SHA-256, in parts, so that neither memory nor the event loop depends on its size.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";

const partBytes = 256 * 1024;

export interface HashFileOptions {
  /** Ends the read with an AbortError. */
  signal?: AbortSignal;
  /** Awaited after each part of that many bytes; it may reject to end the read. */
  pace?: (bytes: number) => Promise<void>;
}

/** The size and SHA-256 of the file at `path`. The hash can be continued with bytes that will follow. @throws the system's error. */
export async function hashFile(path: string, { signal, pace }: HashFileOptions = {}): Promise<{ size: number; hash: Hash }> {
  const hash = createHash("sha256");
  let size = 0;
  const parts = createReadStream(path, { highWaterMark: partBytes, ...(signal !== undefined && { signal }) });
  for await (const part of parts as AsyncIterable<Buffer>) {
    size += part.length;
    hash.update(part);
    await pace?.(part.length);
  }
  return { size, hash };
}
