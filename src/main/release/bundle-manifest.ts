// Reads `release.json` out of a bundle, a tar file compressed with Zstandard, without unpacking the rest.
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { Fault, isFault, reasonOf } from "../../base/fault.ts";
import { ReleaseManifest } from "../../protocol/device/updates.ts";
import { describeRefusals } from "../../protocol/refusal.ts";

const block = 512;
const longestManifest = 65_536;

/** The bundle's own statement of its version and architecture. @throws Fault `refused` when it has none, or the file is no bundle. */
export async function readManifest(path: string, signal: AbortSignal): Promise<ReleaseManifest> {
  const refuse = (reason: string, cause?: unknown) =>
    new Fault("refused", `${path} is no bundle: ${reason}. Build bundles with npm run package`, { cause });
  let text: string | null = null;
  let isRead = false;
  const done = new AbortController();
  try {
    await pipeline(
      createReadStream(path),
      createZstdDecompress(),
      async (parts: AsyncIterable<Buffer>) => {
        text = await findManifest(parts);
        isRead = true;
        // The rest of the bundle need not be decompressed.
        done.abort();
      },
      { signal: AbortSignal.any([signal, done.signal]) },
    );
  } catch (error) {
    signal.throwIfAborted();
    if (isFault(error)) throw refuse(error.message, error);
    if (!isRead) throw refuse(reasonOf(error), error);
  }
  if (text === null) throw refuse("release.json is missing");
  const parsed = ReleaseManifest.safeParse(jsonOf(text));
  if (!parsed.success) {
    throw refuse(`release.json: ${describeRefusals(parsed.error)}`);
  }
  return parsed.data;
}

/** The content of the archive's `release.json`; null if it has none. */
async function findManifest(parts: AsyncIterable<Buffer>): Promise<string | null> {
  let buffered = Buffer.alloc(0);
  let skip = 0;
  let wanted: number | null = null;
  for await (const part of parts) {
    const skipped = Math.min(skip, part.length);
    skip -= skipped;
    if (skipped === part.length) continue;
    buffered = Buffer.concat([buffered, part.subarray(skipped)]);
    while (buffered.length >= (wanted ?? block)) {
      if (wanted !== null) return buffered.toString("utf8", 0, wanted);
      const header = buffered.subarray(0, block);
      if (header.every((byte) => byte === 0)) return null;
      const size = sizeIn(header);
      if (isManifest(header)) {
        if (size > longestManifest) throw new Fault("file-corrupt", "release.json is too long");
        wanted = size;
        buffered = buffered.subarray(block);
        continue;
      }
      const next = block + Math.ceil(size / block) * block;
      skip = Math.max(0, next - buffered.length);
      buffered = buffered.subarray(Math.min(next, buffered.length));
    }
  }
  return null;
}

function isManifest(header: Buffer): boolean {
  const name = header.toString("utf8", 0, 100).replace(/\0.*$/s, "");
  return /^(\.\/)?release\.json$/.test(name) && (header[156] === 0x30 || header[156] === 0);
}

/** The size in a header: octal, or in base 256 as GNU tar writes large ones. */
function sizeIn(header: Buffer): number {
  if (header.toString("latin1", 257, 262) !== "ustar") throw new Fault("file-corrupt", "it holds no tar file");
  const size = (header[124]! & 0x80) !== 0 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(header.toString("latin1", 124, 136), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Fault("file-corrupt", "a size in its tar file is invalid");
  return size;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the schema reports it
  }
}
