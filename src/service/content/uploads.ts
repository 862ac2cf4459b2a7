// Resumable uploads by the tus protocol (1.0): their bytes grow in files, and a whole one becomes an asset.
import { createHash, type Hash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Upload } from "../../protocol/content/assets.ts";
import { examineFile, insertAsset } from "./asset-creation.ts";
import type { Blobs } from "./blobs.ts";
import type { MakeId } from "../store/ids.ts";
import type { MediaProcessPool } from "../media/process-pool.ts";
import { ProblemError } from "../http/problem.ts";
import type { EventJournal } from "../events/event-journal.ts";
import type { Store } from "../store/store.ts";
import type { UploadRow } from "../store/tables.ts";
import type { Thumbnails } from "./thumbnails.ts";

/** What uploads work with. */
export interface UploadParts {
  blobs: Blobs;
  store: Store;
  clock: Clock;
  log: Log;
  events: EventJournal;
  makeId: MakeId;
  thumbnails: Thumbnails;
  media: MediaProcessPool;
  maxAssetBytes: number;
}

const lifeMs = 86_400_000;
const expireEveryMs = 600_000;
const maxOpen = 100;

export class Uploads {
  /** Where unfinished bytes lie, on the disk of the blobs. */
  readonly folder: string;
  readonly parts: UploadParts;
  // Of what was written in one go so far; after a break or a restart the file is read again instead.
  readonly #hashes = new Map<string, { sizeBytes: number; hash: Hash }>();
  readonly #finishing = new Map<string, Promise<string>>();

  private constructor(folder: string, parts: UploadParts) {
    this.folder = folder;
    this.parts = parts;
  }

