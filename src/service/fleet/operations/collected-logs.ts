// Operations for the logs that the command logs.collect has brought from players.
import { z } from "zod";
import { iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { CollectedLog } from "../../../protocol/device/collected-logs.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { findPlayer } from "../players/resource.ts";
import { pageOf } from "../../http/paging.ts";
import { found } from "../../http/problem.ts";
import type { Store } from "../../store/store.ts";
import type { CollectedLogRow } from "../../store/tables/fleet.ts";
import { findTeamRow, selectTeamRows } from "../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { FileResponse } from "../../operations/responses.ts";

interface CollectedLogDependencies {
  store: Store;
}

const textType = "text/plain";

const operation = operationsWith<CollectedLogDependencies>();

export const collectedLogOperations: readonly Operation<CollectedLogDependencies>[] = [
  operation({
    name: "listLogs",
    tag: "logs",
    method: "GET",
    path: "/players/{id}/logs",
    summary: "List a player's collected logs",
    description: "Newest first. The newest 20 of each player are kept, for 90 days at most. The command `logs.collect` brings another.",
    caller: "operator",
    scope: "commands:read",
    params: z.strictObject({ id: id("plr") }),
    query: PageQuery,
    status: 200,
    output: page(CollectedLog),
    hasLinks: true,
    errors: ["not-found", "invalid"],
    async run({ store }, { teamId }, { params, query }) {
      const { db } = store;
      found(await findPlayer(db, teamId, params.id), "screen");
      return pageOf(selectTeamRows(db, "collected_logs", teamId, { player_id: params.id }), query, showLog);
    },
  }),
  operation({
    name: "getLog",
    tag: "logs",
    method: "GET",
    path: "/logs/{id}",
    summary: "Download a collected log",
    description: "One JSON object a line, oldest first; after them the end of the device's own audit log, if it has one.",
    agent: "Use it to find out why a player fails, after send_command `logs.collect` has succeeded: its result has the log's id.",
    caller: "operator",
    scope: "commands:read",
    params: z.strictObject({ id: id("log") }),
    status: 200,
    output: z.undefined(),
    file: [textType],
    errors: ["not-found", "range-not-satisfiable"],
    headers: { Range: "One range of bytes", "If-None-Match": "The response is 304 if this is the ETag of the bytes" },
    async run({ store }, { teamId }, { params }) {
      const row = found(await findTeamRow(store.db, "collected_logs", teamId, params.id), "log");
      // The logs of a player in the bin are not found either.
      found(await findPlayer(store.db, teamId, row.player_id), "log");
      return new FileResponse({ sha256: row.sha256, size_bytes: row.size_bytes, mime_type: textType, name: `${row.id}.log` });
    },
  }),
];

function showLog(row: CollectedLogRow): CollectedLog {
  return {
    id: row.id,
    player_id: row.player_id,
    command_id: row.command_id,
    size_bytes: row.size_bytes,
    captured_at: iso(row.captured_at),
    created_at: iso(row.created_at),
    text_url: `/api/v1/logs/${row.id}`,
  };
}
