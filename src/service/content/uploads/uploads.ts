// Stores resumable uploads while they grow, and turns complete ones into assets.
import type { FileDependencies } from "../assets/file-dependencies.ts";
import { isFault } from "../../../base/fault.ts";
import { dayMs, iso, minuteMs } from "../../../base/time.ts";
import type { Upload } from "../../../protocol/content/assets.ts";
import { examineFile, insertAsset, prepareFile } from "../assets/creation.ts";
import { whileUnavailable } from "../blobs/unavailable.ts";
import { ProblemError } from "../../http/problem.ts";
import type { UploadRow } from "../../store/tables/content.ts";
import type { UploadBytes } from "./upload-bytes.ts";
import { findAssetByHash } from "../store.ts";

/** The asset that an upload has become. */
interface FinishedUpload {
  assetId: string;
  /** True if the team already had an asset with these bytes, and the sender asked for that one. */
  isDuplicate: boolean;
}

const lifetimeMs = dayMs;
const expireEveryMs = 10 * minuteMs;
const maxUnfinished = 100;

export class Uploads {
  readonly bytes: UploadBytes;
  readonly dependencies: FileDependencies;
  readonly #finishing = new Map<string, Promise<FinishedUpload>>();

  constructor(bytes: UploadBytes, dependencies: FileDependencies) {
    this.bytes = bytes;
    this.dependencies = dependencies;
  }

  /** Creates an upload. @throws ProblemError 429 when the team has too many unfinished uploads. */
  async create(upload: Pick<UploadRow, "id" | "team_id" | "name" | "metadata" | "content_type" | "size_bytes">): Promise<void> {
    const now = Math.trunc(this.dependencies.clock.now());
    await this.dependencies.store.write(async (db) => {
      const unfinished = db
        .selectFrom("uploads")
        .select("id")
        .where("team_id", "=", upload.team_id)
        .where("asset_id", "is", null)
        .where("error", "is", null);
      if ((await unfinished.limit(maxUnfinished).execute()).length === maxUnfinished) {
        throw new ProblemError("too-many", `The team has ${maxUnfinished} unfinished uploads: finish or delete some`, {
          headers: { "Retry-After": "60" },
        });
      }
      const row = { ...upload, asset_id: null, error: null, created_at: now, expires_at: now + lifetimeMs };
      await db.insertInto("uploads").values(row).execute();
    });
  }

  /** An upload of the team. @throws ProblemError 404 when there is none, 410 when it has expired. */
  async find(teamId: string, id: string): Promise<UploadRow> {
    const row = await this.row(id);
    if (row === undefined || row.team_id !== teamId) throw new ProblemError("not-found", "There is no such upload");
    if (row.expires_at <= this.dependencies.clock.now()) throw new ProblemError("gone", "The upload has expired: start it again");
    return row;
  }

