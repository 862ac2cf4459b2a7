// Examines uploaded files and creates their assets.
import { rm } from "node:fs/promises";
import type { Clock } from "../../../base/clock.ts";
import type { EventType } from "../../../protocol/operator/events.ts";
import { newAssetRow, fileColumns, type ExaminationResult } from "./rows.ts";
import type { BlobStore, ReceivedFile } from "../blobs/blob-store.ts";
import type { EventJournal, NewEvent } from "../../events/event-journal.ts";
import type { MediaProcessPool } from "../../media/process-pool.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import type { AssetRow } from "../../store/tables/content.ts";
import { insertTeamRow } from "../../store/tables/team-rows.ts";

/** The dependencies for examining files. */
export interface ExaminationDependencies {
  blobs: BlobStore;
  media: MediaProcessPool;
}

/** The dependencies for creating assets. */
export interface CreationDependencies {
  blobs: BlobStore;
  clock: Clock;
  events: EventJournal;
  makeId: MakeId;
}

/** The properties of a new asset that do not come from its bytes. */
export interface NewAsset {
  teamId: string;
  name: string;
  tags?: readonly string[];
}

/** An examined file. Disposing it deletes the converted file unless the blob store has kept it. */
export interface ExaminedFile extends ExaminationResult, AsyncDisposable {
  converted: ReceivedFile | null;
}

/**
 * Examines the file at `path`, and converts it if screens cannot show its format.
 * @throws ProblemError 422 for a file that cannot be shown.
 */
export async function examineFile(
  { blobs, media }: ExaminationDependencies,
  path: string,
  claimed: string | undefined,
  teamId: string,
): Promise<ExaminedFile> {
  const to = blobs.incomingPath();
  const discard = () => rm(to, { force: true });
  try {
    const info = await media.examine(path, claimed, teamId, to);
    return { media: info, converted: info.convertedFrom === null ? null : await blobs.receiveFile(to), [Symbol.asyncDispose]: discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Does the slow part of keeping the bytes. Call it before the transaction that keeps them. */
export async function prepareFile(blobs: BlobStore, received: ReceivedFile, examined: ExaminedFile): Promise<void> {
  await blobs.prepare(received);
  if (examined.converted !== null) await blobs.prepare(examined.converted);
}

/** Keeps the bytes of a prepared file, in the transaction that references them. */
export async function keepFile(blobs: BlobStore, db: Db, received: ReceivedFile, examined: ExaminedFile): Promise<void> {
  await blobs.keep(db, received);
  if (examined.converted !== null) await blobs.keep(db, examined.converted);
}

/**
 * Keeps the bytes of a prepared file and inserts the row that references them. Call it inside a transaction; wake the thumbnails
 * after the commit.
 */
export async function insertAsset(
  { blobs, clock, events, makeId }: CreationDependencies,
  db: Db,
  { teamId, name, tags = [] }: NewAsset,
  received: ReceivedFile,
  examined: ExaminedFile,
): Promise<AssetRow> {
  const identity = { id: makeId("ast"), team_id: teamId, name, created_at: Math.trunc(clock.now()) };
  const row: AssetRow = { ...newAssetRow(identity), tags: JSON.stringify(tags), ...fileColumns(received, examined) };
  // Keep the file first: a row must never reference a missing file.
  await keepFile(blobs, db, received, examined);
  await insertTeamRow(db, "assets", row);
  await events.append(db, [assetEvent("asset.created", row)]);
  return row;
}

/** An event about an asset. */
export function assetEvent(type: EventType, { team_id: teamId, id: asset_id, name, kind }: AssetRow): NewEvent {
  return { teamId, type, data: { asset_id, name, kind }, players: [] };
}
