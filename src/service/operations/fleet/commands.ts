// Commands to a player, and the pictures that come of them.
import type { SelectQueryBuilder } from "kysely";
import { z } from "zod";
import {
  Command,
  CommandRequest,
  CommandsQuery,
  BulkCommandResult,
  BulkCommandRequest,
  Screenshot,
  TeamCommandsQuery,
} from "../../../protocol/device/commands.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { id } from "../../../protocol/common.ts";
import { showCommand } from "../../fleet/command-status.ts";
import { pageOf } from "../../http/paging.ts";
import type { CommandRow, PlayerRow, ScreenshotRow, Tables } from "../../store/tables.ts";
import { playersOfTarget, targetWarnings } from "../../fleet/targets.ts";
import { storeOverride } from "../../schedule/overrides.ts";
import { change, FileResponse, found, operation, type Operation, type OperatorContext } from "../operation.ts";
import { select } from "./players.ts";

const ofPlayer = z.strictObject({ id: id("plr") });
const oneCommand = z.strictObject({ id: id("plr"), command_id: id("cmd") });
const oneShot = z.strictObject({ id: id("shot") });

export const commandOperations: readonly Operation[] = [
  operation({
    name: "sendCommand",
    tag: "commands",
    method: "POST",
    path: "/players/{id}/commands",
    summary: "Send a command to a player",
    description:
      "`screenshot`, `identify`, `reload`, `restart`; or what changes the program for a while: `override.set`, `override.clear`, `skip`, `pause`, `resume`, and `variables.set`, `variables.clear` for what conditions of schedules ask for. It runs at most once; not begun within `ttl_s` seconds (600 if not given) it never runs.",
    agent:
      "Use it for acts: a screenshot to see, reload when a page is stuck, restart when reload did not help, `override.set` for something urgent and short. Not to change content: that is a layout's, playlist's or schedule's. Then ask get_command until it has ended.",
    caller: "operator",
    scope: "commands:write",
    params: ofPlayer,
    body: CommandRequest,
    example: { type: "screenshot", args: { format: "jpeg", max_width: 1280 } },
    status: 202,
    output: Command,
    errors: ["not-found", "invalid"],
    async run(context, { params, body }) {
      const { parts, teamId } = context;
      const queued = await change(context, async (db) => {
        const player = found(await select(db, teamId, params.id), "player");
        const { row, entry } = await parts.commands.queue(db, player, body);
        const affected = (await storeOverride(db, player, row.id, body, row.created_at)) ? [player] : [];
        return { result: showCommand(row), affected, entries: [entry] };
      });
      parts.log.info({ player_id: queued.player_id, command_id: queued.id, type: queued.type }, "command queued");
      return queued;
    },
  }),
  operation({
    name: "listCommands",
    tag: "commands",
    method: "GET",
    path: "/players/{id}/commands",
    summary: "List a player's commands",
    description: "Newest first. Kept for 90 days after their end.",
    caller: "operator",
    scope: "commands:read",
    params: ofPlayer,
    query: CommandsQuery,
    status: 200,
    output: page(Command),
    errors: ["not-found", "invalid"],
    async run({ parts, teamId }, { params, query }) {
      const { db } = parts.store;
      found(await select(db, teamId, params.id), "player");
      await parts.commands.expire();
      const rows = db.selectFrom("commands").selectAll().where("player_id", "=", params.id);
      return pageOf(filtered(rows, query), query, showCommand);
    },
  }),
  operation({
    name: "sendCommands",
    tag: "commands",
    method: "POST",
    path: "/commands",
    summary: "Send a command to many players",
    description: "To all players with a tag, or to those named; at most 10,000. Either all get it or none.",
    agent:
      "Use it when each player of a tag is to do the same. Call it with dry_run first; restarting many screens at once leaves them dark together.",
    caller: "operator",
    scope: "commands:write",
    body: BulkCommandRequest,
    example: { target: { tag: "lobby" }, type: "reload", args: {}, ttl_s: 600 },
    status: 202,
    output: BulkCommandResult,
    errors: ["invalid"],
    async run(context, { body }) {
      const { parts, teamId } = context;
      const { target, ...request } = body;
      const queued = await change(context, async (db) => {
        const players = await playersOfTarget(db, teamId, target);
        const { rows, entries } = await parts.commands.queueAll(db, players, request);
        const affected: PlayerRow[] = [];
        for (const [place, player] of players.entries()) {
          const { id: commandId, created_at } = rows[place]!;
          if (await storeOverride(db, player, commandId, request, created_at)) affected.push(player);
        }
        const expiresAt = rows[0]?.expires_at ?? (Math.ceil(parts.clock.now() / 1_000) + request.ttl_s) * 1_000;
        const commands = rows.map((row) => ({ id: row.id, player_id: row.player_id }));
        const warnings = await targetWarnings(db, teamId, target, players);
        const result = { count: rows.length, type: request.type, expires_at: new Date(expiresAt).toISOString(), commands, warnings };
        return { result, affected, entries };
      });
      parts.log.info({ type: queued.type, count: queued.count }, "commands queued");
      return queued;
    },
  }),
  operation({
    name: "listTeamCommands",
    tag: "commands",
    method: "GET",
    path: "/commands",
    summary: "List the commands of all players",
    description: "Newest first, by filters. Kept for 90 days after their end.",
    caller: "operator",
    scope: "commands:read",
    query: TeamCommandsQuery,
    status: 200,
    output: page(Command),
    errors: ["invalid"],
    async run({ parts, teamId }, { query }) {
      await parts.commands.expire();
      const rows = parts.store.db.selectFrom("commands").selectAll().where("team_id", "=", teamId);
      const ofOne = query.player_id === undefined ? rows : rows.where("player_id", "=", query.player_id);
      return pageOf(filtered(ofOne, query), query, showCommand);
    },
  }),
  operation({
    name: "getCommand",
    tag: "commands",
    method: "GET",
    path: "/players/{id}/commands/{command_id}",
    summary: "Read how a command fares",
    description: "`status` moves from queued to one of succeeded, failed, rejected, expired and cancelled.",
    agent:
      "Use it after send_command, every second or two, until the status is a final one. Expired: the player was away for all of `ttl_s`.",
    caller: "operator",
    scope: "commands:read",
    params: oneCommand,
    status: 200,
    output: Command,
    errors: ["not-found"],
    async run({ parts, teamId }, { params }) {
      await parts.commands.expire();
      const row = await parts.store.db
        .selectFrom("commands")
        .selectAll()
        .where("team_id", "=", teamId)
        .where("player_id", "=", params.id)
        .where("id", "=", params.command_id)
        .executeTakeFirst();
      return showCommand(found(row, "command"));
    },
  }),
];

