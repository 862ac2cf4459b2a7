// Operations for commands to players.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { id } from "../../../protocol/common.ts";
import { CommandRequest } from "../../../protocol/device/command-request.ts";
import { Command, CommandsQuery, TeamCommandsQuery } from "../../../protocol/device/commands.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { cancelCommand } from "../commands/cancel.ts";
import { showCommand } from "../commands/status.ts";
import { unsupportedReason } from "../commands/support.ts";
import type { Commands } from "../commands/commands.ts";
import { findPlayer } from "../players/resource.ts";
import type { Presence } from "../presence/presence.ts";
import type { EventJournal } from "../../events/event-journal.ts";
import { pageOf } from "../../http/paging.ts";
import { found, invalidField } from "../../http/problem.ts";
import { storeOverride } from "../../schedule/overrides.ts";
import type { Db, Store } from "../../store/store.ts";
import type { CommandRow } from "../../store/tables/fleet.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { selectTeamRows, whereEqual } from "../../store/tables/team-rows.ts";
import { findCommand, selectCommands } from "../store.ts";

interface CommandDependencies {
  clock: Clock;
  commands: Commands;
  events: EventJournal;
  log: Log;
  presence: Presence;
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
      "An action on the player, a change of its program for a while, or new values of the variables in conditions of schedules and items, by `type`. A command runs at most once. If it does not start within `ttl_s` seconds, it never runs. A type that the player has reported not to support is rejected; `capabilities` in `GET /players/{id}` lists what it supports.",
    agent:
      "First look at `capabilities.commands` in get_player: the types that this player supports; `capabilities.unavailable` says what it lacks for others. Use it for actions: a screenshot, reload when a page is stuck, restart when reload did not help, `override.set` for something urgent and short. Do not use it to change content: change the layout, playlist or schedule instead. Then call get_command until the command has ended.",
    caller: "operator",
    scope: "commands:write",
    params: ofPlayer,
    body: CommandRequest,
    example: { type: "screenshot", args: { format: "jpeg", max_width: 1280 } },
    status: 202,
    output: Command,
    errors: ["not-found", "invalid"],
    async run({ commands, log, presence }, { teamId }, { params, body }, unitOfWork) {
      const queued = await unitOfWork.write(async (db) => {
        const player = found(await findPlayer(db, teamId, params.id), "screen");
        const unsupported = unsupportedReason(presence, player.id, body.type);
        if (unsupported !== null) throw invalidField("/type", unsupported);
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
      found(await findPlayer(db, teamId, params.id), "screen");
      await commands.expire();
      const { status, type } = query;
      return pageOf(whereEqual(selectCommands(db, params.id), { status, type }), query, showCommand);
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
      const { player_id, batch_id, status, type } = query;
      return pageOf(selectTeamRows(store.db, "commands", teamId, { player_id, batch_id, status, type }), query, showCommand);
    },
  }),
  operation({
    name: "getCommand",
    tag: "commands",
    method: "GET",
    path: "/players/{id}/commands/{command_id}",
    summary: "Read the status of a command",
    description:
      "`status` goes from queued to one of succeeded, failed, rejected, expired and cancelled; `history` has each with its time and reason.",
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
      return showCommand(await find(store.db, teamId, params));
    },
  }),
  operation({
    name: "cancelCommand",
    tag: "commands",
    method: "POST",
    path: "/players/{id}/commands/{command_id}/cancel",
    summary: "Cancel a command",
    description:
      "A command that was not sent to the player is cancelled at once. For another one that has not ended, the player is asked: it does not begin the command, or aborts it, and reports `cancelled`; if the command ends first, its own result stands. A command of type `cancel` shows the player's answer.",
    agent: "The status in the response may not have changed yet: call get_command until it is final.",
    caller: "operator",
    scope: "commands:write",
    params: oneCommand,
    status: 202,
    output: Command,
    errors: ["not-found", "wrong-status"],
    run: (dependencies, { teamId }, { params }, unitOfWork) =>
      unitOfWork.write(
        async (db) => {
          const player = found(await findPlayer(db, teamId, params.id), "screen");
          return cancelCommand(dependencies, db, player, await find(db, teamId, params));
        },
        async (_db, row) => showCommand(row),
      ),
  }),
];

async function find(db: Db, teamId: string, params: z.infer<typeof oneCommand>): Promise<CommandRow> {
  const row = await findCommand(db, params.id, params.command_id);
  return found(row?.team_id === teamId ? row : undefined, "command");
}