  /** Opens the folder, made if need be. */
  static async open(folder: string, parts: UploadParts): Promise<Uploads> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Uploads(folder, parts);
  }

  /** Notes a new upload. @throws Refusal 429 when the team has too many unfinished ones. */
  async create(about: Pick<UploadRow, "id" | "team_id" | "name" | "metadata" | "content_type" | "size_bytes">): Promise<void> {
    const now = Math.trunc(this.parts.clock.now());
    await this.parts.store.write(async (db) => {
      const open = db
        .selectFrom("uploads")
        .select("id")
        .where("team_id", "=", about.team_id)
        .where("asset_id", "is", null)
        .where("error", "is", null);
      if ((await open.limit(maxOpen).execute()).length === maxOpen) {
        throw new ProblemError("too-many", `The team has ${maxOpen} unfinished uploads: finish or delete some`, {
          headers: { "Retry-After": "60" },
        });
      }
      const row = { ...about, asset_id: null, error: null, created_at: now, expires_at: now + lifeMs };
      await db.insertInto("uploads").values(row).execute();
    });
  }

  /** The team's upload. @throws Refusal 404 for another, 410 for one whose time is over. */
  async find(teamId: string, id: string): Promise<UploadRow> {
    const row = await this.row(id);
    if (row === undefined || row.team_id !== teamId) throw new ProblemError("not-found", "There is no such upload");
    if (row.expires_at <= this.parts.clock.now()) throw new ProblemError("gone", "The upload has expired: begin it anew");
    return row;
  }

  row(id: string): Promise<UploadRow | undefined> {
    return this.parts.store.db.selectFrom("uploads").selectAll().where("id", "=", id).executeTakeFirst();
  }

  /** Sets the length once it is known, and the time it is kept: a day from now. */
  async extend(id: string, sizeBytes: number | null): Promise<number> {
    const expires_at = Math.trunc(this.parts.clock.now()) + lifeMs;
    await this.parts.store.db.updateTable("uploads").set({ size_bytes: sizeBytes, expires_at }).where("id", "=", id).execute();
    return expires_at;
  }

  /** Forgets an upload and its bytes; what it became stays. */
  async remove(id: string): Promise<void> {
    this.#hashes.delete(id);
    await this.parts.store.db.deleteFrom("uploads").where("id", "=", id).execute();
    await rm(this.path(id), { force: true });
  }

  /** The hash of the first `sizeBytes` of an upload, to go on with; null where it is not known. Given once. */
  takeHash(id: string, sizeBytes: number): Hash | null {
    const known = this.#hashes.get(id);
    this.#hashes.delete(id);
    if (sizeBytes === 0) return createHash("sha256");
    return known?.sizeBytes === sizeBytes ? known.hash : null;
  }

  /** Keeps the hash of all that an upload has by now. */
  storeHash(id: string, sizeBytes: number, hash: Hash): void {
    this.#hashes.set(id, { sizeBytes, hash });
  }

  /** How many bytes have arrived. */
  async offsetOf(row: UploadRow): Promise<number> {
    if (row.asset_id !== null) return row.size_bytes ?? 0;
    return (await stat(this.path(row.id)).catch(() => null))?.size ?? 0;
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
      created_at: new Date(row.created_at).toISOString(),
      expires_at: new Date(row.expires_at).toISOString(),
    };
  }

  /**
   * Makes the asset of an upload whose bytes are all there, once. @returns the asset's id.
   * @throws Refusal when the file is refused; the upload says so too and its bytes are gone.
   */
  finish(id: string): Promise<string> {
    const known = this.#finishing.get(id);
    if (known !== undefined) return known;
    const finishing = this.#finish(id).finally(() => this.#finishing.delete(id));
    this.#finishing.set(id, finishing);
    return finishing;
  }

  /** Finishes what a crash kept from it, then forgets what has expired, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    await this.#resume(signal);
    for (;;) {
      const expired = await this.parts.store.db
        .selectFrom("uploads")
        .select("id")
        .where("expires_at", "<=", Math.trunc(this.parts.clock.now()))
        .execute();
      for (const { id } of expired) await this.remove(id);
      await this.parts.clock.wait(expireEveryMs, signal);
    }
  }

  /** Where the bytes of an upload lie. Its id is ours, so it names no other place. */
  path(id: string): string {
    return join(this.folder, id);
  }

  async #finish(id: string): Promise<string> {
    const { blobs, clock, events, makeId, store, thumbnails } = this.parts;
    const row = await this.row(id);
    if (row === undefined) throw new ProblemError("not-found", "There is no such upload");
    if (row.asset_id !== null) return row.asset_id;
    const path = this.path(id);
    await using examined = await examineFile(this.parts, path, row.content_type ?? undefined, row.team_id).catch(async (error: unknown) => {
      // A service that stops has not judged the file: it is finished after the next start.
      if (error instanceof ProblemError && error.kind === "bad-file") await this.#refuse(id, error);
      throw error;
    });
    const hash = this.takeHash(id, (await stat(path)).size);
    const known = hash === null ? undefined : { sha256: hash.digest("hex"), sizeBytes: (await stat(path)).size };
    await using received = await blobs.adopt(path, known);
    const asset = await store.write(async (db) => {
      const made = await insertAsset({ blobs, clock, events, makeId }, db, { teamId: row.team_id, name: row.name }, received, examined);
      await db.updateTable("uploads").set({ asset_id: made.id, size_bytes: received.sizeBytes }).where("id", "=", id).execute();
      return made;
    });
    // Its second name stays with the blobs.
    await rm(path, { force: true });
    thumbnails.wake();
    return asset.id;
  }

  async #refuse(id: string, { kind, message }: ProblemError): Promise<void> {
    const error = JSON.stringify({ code: kind, detail: message });
    await this.parts.store.db.updateTable("uploads").set({ error }).where("id", "=", id).execute();
    await rm(this.path(id), { force: true });
  }

  /** Sorts out what an earlier process left: files nobody knows, and whole files that became nothing yet. */
  async #resume(signal: AbortSignal): Promise<void> {
    for (const id of await readdir(this.folder)) {
      signal.throwIfAborted();
      const row = await this.row(id);
      if (row === undefined || row.asset_id !== null || row.error !== null) await rm(join(this.folder, id), { force: true });
      else if ((await this.offsetOf(row)) === row.size_bytes) await this.#finishLate(id);
    }
  }

  async #finishLate(id: string): Promise<void> {
    try {
      await this.finish(id);
    } catch (error) {
      // A refused file is told by its upload; anything else is tried again at the next start.
      if (!(error instanceof ProblemError)) this.parts.log.error({ err: error, upload_id: id }, "an upload could not be finished");
    }
  }
}
