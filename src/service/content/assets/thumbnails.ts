// Makes the thumbnails of assets in the background.
import type { Clock } from "../../../base/clock.ts";
import { isOutlived, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { extractFrame } from "../../media/formats/video-frame.ts";
import type { EventJournal } from "../../events/event-journal.ts";
import type { MediaProcessPool } from "../../media/process-pool.ts";
import type { Db, Store } from "../../store/store.ts";
import type { AssetRow } from "../../store/tables/content.ts";
import { assetEvent } from "./creation.ts";
import { isStored, type StoredAssetRow } from "./rows.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import { untilStored } from "../../nodes/wait-out.ts";
import { BackgroundQueue } from "./background-queue.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import { whileUnavailable } from "../blobs/unavailable.ts";

/** The media type of every thumbnail. */
export const thumbnailType = "image/webp";

const lookAgainMs = 2_000;
const maxAtOnce = 2;
const maxTries = 2;

interface ThumbnailDependencies {
  nodes: Nodes;
  blobs: BlobStore;
  events: EventJournal;
  media: MediaProcessPool;
  store: Store;
  clock: Clock;
  log: Log;
}

export class Thumbnails {
  readonly #dependencies: ThumbnailDependencies;
  readonly #queue: BackgroundQueue<StoredAssetRow>;

  constructor(dependencies: ThumbnailDependencies) {
    this.#dependencies = dependencies;
    this.#queue = new BackgroundQueue(dependencies.clock, {
      maxAtOnce,
      ...(dependencies.nodes.isShared && { lookAgainMs }),
      findNext: (running) => this.#findNext(running),
      process: (row, signal) => this.#process(row, signal),
    });
  }

  /** Looks for assets without a thumbnail. */
  wake(): void {
    this.#queue.wake();
  }

  /** Makes thumbnails until `signal` aborts. The next start repeats the interrupted ones. */
  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal);
  }

  /** The oldest pending asset. Teams without a running thumbnail come first, so that no team's files delay the others'. */
  async #findNext(running: readonly StoredAssetRow[]): Promise<StoredAssetRow | undefined> {
    const ids = running.map(({ id }) => id);
    const teams = running.map(({ team_id }) => team_id);
    const rows = this.#dependencies.store.db
      .selectFrom("assets")
      .selectAll()
      .where("status", "=", "processing")
      .where("sha256", "is not", null);
    const pending = (ids.length === 0 ? rows : rows.where("id", "not in", ids)).orderBy("created_at").limit(1);
    const ofOtherTeams = teams.length === 0 ? pending : pending.where("team_id", "not in", teams);
    const row = (await ofOtherTeams.executeTakeFirst()) ?? (await pending.executeTakeFirst());
    return row !== undefined && isStored(row) ? row : undefined;
  }

  /** Makes one thumbnail. An asset whose thumbnail fails is ready without one. */
  async #process(row: StoredAssetRow, signal: AbortSignal): Promise<void> {
    if (row.thumbnail_tries >= maxTries) return this.#finish(row, null, signal);
    const picture = await this.#try(row, signal).catch((error: unknown) => {
      // An error of the database says nothing about the file: the asset stays pending.
      if (isOutlived(error)) throw error;
      if (!signal.aborted) this.#dependencies.log.warn({ asset_id: row.id, name: row.name, reason: reasonOf(error) }, "thumbnail failed");
      return null;
    });
    // The picture is kept until it is stored: making it again would count as another try.
    if (!signal.aborted) await untilStored(this.#dependencies, signal, () => this.#finish(row, picture, signal));
  }

  async #try(row: StoredAssetRow, signal: AbortSignal): Promise<Buffer | null> {
    const { blobs, store } = this.#dependencies;
    const blob = { sha256: row.sha256, sizeBytes: row.size_bytes };
    // An outage is not a try: it says nothing about the file.
    await using file = await whileUnavailable(this.#dependencies, signal, () => blobs.localFile(blob));
    // Count the try first: a file that crashes the service must not crash it at every start.
    await store.db
      .updateTable("assets")
      .set({ thumbnail_tries: row.thumbnail_tries + 1 })
      .where("id", "=", row.id)
      .execute();
    return this.#draw(row, file.path, signal);
  }

  /** Marks the asset ready, with the thumbnail or without one, and tells subscribers. */
  async #finish(row: StoredAssetRow, picture: Buffer | null, signal: AbortSignal): Promise<void> {
    const { blobs, store } = this.#dependencies;
    if (picture === null) return store.write((db) => this.#markReady(db, row.id, {}));
    await using received = await blobs.receive(streamOf(picture), picture.length);
    await whileUnavailable(this.#dependencies, signal, () => blobs.prepare(received));
    await store.write(async (db) => {
      await blobs.keep(db, received);
      await this.#markReady(db, row.id, { thumbnail_sha256: received.sha256, thumbnail_bytes: received.sizeBytes });
    });
  }

  async #markReady(db: Db, id: string, thumbnail: Partial<AssetRow>): Promise<void> {
    // Its name or its place, in the bin or not, may have changed since the work began; it may be gone for good.
    const row = await db
      .updateTable("assets")
      .set({ status: "ready", ...thumbnail })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) await this.#dependencies.events.append(db, [assetEvent("asset.updated", row)]);
  }

  /** The thumbnail; null for a video on a machine without ffmpeg. */
  async #draw(row: StoredAssetRow, path: string, signal: AbortSignal): Promise<Buffer | null> {
    const source = row.kind === "video" ? await extractFrame(path, row, signal) : path;
    return source === null ? null : this.#dependencies.media.makeThumbnail(source, row.team_id);
  }
}

async function* streamOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
