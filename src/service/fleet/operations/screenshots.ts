// Operations for the screenshots of players.
import { z } from "zod";
import { iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { Screenshot } from "../../../protocol/device/commands.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import type { BlobSweeper } from "../../content/blob-sweeper.ts";
import { findPlayer } from "../players/resource.ts";
import { pageOf } from "../../http/paging.ts";
import { found } from "../../http/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ScreenshotRow } from "../../store/tables/fleet.ts";
import { deleteTeamRow, findTeamRow } from "../../store/tables/team-rows.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { FileResponse } from "../../operations/responses.ts";
import { selectScreenshots } from "../store.ts";

interface ScreenshotDependencies {
  store: Store;
  sweeper: BlobSweeper;
}

const ScreenshotsQuery = PageQuery.extend({
  source: z
    .enum(["command", "interval"])
    .optional()
    .describe("Only those that a command asked for, or those that the player took by itself. Default: both"),
});
const ofPlayer = z.strictObject({ id: id("plr") });
const oneScreenshot = z.strictObject({ id: id("shot") });

const operation = operationsWith<ScreenshotDependencies>();

export const screenshotOperations: readonly Operation<ScreenshotDependencies>[] = [
  operation({
    name: "listScreenshots",
    tag: "screenshots",
    method: "GET",
    path: "/players/{id}/screenshots",
    summary: "List a player's screenshots",
    description:
      "Newest first. Of each player the newest 200 that a command asked for are kept, for 90 days at most, and the newest 100 that it took by itself (`command_id` is null), for 7 days at most.",
    agent: "Use it to find earlier screenshots. To see the screen as it is now, call send_command `screenshot` first.",
    caller: "operator",
    scope: "screenshots:read",
    params: ofPlayer,
    query: ScreenshotsQuery,
    status: 200,
    output: page(Screenshot),
    hasLinks: true,
    errors: ["not-found", "invalid"],
    async run({ store }, { teamId }, { params, query: { source, ...query } }) {
      const { db } = store;
      found(await findPlayer(db, teamId, params.id), "screen");
      return pageOf(selectScreenshots(db, params.id, source), query, showScreenshot);
    },
  }),
  operation({
    name: "getScreenshot",
    tag: "screenshots",
    method: "GET",
    path: "/screenshots/{id}",
    summary: "Read the details of a screenshot",
    description: "The image is at `image_url`.",
    caller: "operator",
    scope: "screenshots:read",
    params: oneScreenshot,
    status: 200,
    output: Screenshot,
    hasLinks: true,
    errors: ["not-found"],
    version: (screenshot) => screenshot,
    run: async (dependencies, context, input) => showScreenshot(await find(dependencies, context, input.params)),
  }),
  operation({
    name: "getScreenshotImage",
    tag: "screenshots",
    method: "GET",
    path: "/screenshots/{id}/image",
    summary: "Download a screenshot",
    description: "The image as the player took it.",
    agent: "Use it to look at a screenshot yourself; trust it more than any status.",
    caller: "operator",
    scope: "screenshots:read",
    params: oneScreenshot,
    status: 200,
    output: z.undefined(),
    file: ["image/jpeg", "image/png", "image/webp"],
    errors: ["not-found", "range-not-satisfiable"],
    headers: { Range: "One range of bytes", "If-None-Match": "The response is 304 if this is the ETag of the bytes" },
    run: async (dependencies, context, input) => new FileResponse(await find(dependencies, context, input.params)),
  }),
  operation({
    name: "deleteScreenshot",
    tag: "screenshots",
    method: "DELETE",
    path: "/screenshots/{id}",
    summary: "Delete a screenshot",
    description: "Deletes the image for good.",
    caller: "operator",
    scope: "screenshots:write",
    params: oneScreenshot,
    status: 204,
    output: z.undefined(),
    errors: ["not-found"],
    async run(dependencies, context, { params }, unitOfWork) {
      await unitOfWork.write(async (db) => {
        const { id: screenshotId, sha256 } = await find(dependencies, context, params, db);
        await deleteTeamRow(db, "screenshots", screenshotId);
        dependencies.sweeper.mark([{ sha256 }]);
        return { result: undefined };
      });
    },
  }),
];

async function find(
  { store }: ScreenshotDependencies,
  { teamId }: OperatorContext,
  { id: screenshotId }: { id: string },
  db = store.db,
): Promise<ScreenshotRow> {
  const row = found(await findTeamRow(db, "screenshots", teamId, screenshotId), "screenshot");
  // The screenshots of a player in the bin are not found either.
  found(await findPlayer(db, teamId, row.player_id), "screenshot");
  return row;
}

/** The screenshot in its API form. */
export function showScreenshot(row: ScreenshotRow): Screenshot {
  return {
    id: row.id,
    player_id: row.player_id,
    command_id: row.command_id,
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    width: row.width,
    height: row.height,
    captured_at: iso(row.captured_at),
    created_at: iso(row.created_at),
    image_url: `/api/v1/screenshots/${row.id}/image`,
  };
}
