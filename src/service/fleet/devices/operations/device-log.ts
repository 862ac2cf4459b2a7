// Receives a log from a player. It is stored as plain text.
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import type { Clock } from "../../../../base/clock.ts";
import { id } from "../../../../protocol/common.ts";
import type { BlobSweeper } from "../../../content/blob-sweeper.ts";
import type { BlobStore, ReceivedFile } from "../../../content/blobs/blob-store.ts";
import { ProblemError } from "../../../http/problem.ts";
import type { Store } from "../../../store/store.ts";
import type { CollectedLogRow } from "../../../store/tables/fleet.ts";
import { NoContent, operationsWith } from "../../../operations/operation.ts";
import { isStored, readUploadHeaders, uploadErrors, uploadHeaders } from "./device-upload.ts";
import { insertTeamRow } from "../../../store/tables/team-rows.ts";
import { deleteOldUploads, findUpload } from "../../store.ts";

export interface DeviceLogDependencies {
  blobs: BlobStore;
  clock: Clock;
  store: Store;
  sweeper: BlobSweeper;
}

const maxBytes = 4 * 1_024 * 1_024;
const maxTextBytes = 8 * 1_024 * 1_024;
const maxKept = 20;

const operation = operationsWith<DeviceLogDependencies>();

/** `PUT /device/logs/{id}`. The device chooses the id, so that a retry is the same upload. */
export const deviceLog = operation({
  name: "uploadLog",
  tag: "device",
  method: "PUT",
  path: "/device/logs/{id}",
  summary: "Upload a log",
  description:
    "Lines of text, compressed with gzip (`application/gzip`): at most 4 MiB, and 8 MiB of text. Uploading the same log with the same id again changes nothing.",
  caller: "device",
  params: z.strictObject({ id: id("log") }),
  bytes: () => maxBytes,
  status: 204,
  output: NoContent,
  errors: uploadErrors,
  headers: uploadHeaders("The time of the newest line", "The command that requested it"),
  async run(dependencies, context, { params, bytes }) {
    const { player } = context;
    const { capturedAt, commandId } = await readUploadHeaders(dependencies.store.db, context, bytes.sha256);
    await using text = await inflated(dependencies.blobs, bytes.path);
    const row: CollectedLogRow = {
      id: params.id,
      team_id: player.team_id,
      player_id: player.id,
      command_id: commandId,
      size_bytes: text.sizeBytes,
      sha256: text.sha256,
      captured_at: capturedAt,
      created_at: Math.trunc(dependencies.clock.now()),
    };
    await dependencies.blobs.prepare(text);
    await dependencies.store.write(async (db) => {
      const known = await findUpload(db, "collected_logs", row.id);
      if (isStored(known, row, "log")) return;
      await dependencies.blobs.keep(db, text);
      await insertTeamRow(db, "collected_logs", row);
      dependencies.sweeper.mark(await deleteOldUploads(db, "collected_logs", row.player_id, maxKept));
    });
  },
});

/** @throws ProblemError for bytes that are no gzip, and for a text that is too long. */
async function inflated(blobs: BlobStore, path: string): Promise<ReceivedFile> {
  const packed = createReadStream(path);
  const text = packed.pipe(createGunzip());
  packed.on("error", (error) => text.destroy(error));
  try {
    return await blobs.receive(text, maxTextBytes);
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw new ProblemError("bad-file", "The bytes are not complete gzip data", { cause });
  } finally {
    packed.destroy();
    text.destroy();
  }
}
