// The queries for commands that a device has yet to acknowledge.
import type { ExpressionBuilder } from "kysely";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/store.ts";
import type { Tables } from "../../store/tables/tables.ts";
import { openStatuses } from "./status.ts";

// The response to a heartbeat must fit into one message of the socket; a signed command has about 500 bytes.
const maxInResponse = 50;

/** The condition for a command that its device has yet to acknowledge at `now`, epoch ms. */
export function isOpenCommand(command: ExpressionBuilder<Tables, "commands">, now: number) {
  return command.and([
    command("commands.status", "in", openStatuses),
    command("commands.expires_at", ">", now),
    // The device may not have received it: then it must not get it any more.
    command("commands.cancel_requested_at", "is", null),
  ]);
}

/** The oldest of a player's open commands that fit into a response, oldest first. */
export const openCommands = preparedQuery((db: Db, { playerId, now }: { playerId: string; now: number }) =>
  db
    .selectFrom("commands")
    .select(["id", "jws", "status"])
    .where("player_id", "=", playerId)
    .where((command) => isOpenCommand(command, now))
    .orderBy("created_at")
    .orderBy("id")
    .limit(maxInResponse),
);
