// Makes small pictures of assets in the background, a few at a time, and goes on after a restart where it was.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Bell } from "../base/bell.ts";
import type { Clock } from "../base/clock.ts";
import { reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { isStored, type StoredAssetRow } from "./asset-rows.ts";
import type { Blobs } from "./blobs.ts";
import { longestEdge } from "./media/image.ts";
import type { Store } from "./store.ts";

/** The media type of every thumbnail. */
export const thumbnailType = "image/webp";

const edge = 512;
const atOnce = 2;
const mostTries = 2;
const longestMs = 30_000;
const mostFrameBytes = 64 * 1_024 * 1_024;

type ThumbnailParts = { blobs: Blobs; store: Store; clock: Clock; log: Log };

export class Thumbnails {
  readonly #parts: ThumbnailParts;
  readonly #bell = new Bell();

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /** Says that there is something to do. */
  wake(): void {
    this.#bell.ring();
  }

  /** Works until `signal` aborts; what is under way then is begun anew at the next start. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const rows = await this.#due();
      await Promise.all(rows.map((row) => this.#make(row, signal)));
      signal.throwIfAborted();
      if (rows.length === 0) await this.#bell.wait(this.#parts.clock, Number.POSITIVE_INFINITY, signal);
    }
  }

  async #due(): Promise<StoredAssetRow[]> {
    const rows = await this.#parts.store.db
      .selectFrom("assets")
      .selectAll()
      .where("status", "=", "processing")
      .orderBy("created_at")
      .limit(atOnce)
      .execute();
    return rows.filter(isStored);
  }

  /** Makes one, or settles that there is none: a file that was taken can be shown without. */
  async #make(row: StoredAssetRow, signal: AbortSignal): Promise<void> {
    const { log, store } = this.#parts;
    if (row.thumbnail_tries >= mostTries) return this.#settle(row, null);
    // Noted before the attempt: one that takes the process with it is not tried for ever.
    await store.db
      .updateTable("assets")
      .set({ thumbnail_tries: row.thumbnail_tries + 1 })
      .where("id", "=", row.id)
      .execute();
    const picture = await this.#draw(row, signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn({ asset_id: row.id, name: row.name, reason: reasonOf(error) }, "no thumbnail could be made");
      return null;
    });
    if (!signal.aborted) await this.#settle(row, picture);
  }

  async #settle(row: StoredAssetRow, picture: Buffer | null): Promise<void> {
    const { blobs, store } = this.#parts;
    if (picture === null) {
      await store.db.updateTable("assets").set({ status: "ready" }).where("id", "=", row.id).execute();
      return;
    }
    await using received = await blobs.receive(only(picture), picture.length);
    await store.write(async (db) => {
      await blobs.keep(received);
      await db
        .updateTable("assets")
        .set({ status: "ready", thumbnail_sha256: received.sha256, thumbnail_bytes: received.sizeBytes })
        .where("id", "=", row.id)
        .execute();
    });
  }

  async #draw(row: StoredAssetRow, signal: AbortSignal): Promise<Buffer | null> {
    const path = this.#parts.blobs.pathOf(row.sha256);
    const source = row.kind === "video" ? await frameOf(path, row, signal) : path;
    if (source === null) return null;
    const { default: sharp } = await import("sharp");
    return sharp(source, { limitInputPixels: longestEdge ** 2 })
      .autoOrient()
      .resize(edge, edge, { fit: "inside", withoutEnlargement: true })
      .timeout({ seconds: longestMs / 1_000 })
      .webp({ quality: 80 })
      .toBuffer();
  }
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** A frame of a video as PNG, by the machine's ffmpeg; null where there is none, since nothing else here decodes video. */
async function frameOf(path: string, { mime_type, duration_ms }: StoredAssetRow, signal: AbortSignal): Promise<Buffer | null> {
  const atS = Math.min((duration_ms ?? 0) / 10_000, 5);
  // The demuxer is named and only files may be read: a playlist in disguise opens nothing.
  const input = [
    "-protocol_whitelist",
    "file",
    "-f",
    mime_type === "video/webm" ? "matroska" : "mp4",
    "-ss",
    String(atS),
    "-i",
    `file:${path}`,
  ];
  const scale = `scale='min(${edge},iw)':'min(${edge},ih)':force_original_aspect_ratio=decrease`;
  const output = ["-an", "-sn", "-frames:v", "1", "-vf", scale, "-f", "image2pipe", "-c:v", "png", "-"];
  const limits = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
  const argv = ["-v", "error", "-nostdin", "-threads", "1", ...input, ...output];
  const ffmpeg = spawn("ffmpeg", argv, { stdio: ["ignore", "pipe", "pipe"], signal: limits, killSignal: "SIGKILL" });
  const ended = once(ffmpeg, "close") as Promise<[number | null]>;
  // Heard below; a failure that comes while its output is read must not count as unheard.
  ended.catch(() => undefined);
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  let complaints = "";
  ffmpeg.stderr.on("data", (text: Buffer) => (complaints = (complaints + text.toString()).slice(0, 500)));
  for await (const part of ffmpeg.stdout as AsyncIterable<Buffer>) {
    sizeBytes += part.length;
    if (sizeBytes > mostFrameBytes) ffmpeg.kill("SIGKILL");
    else parts.push(part);
  }
  try {
    const [code] = await ended;
    if (code !== 0 || sizeBytes === 0) throw new Error(`ffmpeg ended with ${code}: ${complaints}`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  return Buffer.concat(parts);
}
