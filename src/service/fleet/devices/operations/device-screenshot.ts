// Receives a screenshot from a player. It is stored only if it is complete and a valid image.
import { z } from "zod";
import type { Clock } from "../../../../base/clock.ts";
import { id } from "../../../../protocol/common.ts";
import type { BlobSweeper } from "../../../content/blob-sweeper.ts";
import type { BlobStore } from "../../../content/blobs/blob-store.ts";
import type { EventJournal } from "../../../events/event-journal.ts";
import { ProblemError } from "../../../http/problem.ts";
import type { MediaProcessPool } from "../../../media/process-pool.ts";
import type { Store } from "../../../store/store.ts";
import type { ScreenshotRow } from "../../../store/tables/fleet.ts";
import { NoContent, operationsWith } from "../../../operations/operation.ts";
import { isStored, readUploadHeaders, uploadErrors, uploadHeaders } from "./device-upload.ts";
import { showScreenshot } from "../../operations/screenshots.ts";
import { insertTeamRow } from "../../../store/tables/team-rows.ts";
import { deleteOldUploads, findUpload } from "../../store.ts";

export interface DeviceScreenshotDependencies {
  blobs: BlobStore;
  clock: Clock;
  events: EventJournal;
  media: MediaProcessPool;
  store: Store;
  sweeper: BlobSweeper;
}

const maxBytes = 8 * 1_024 * 1_024;
/** Pictures that the player takes by itself must not push out those that somebody asked for. */
const maxKept = { command: 200, interval: 100 };
const pictureTypes = ["image/jpeg", "image/png", "image/webp"];

const operation = operationsWith<DeviceScreenshotDependencies>();

/** `PUT /device/screenshots/{id}`. The device chooses the id, so that a retry is the same upload. */
export const deviceScreenshot = operation({
  name: "uploadScreenshot",
  tag: "device",
  method: "PUT",
  path: "/device/screenshots/{id}",
  summary: "Upload a screenshot",
  description: "The raw JPEG, PNG or WebP, at most 8 MiB. Uploading the same image with the same id again changes nothing.",
  caller: "device",
  params: z.strictObject({ id: id("shot") }),
  bytes: () => maxBytes,
  status: 204,
  output: NoContent,
  errors: uploadErrors,
  headers: uploadHeaders("The time of the screenshot", "The command that requested it. Without it: the player took it by itself"),
  async run(dependencies, context, { params, bytes }) {
    const { player, header } = context;
    const request = await readUploadHeaders(dependencies.store.db, context, bytes.sha256);
    // Screenshots have a queue of their own, so that uploads of the team do not delay them.
    const media = await dependencies.media.examine(bytes.path, header("content-type"), `${player.team_id} devices`);
    if (!pictureTypes.includes(media.mimeType))
      throw new ProblemError("bad-file", `A screenshot is JPEG, PNG or WebP, not ${media.mimeType}`);
    const row: ScreenshotRow = {
      id: params.id,
      team_id: player.team_id,
      player_id: player.id,
      command_id: request.commandId,
      mime_type: media.mimeType,
      size_bytes: bytes.sizeBytes,
      sha256: bytes.sha256,
      width: media.width ?? 0,
      height: media.height ?? 0,
      captured_at: request.capturedAt,
      created_at: Math.trunc(dependencies.clock.now()),
    };
    await dependencies.blobs.prepare(bytes);
    await dependencies.store.write(async (db) => {
      const known = await findUpload(db, "screenshots", row.id);
      if (isStored(known, row, "image")) return;
      await dependencies.blobs.keep(db, bytes);
      await insertTeamRow(db, "screenshots", row);
      const source = row.command_id === null ? "interval" : "command";
      dependencies.sweeper.mark(await deleteOldUploads(db, "screenshots", row.player_id, maxKept[source], source));
      const scope = { teamId: row.team_id, players: [row.player_id] };
      await dependencies.events.append(db, [{ ...scope, type: "screenshot.ready", data: { ...showScreenshot(row) } }]);
    });
  },
});