  row(id: string): Promise<UploadRow | undefined> {
    return this.dependencies.store.db.selectFrom("uploads").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Sets the length, and extends the lifetime to a day from now. @returns the new end. */
  async extend(id: string, sizeBytes: number | null): Promise<number> {
    const expires_at = Math.trunc(this.dependencies.clock.now()) + lifetimeMs;
    await this.dependencies.store.db.updateTable("uploads").set({ size_bytes: sizeBytes, expires_at }).where("id", "=", id).execute();
    return expires_at;
  }

  /** Deletes an upload and its bytes. Its asset, if any, stays. */
  async remove(id: string): Promise<void> {
    await this.dependencies.store.db.deleteFrom("uploads").where("id", "=", id).execute();
    await this.bytes.remove(id);
  }

  /** The number of received bytes. */
  async offsetOf(row: UploadRow): Promise<number> {
    if (row.asset_id !== null) return row.size_bytes ?? 0;
    return (await this.bytes.offsetOf(row.id)) ?? 0;
  }

  async show(row: UploadRow): Promise<Upload> {
    return {
      id: row.id,
      name: row.name,
      status: row.asset_id !== null ? "finished" : row.error !== null ? "failed" : "uploading",
      size_bytes: row.size_bytes,
      offset_bytes: await this.offsetOf(row),
      asset_id: row.asset_id,
      error: row.error === null ? null : (JSON.parse(row.error) as Upload["error"]),
      created_at: iso(row.created_at),
      expires_at: iso(row.expires_at),
    };
  }

  /**
   * Turns a complete upload into an asset, once. With the metadata `duplicate: reuse` it becomes the team's asset with the same bytes.
   * @throws ProblemError when the file is rejected. The upload keeps the error, and its bytes are deleted.
   */
  finish(id: string): Promise<FinishedUpload> {
    const running = this.#finishing.get(id);
    if (running !== undefined) return running;
    const finishing = this.#finish(id).finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, finishing);
    return finishing;
  }

  /** Finishes uploads that a crash interrupted, and deletes expired uploads, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    for (let isFirst = true; ; isFirst = false) {
      await whileUnavailable(this.dependencies, signal, () => this.#resume(isFirst, signal));
      const expired = await this.dependencies.store.db
        .selectFrom("uploads")
        .select("id")
        .where("expires_at", "<=", Math.trunc(this.dependencies.clock.now()))
        .execute();
      for (const { id } of expired) await this.remove(id);
      await this.dependencies.clock.wait(expireEveryMs, signal);
    }
  }

  async #finish(id: string): Promise<FinishedUpload> {
    const row = await this.row(id);
    if (row === undefined) throw new ProblemError("not-found", "There is no such upload");
    if (row.asset_id !== null) return { assetId: row.asset_id, isDuplicate: false };
    try {
      return await this.#makeAsset(row);
    } catch (error) {
      // Another node may have finished it meanwhile, and deleted the bytes.
      const after = isFault(error, "asset-missing") ? await this.row(id) : undefined;
      if (after?.asset_id == null) throw error;
      return { assetId: after.asset_id, isDuplicate: false };
    }
  }

  async #makeAsset(row: UploadRow): Promise<FinishedUpload> {
    const { blobs, clock, events, makeId, store, thumbnails } = this.dependencies;
    const { id } = row;
    await using collected = await this.bytes.collect(id);
    const { path, known } = collected;
    await using examined = await examineFile(this.dependencies, path, row.content_type ?? undefined, row.team_id).catch(
      async (error: unknown) => {
        // Other errors, such as a stopping service, say nothing about the file: the next start tries again.
        if (error instanceof ProblemError && error.kind === "bad-file") await this.#reject(id, error);
        throw error;
      },
    );
    await using received = await blobs.adopt(path, known ?? undefined);
    await prepareFile(blobs, received, examined);
    const mayReuse = (JSON.parse(row.metadata) as { duplicate?: string }).duplicate === "reuse";
    const finished = await store.write(async (db) => {
      // Another node may have finished it since.
      const now = await db.selectFrom("uploads").select("asset_id").where("id", "=", id).executeTakeFirst();
      if (now?.asset_id != null) return { assetId: now.asset_id, isDuplicate: false };
      const existing = mayReuse ? await findAssetByHash(db, row.team_id, received.sha256) : undefined;
      const fields = { teamId: row.team_id, name: row.name };
      const asset = existing ?? (await insertAsset({ blobs, clock, events, makeId }, db, fields, received, examined));
      await db.updateTable("uploads").set({ asset_id: asset.id, size_bytes: received.sizeBytes }).where("id", "=", id).execute();
      return { assetId: asset.id, isDuplicate: existing !== undefined };
    });
    await this.bytes.remove(id);
    thumbnails.wake();
    return finished;
  }

  async #reject(id: string, { kind, message }: ProblemError): Promise<void> {
    const error = JSON.stringify({ code: kind, detail: message });
    await this.dependencies.store.db.updateTable("uploads").set({ error }).where("id", "=", id).execute();
    await this.bytes.remove(id);
  }

  /** Cleans up after other processes: deletes bytes without an unfinished upload, and finishes complete ones that nobody is at. */
  async #resume(isFirst: boolean, signal: AbortSignal): Promise<void> {
    const { clock } = this.dependencies;
    for (const id of await this.bytes.leftOver(isFirst)) {
      signal.throwIfAborted();
      const row = await this.row(id);
      // Of several nodes another one may be finishing it.
      const isQuiet = row !== undefined && (this.bytes.locker === null || row.expires_at - lifetimeMs <= clock.now() - expireEveryMs);
      if (isQuiet && row.asset_id === null && row.error === null && (await this.offsetOf(row)) === row.size_bytes)
        await this.#finishInterrupted(id);
    }
  }

  async #finishInterrupted(id: string): Promise<void> {
    try {
      await this.finish(id);
    } catch (error) {
      // The upload keeps the error of a rejected file. After any other error the next start tries again.
      if (!(error instanceof ProblemError)) this.dependencies.log.error({ err: error, upload_id: id }, "cannot finish an upload");
    }
  }
}
