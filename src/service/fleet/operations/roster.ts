// The operation that reads the roster: all screens of a team in short rows.
import { RosterPage, RosterQuery } from "../../../protocol/operator/roster.ts";
import { rosterRows, selectRoster, type RosterColumns, type RosterDependencies } from "../roster/rows.ts";
import { pageOf } from "../../http/paging.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { countPlayers } from "../store.ts";

const operation = operationsWith<RosterDependencies>();

export const rosterOperations: readonly Operation<RosterDependencies>[] = [
  operation({
    name: "listRoster",
    tag: "players",
    method: "GET",
    path: "/players/roster",
    summary: "List all screens with their state in words",
    description:
      "Short rows for lists and pickers: up to 1,000 in a page, newest first. Events say when a row changes; read the changed rows with `ids`. `state` follows the events: a connection that returns within two minutes was never interrupted.",
    agent:
      "Use it for an overview of many screens: which play, which are off on purpose, and what each one shows. For only those with trouble use list_troubled_players.",
    caller: "operator",
    scope: "players:read",
    query: RosterQuery,
    status: 200,
    output: RosterPage,
    errors: ["invalid"],
    async run(dependencies, { teamId }, { query }) {
      const { db } = dependencies.store;
      const { data, next_cursor } = await pageOf(selectRoster(db, teamId, query.ids), query, (row: RosterColumns) => row);
      return { data: await rosterRows(dependencies, teamId, data), next_cursor, total: await countPlayers(db, teamId) };
    },
  }),
];
