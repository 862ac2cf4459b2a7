// Operations that receive the problems that players record, and list them.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { ProblemRecord, RecordedProblem, RecordedProblemsQuery } from "../../../protocol/device/problem-records.ts";
import { page } from "../../../protocol/operator/resources.ts";
import type { EventJournal } from "../../events/event-journal.ts";
import { findPlayer } from "../players/resource.ts";
import type { Presence } from "../presence/presence.ts";
import {
  eventsOfMissedProblem,
  problemRecordRow,
  selectProblemRecords,
  showProblemRecord,
  storeProblemRecord,
} from "../problems/records.ts";
import { pageOf } from "../../http/paging.ts";
import { found } from "../../http/problem.ts";
import type { Store } from "../../store/store.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";

interface ProblemRecordDependencies {
  clock: Clock;
  events: EventJournal;
  presence: Presence;
  store: Store;
}

const operation = operationsWith<ProblemRecordDependencies>();

export const problemRecordOperations: readonly Operation<ProblemRecordDependencies>[] = [
  operation({
    name: "listPlayerProblems",
    tag: "players",
    method: "GET",
    path: "/players/{id}/problems",
    summary: "List a player's problems, past and present",
    description:
      "As the player recorded them, also while it was offline; the latest first. The newest 1,000 are kept, for 90 days. Those that the service detects, such as `offline`, are not among them: the current problems of a player are in `GET /players/{id}`.",
    caller: "operator",
    scope: "players:read",
    params: z.strictObject({ id: id("plr") }),
    query: RecordedProblemsQuery,
    status: 200,
    output: page(RecordedProblem),
    errors: ["not-found", "invalid"],
    async run({ store }, { teamId }, { params: { id: playerId }, query }) {
      found(await findPlayer(store.db, teamId, playerId), "screen");
      return pageOf(selectProblemRecords(store.db, playerId, query), query, showProblemRecord, { by: ["started_at", "id"] });
    },
  }),
  operation({
    name: "recordProblem",
    tag: "device",
    method: "PUT",
    path: "/device/problems/{id}",
    summary: "Record a problem",
    description:
      "When it begins, and again when it ends. Repeated and late reports change nothing. A problem that ended before any heartbeat reported it sends the events `problem.opened` and `problem.closed`.",
    caller: "device",
    params: z.strictObject({ id: id("prb") }),
    body: ProblemRecord,
    example: {
      code: "disk-unwritable",
      zone_id: null,
      item_id: null,
      detail: "The device cannot read or write its disk: ENOSPC: no space left on device",
      remedy: "Free some space.",
      started_at: "2026-11-21T12:00:00.000Z",
      ended_at: "2026-11-21T12:05:00.000Z",
      times: 1,
    },
    status: 204,
    output: NoContent,
    errors: ["invalid"],
    async run({ clock, events, presence, store }, { player }, { params, body }) {
      const row = problemRecordRow(player, params.id, body, Math.trunc(clock.now()));
      await presence.flush();
      const missed = await eventsOfMissedProblem(store.telemetry, player, row);
      await store.write(async (db) => {
        const known = await storeProblemRecord(db, row);
        if (known === undefined) await events.append(db, missed);
      });
    },
  }),
];
