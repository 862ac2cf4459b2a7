// Makes small pictures of assets in the background, a few at a time, and goes on after a restart where it was.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { isStored, type StoredAssetRow } from "./asset-rows.ts";
import type { Blobs } from "./blobs.ts";
import { extractFrame } from "../media/formats/video-frame.ts";
import type { MediaProcessPool } from "../media/process-pool.ts";
import type { Store } from "../store/store.ts";

/** The media type of every thumbnail. */
export const thumbnailType = "image/webp";

const atOnce = 2;
const maxTries = 2;

type ThumbnailParts = { blobs: Blobs; media: MediaProcessPool; store: Store; clock: Clock; log: Log };

export class Thumbnails {
  readonly #parts: ThumbnailParts;
  readonly #bell = new Signal();
  readonly #underWay = new Map<string, { teamId: string; done: Promise<void> }>();
  #failed: (() => never) | null = null;

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /** Says that there is something to do. */
  wake(): void {
    this.#bell.notify();
  }

  /** Works until `signal` aborts; what is under way then is begun anew at the next start. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        while (this.#underWay.size < atOnce) {
          const row = await this.#due();
          if (row === undefined) break;
          this.#begin(row, signal);
        }
        await this.#bell.wait(this.#parts.clock, Number.POSITIVE_INFINITY, signal);
        this.#failed?.();
      }
    } finally {
      await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    }
  }

  #begin(row: StoredAssetRow, signal: AbortSignal): void {
    const done = this.#make(row, signal).then(
      () => undefined,
      (error: unknown) => {
        // The database's: the loop ends with it.
        this.#failed = () => {
          throw error;
        };
      },
    );
    const ended = done.finally(() => {
      this.#underWay.delete(row.id);
      this.wake();
    });
    this.#underWay.set(row.id, { teamId: row.team_id, done: ended });
  }

  /** The oldest that is to be done, of a team that has none under way if there is one: no team's files hold up the others'. */
  async #due(): Promise<StoredAssetRow | undefined> {
    const busy = [...this.#underWay.keys()];
    const teams = [...this.#underWay.values()].map(({ teamId }) => teamId);
    const rows = this.#parts.store.db.selectFrom("assets").selectAll().where("status", "=", "processing").where("sha256", "is not", null);
    const due = (busy.length === 0 ? rows : rows.where("id", "not in", busy)).orderBy("created_at").limit(1);
    const ofOthers = teams.length === 0 ? due : due.where("team_id", "not in", teams);
    const row = (await ofOthers.executeTakeFirst()) ?? (await due.executeTakeFirst());
    return row !== undefined && isStored(row) ? row : undefined;
  }

  /** Makes one, or settles that there is none: a file that was taken can be shown without. */
  async #make(row: StoredAssetRow, signal: AbortSignal): Promise<void> {
    const { log, store } = this.#parts;
    if (row.thumbnail_tries >= maxTries) return this.#settle(row, null);
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
    const { blobs, media } = this.#parts;
    const path = blobs.pathOf(row.sha256);
    const source = row.kind === "video" ? await extractFrame(path, row, signal) : path;
    return source === null ? null : media.makeThumbnail(source, row.team_id);
  }
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
