// Turns examined bytes into an asset, in the transaction of whoever brought them.
import { rm } from "node:fs/promises";
import { newAssetRow, fileColumns, type ExaminationResult } from "./asset-rows.ts";
import type { EventType } from "../../protocol/operator/events.ts";
import type { EventJournal, NewEvent } from "../events/event-journal.ts";
import type { Blobs, ReceivedFile } from "./blobs.ts";
import type { Clock } from "../../base/clock.ts";
import type { MediaProcessPool } from "../media/process-pool.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { AssetRow } from "../store/tables.ts";

/** Who and what a new asset is, beside its bytes. */
export interface NewAsset {
  teamId: string;
  name: string;
  tags?: readonly string[];
}

/** An examined file. Disposing drops what it was converted to, unless that has been kept. */
export interface ExaminedFile extends ExaminationResult, AsyncDisposable {
  converted: ReceivedFile | null;
}

/**
 * Examines the file at `path`, and converts it where screens cannot show it as it is.
 * @throws Refusal 422 for a file that cannot be shown.
 */
export async function examineFile(
  { blobs, media }: { blobs: Blobs; media: MediaProcessPool },
  path: string,
  claimed: string | undefined,
  teamId: string,
): Promise<ExaminedFile> {
  const to = blobs.incomingPath();
  const discard = () => rm(to, { force: true });
  try {
    const found = await media.examine(path, claimed, teamId, to);
    return { media: found, converted: found.convertedFrom === null ? null : await blobs.receiveFile(to), [Symbol.asyncDispose]: discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** Keeps the bytes and inserts the row that names them. To be called inside a transaction; wake the thumbnails after it. */
export async function insertAsset(
  { blobs, clock, events, makeId }: { blobs: Blobs; clock: Clock; events: EventJournal; makeId: MakeId },
  db: Db,
  { teamId, name, tags = [] }: NewAsset,
  received: ReceivedFile,
  examined: ExaminedFile,
): Promise<AssetRow> {
  const about = { id: makeId("ast"), team_id: teamId, name, created_at: Math.trunc(clock.now()) };
  const row: AssetRow = { ...newAssetRow(about), tags: JSON.stringify(tags), ...fileColumns(received, examined) };
  // The file first: a row never names bytes that are not there.
  await blobs.keep(received);
  if (examined.converted !== null) await blobs.keep(examined.converted);
  await db.insertInto("assets").values(row).execute();
  await events.append(db, [assetEvent("asset.created", row)]);
  return row;
}

/** What is told of an asset. */
export function assetEvent(type: EventType, { team_id: teamId, id: asset_id, name, kind }: AssetRow): NewEvent {
  return { teamId, type, data: { asset_id, name, kind }, players: [] };
}
