// Operations for commands to players.
import type { SelectQueryBuilder } from "kysely";
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { id } from "../../../protocol/common.ts";
import { CommandRequest } from "../../../protocol/device/command-request.ts";
import { BulkCommandRequest, BulkCommandResult, Command, CommandsQuery, TeamCommandsQuery } from "../../../protocol/device/commands.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { showCommand } from "../../fleet/command-status.ts";
import type { Commands } from "../../fleet/commands.ts";
import { findPlayer } from "../../fleet/player-resource.ts";
import { playersOfTarget, targetWarnings } from "../../fleet/targets.ts";
import { pageOf } from "../../http/paging.ts";
import { found } from "../../http/problem.ts";
import { storeOverride } from "../../schedule/overrides.ts";
import type { Store } from "../../store/store.ts";
import type { CommandRow, PlayerRow, Tables } from "../../store/tables.ts";
import { operationsWith, type Operation } from "../operation.ts";

interface CommandDependencies {
  clock: Clock;
  commands: Commands;
  log: Log;
  store: Store;
}

const ofPlayer = z.strictObject({ id: id("plr") });
const oneCommand = z.strictObject({ id: id("plr"), command_id: id("cmd") });

const operation = operationsWith<CommandDependencies>();

export const commandOperations: readonly Operation<CommandDependencies>[] = [
  operation({
    name: "sendCommand",
    tag: "commands",
    method: "POST",
    path: "/players/{id}/commands",
    summary: "Send a command to a player",
    description:
      "An action on the player, a change of its program for a while, or new values of the variables in schedule conditions, by `type`. A command runs at most once. If it does not start within `ttl_s` seconds, it never runs.",
    agent:
      "Use it for actions: a screenshot, reload when a page is stuck, restart when reload did not help, `override.set` for something urgent and short. Do not use it to change content: change the layout, playlist or schedule instead. Then call get_command until the command has ended.",
    caller: "operator",
    scope: "commands:write",
    params: ofPlayer,
    body: CommandRequest,
    example: { type: "screenshot", args: { format: "jpeg", max_width: 1280 } },
    status: 202,
    output: Command,
    errors: ["not-found", "invalid"],
    async run({ commands, log }, { teamId }, { params, body }, unitOfWork) {
      const queued = await unitOfWork.write(async (db) => {
        const player = found(await findPlayer(db, teamId, params.id), "player");
        const { row, entry } = await commands.queue(db, player, body);
        const affected = (await storeOverride(db, player, row.id, body, row.created_at)) ? [player] : [];
        return { result: showCommand(row), affected, entries: [entry] };
      });
      log.info({ player_id: queued.player_id, command_id: queued.id, type: queued.type }, "command queued");
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
    async run({ commands, store }, { teamId }, { params, query }) {
      const { db } = store;
      found(await findPlayer(db, teamId, params.id), "player");
      await commands.expire();
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
    description: "Sends it to all players with a tag, or to the listed players; at most 10,000. Either all players get it or none.",
    agent:
      "Use it when all players with a tag should do the same. Call it with dry_run first; restarting many screens at once turns them all dark.",
    caller: "operator",
    scope: "commands:write",
    body: BulkCommandRequest,
    example: { target: { tag: "lobby" }, type: "reload", args: {}, ttl_s: 600 },
    status: 202,
    output: BulkCommandResult,
    errors: ["invalid"],
    async run({ clock, commands, log }, { teamId }, { body }, unitOfWork) {
      const { target, ...request } = body;
      const queued = await unitOfWork.write(async (db) => {
        const players = await playersOfTarget(db, teamId, target);
        const { rows, entries } = await commands.queueAll(db, players, request);
        const affected: PlayerRow[] = [];
        for (const [place, player] of players.entries()) {
          const { id: commandId, created_at } = rows[place]!;
          if (await storeOverride(db, player, commandId, request, created_at)) affected.push(player);
        }
        const expiresAt = rows[0]?.expires_at ?? (Math.ceil(clock.now() / 1_000) + request.ttl_s) * 1_000;
        const listed = rows.map((row) => ({ id: row.id, player_id: row.player_id }));
        const warnings = await targetWarnings(db, teamId, target, players);
        const result = {
          count: rows.length,
          type: request.type,
          expires_at: new Date(expiresAt).toISOString(),
          commands: listed,
          warnings,
        };
        return { result, affected, entries };
      });
      log.info({ type: queued.type, count: queued.count }, "commands queued");
      return queued;
    },
  }),
  operation({
    name: "listTeamCommands",
    tag: "commands",
    method: "GET",
    path: "/commands",
    summary: "List the commands of all players",
    description: "Newest first. Kept for 90 days after their end.",
    caller: "operator",
    scope: "commands:read",
    query: TeamCommandsQuery,
    status: 200,
    output: page(Command),
    errors: ["invalid"],
    async run({ commands, store }, { teamId }, { query }) {
      await commands.expire();
      const rows = store.db.selectFrom("commands").selectAll().where("team_id", "=", teamId);
      const selected = query.player_id === undefined ? rows : rows.where("player_id", "=", query.player_id);
      return pageOf(filtered(selected, query), query, showCommand);
    },
  }),
  operation({
    name: "getCommand",
    tag: "commands",
    method: "GET",
    path: "/players/{id}/commands/{command_id}",
    summary: "Read the status of a command",
    description: "`status` goes from queued to one of succeeded, failed, rejected, expired and cancelled.",
    agent:
      "Call it after send_command, every second or two, until the status is final. Expired means that the player was offline for the whole `ttl_s`.",
    caller: "operator",
    scope: "commands:read",
    params: oneCommand,
    status: 200,
    output: Command,
    errors: ["not-found"],
    async run({ commands, store }, { teamId }, { params }) {
      await commands.expire();
      const row = await store.db
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

type CommandRows = SelectQueryBuilder<Tables, "commands", CommandRow>;

function filtered(rows: CommandRows, { status, type }: z.infer<typeof CommandsQuery>): CommandRows {
  const ofStatus = status === undefined ? rows : rows.where("status", "=", status);
  return type === undefined ? ofStatus : ofStatus.where("type", "=", type);
}