export const screenshotOperations: readonly Operation[] = [
  operation({
    name: "listScreenshots",
    tag: "screenshots",
    method: "GET",
    path: "/players/{id}/screenshots",
    summary: "List a player's screenshots",
    description: "Newest first. The newest 200 of each player are kept, for 90 days at most.",
    agent: "Use it to find earlier pictures. Not to see the screen now: send_command `screenshot` first.",
    caller: "operator",
    scope: "screenshots:read",
    params: ofPlayer,
    query: PageQuery,
    status: 200,
    output: page(Screenshot),
    errors: ["not-found", "invalid"],
    async run({ parts, teamId }, { params, query }) {
      const { db } = parts.store;
      found(await select(db, teamId, params.id), "player");
      const rows = db.selectFrom("screenshots").selectAll().where("player_id", "=", params.id);
      return pageOf(rows, query, showScreenshot);
    },
  }),
  operation({
    name: "getScreenshot",
    tag: "screenshots",
    method: "GET",
    path: "/screenshots/{id}",
    summary: "Read about a screenshot",
    description: "The picture is at `image_url`.",
    caller: "operator",
    scope: "screenshots:read",
    params: oneShot,
    status: 200,
    output: Screenshot,
    errors: ["not-found"],
    version: (shot) => shot,
    run: async (context, input) => showScreenshot(await find(context, input.params)),
  }),
  operation({
    name: "getScreenshotImage",
    tag: "screenshots",
    method: "GET",
    path: "/screenshots/{id}/image",
    summary: "Download a screenshot",
    description: "The picture as the player took it.",
    agent: "Use it to look at a picture yourself; a picture outweighs every status.",
    caller: "operator",
    scope: "screenshots:read",
    params: oneShot,
    status: 200,
    output: z.undefined(),
    file: ["image/jpeg", "image/png", "image/webp"],
    errors: ["not-found", "range-not-satisfiable"],
    headers: { Range: "One range of bytes", "If-None-Match": "Answers 304 to the ETag of the bytes" },
    run: async (context, input) => new FileResponse(await find(context, input.params)),
  }),
  operation({
    name: "deleteScreenshot",
    tag: "screenshots",
    method: "DELETE",
    path: "/screenshots/{id}",
    summary: "Delete a screenshot",
    description: "The picture is gone for good.",
    caller: "operator",
    scope: "screenshots:write",
    params: oneShot,
    status: 204,
    output: z.undefined(),
    errors: ["not-found"],
    async run(context, { params }) {
      const { parts } = context;
      await change(context, async (db) => {
        const { id: shotId, sha256 } = await find(context, params, db);
        await db.deleteFrom("screenshots").where("id", "=", shotId).execute();
        parts.sweeper.mark([{ sha256 }]);
        return { result: undefined };
      });
    },
  }),
];

type CommandRows = SelectQueryBuilder<Tables, "commands", CommandRow>;

function filtered(rows: CommandRows, { status, type }: z.infer<typeof CommandsQuery>): CommandRows {
  const ofStatus = status === undefined ? rows : rows.where("status", "=", status);
  return type === undefined ? ofStatus : ofStatus.where("type", "=", type);
}

async function find({ parts, teamId }: OperatorContext, { id: shotId }: { id: string }, db = parts.store.db): Promise<ScreenshotRow> {
  const row = await db.selectFrom("screenshots").selectAll().where("team_id", "=", teamId).where("id", "=", shotId).executeTakeFirst();
  // Those of a player in the bin are there with it.
  if (row !== undefined) found(await select(db, teamId, row.player_id), "screenshot");
  return found(row, "screenshot");
}

/** The screenshot as REST shows it. */
export function showScreenshot(row: ScreenshotRow): Screenshot {
  return {
    id: row.id,
    player_id: row.player_id,
    command_id: row.command_id,
    mime_type: row.mime_type,
    size_bytes: row.size_bytes,
    width: row.width,
    height: row.height,
    captured_at: new Date(row.captured_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    image_url: `/api/v1/screenshots/${row.id}/image`,
  };
}
