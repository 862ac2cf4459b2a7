// Keeps the bytes of unfinished uploads as objects of a bucket, in pieces that the database lists, so that an upload goes on at any node.
import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Clock } from "../../../base/clock.ts";
import { Fault, isFault, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { ProblemError } from "../../http/problem.ts";
import { randomText } from "../../people/token-secrets.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Store } from "../../store/store.ts";
import type { UploadPieceRow } from "../../store/tables/content.ts";
import type { S3Blobs } from "../blobs/s3/s3-blobs.ts";
import { silenceLimited } from "../blobs/s3/silence-limit.ts";
import { writeStream } from "../file-writer.ts";
import { PieceFile, pieceBytes } from "./piece-file.ts";
import type { CollectedUpload, UploadBytes } from "./upload-bytes.ts";
import { UploadLocks } from "./upload-locks.ts";

// Bytes of a slow sender are stored after this time, so that a node that dies loses little of an upload.
const longestUnstoredMs = 5_000;
const deletionsAtOnce = 10;

interface Dependencies {
  blobs: S3Blobs;
  store: Store;
  clock: Clock;
  log: Log;
}

/**
 * A piece is stored first, then its row is inserted. The primary key is the upload and the piece's first byte: of two requests that
 * append at one offset, one succeeds, also if a node was paused and has lost its lock. So the offset is the end of the last piece.
 */
export class BucketUploads implements UploadBytes {
  readonly locker: UploadLocks;
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.locker = new UploadLocks(dependencies);
  }

  async create(): Promise<void> {
    // An upload without pieces is empty.
  }

  async offsetOf(id: string): Promise<number> {
    const last = this.#pieces(id).orderBy("start", "desc").limit(1);
    const row = await last.executeTakeFirst();
    return row === undefined ? 0 : row.start + row.size_bytes;
  }

  append(id: string, bytes: Readable, offset: number): Promise<number> {
    return this.locker.whileHeld(id, this.#append(id, bytes, offset));
  }

  async collect(id: string): Promise<CollectedUpload> {
    const { blobs } = this.#dependencies;
    const path = blobs.incomingPath();
    const discard = () => rm(path, { force: true });
    const whole = createHash("sha256");
    const file = await open(path, "wx", 0o600);
    let sizeBytes = 0;
    try {
      for (const piece of await this.#pieces(id).orderBy("start").execute()) {
        if (piece.start !== sizeBytes) throw new Fault("asset-missing", `the upload ${id} has no byte ${sizeBytes}`);
        const hash = createHash("sha256");
        const bytes = hashed(await this.#open(piece), hash);
        sizeBytes += await writeStream(file, bytes, { at: sizeBytes, hash: whole });
        if (sizeBytes !== piece.start + piece.size_bytes || hash.digest("hex") !== piece.sha256)
          throw new Fault("asset-corrupt", `the bucket has other bytes for the upload ${id} than were sent`);
      }
    } catch (error) {
      await discard();
      throw error instanceof Fault ? error : blobs.bucket.fault(error);
    } finally {
      await file.close();
    }
    return { path, known: { sha256: whole.digest("hex"), sizeBytes }, [Symbol.asyncDispose]: discard };
  }

  async remove(id: string): Promise<void> {
    const { log, store } = this.#dependencies;
    try {
      for await (const page of this.#bucket.list(this.#keyOf(id, ""))) await this.#delete(page.map(({ key }) => key));
    } catch (error) {
      if (!isFault(error, "blobs-unavailable")) throw error;
      log.warn({ reason: reasonOf(error), upload_id: id }, "the bytes of an upload are deleted later");
    }
    await store.db.deleteFrom("upload_pieces").where("upload_id", "=", id).execute();
  }

  async leftOver(): Promise<string[]> {
    const { store } = this.#dependencies;
    for await (const page of this.#bucket.list(this.#keyOf("", ""))) {
      const idOf = (key: string) => key.split("/").at(-2) ?? "";
      const ids = new Set(page.map(({ key }) => idOf(key)));
      if (ids.size === 0) continue;
      const unfinished = new Set((await this.#unfinished([...ids]).execute()).map(({ id }) => id));
      await this.#delete(page.map(({ key }) => key).filter((key) => !unfinished.has(idOf(key))));
    }
    await this.locker.forgetEnded();
    const pieces = store.db.selectFrom("upload_pieces").select("upload_id").distinct();
    const ids = (await pieces.execute()).map(({ upload_id: id }) => id);
    const unfinished = ids.length === 0 ? [] : (await this.#unfinished(ids).execute()).map(({ id }) => id);
    const gone = ids.filter((id) => !unfinished.includes(id));
    if (gone.length > 0) await store.db.deleteFrom("upload_pieces").where("upload_id", "in", gone).execute();
    return unfinished;
  }

  async #append(id: string, bytes: Readable, offset: number): Promise<number> {
    const { blobs, clock } = this.#dependencies;
    await using piece = await PieceFile.open(blobs.incomingPath());
    let at = offset;
    let beganAt = clock.monotonic();
    let hasFailed = false;
    const store = async (): Promise<void> => {
      if (piece.sizeBytes === 0) return;
      try {
        await this.#store(id, at, piece);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      at += piece.sizeBytes;
      await piece.empty();
      beganAt = clock.monotonic();
    };
    try {
      for await (const part of bytes as AsyncIterable<Buffer>) {
        for (let sent = 0; sent < part.length;) {
          sent += await piece.add(part.subarray(sent, sent + pieceBytes - piece.sizeBytes));
          if (piece.sizeBytes === pieceBytes || clock.monotonic() - beganAt >= longestUnstoredMs) await store();
        }
      }
    } finally {
      // After a broken connection too: the upload is resumed behind the last byte that came.
      if (!hasFailed) await store();
    }
    return at;
  }

  async #store(id: string, start: number, piece: PieceFile): Promise<void> {
    const { store } = this.#dependencies;
    const object = `${start}-${randomText(10)}`;
    const { bytes, sha256 } = await piece.read();
    await this.#bucket.put(this.#keyOf(id, object), bytes, false);
    const row: UploadPieceRow = { upload_id: id, start, size_bytes: bytes.length, sha256, object };
    const inserted = store.db.insertInto("upload_pieces").values(row);
    const rows = await inserted
      .onConflict((each) => each.columns(["upload_id", "start"]).doNothing())
      .returning("start")
      .execute();
    if (rows.length === 1) return;
    await this.#bucket.delete(this.#keyOf(id, object));
    throw new ProblemError("in-flight", "Another request of this upload is running");
  }

  async #open({ upload_id: id, object, size_bytes: size }: UploadPieceRow): Promise<Readable> {
    const found = await this.#bucket.get(this.#keyOf(id, object));
    if (found === null) throw new Fault("asset-missing", `a piece of the upload ${id} is missing in the bucket`);
    if (found.totalBytes === size) return found.body;
    found.body.destroy();
    throw new Fault("asset-corrupt", `the bucket has other bytes for the upload ${id} than were sent`);
  }

  async #delete(keys: readonly string[]): Promise<void> {
    for (const together of inChunks(keys, deletionsAtOnce)) await Promise.all(together.map((key) => this.#bucket.delete(key)));
  }

  #pieces(id: string) {
    return this.#dependencies.store.db.selectFrom("upload_pieces").selectAll().where("upload_id", "=", id);
  }

  #unfinished(ids: readonly string[]) {
    const uploads = this.#dependencies.store.db.selectFrom("uploads").select("id").where("id", "in", ids);
    return uploads.where("asset_id", "is", null).where("error", "is", null);
  }

  get #bucket() {
    return this.#dependencies.blobs.bucket;
  }

  /** The key of a piece. Without an id or an object: the prefix of the keys of all. */
  #keyOf(id: string, object: string): string {
    return `${this.#bucket.config.prefix}uploads/${id === "" ? "" : `${id}/${object}`}`;
  }
}

async function* hashed(body: Readable, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const bytes of silenceLimited(body)) {
    hash.update(bytes);
    yield bytes;
  }
}
