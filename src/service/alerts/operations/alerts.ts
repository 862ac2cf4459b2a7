// Operations for alerts: which screens are wrong now, the history, and taking care of one.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { Alert, AlertPage, AlertsQuery, TroubledPlayers, TroubledQuery } from "../../../protocol/operator/alerts.ts";
import { alertEvent, showAlert } from "../alert-resource.ts";
import { listTroubled, type TroubledDependencies } from "../troubled.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { Store } from "../../store/store.ts";
import { findTeamRow, selectTeamRows, updateTeamRow } from "../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { findUserName } from "../../people/store/users.ts";

interface AlertDependencies extends TroubledDependencies {
  clock: Clock;
  store: Store;
}

const params = z.strictObject({ id: id("alr") });

const operation = operationsWith<AlertDependencies>();

export const alertOperations: readonly Operation<AlertDependencies>[] = [
  operation({
    name: "listTroubledPlayers",
    tag: "alerts",
    method: "GET",
    path: "/alerts/now",
    summary: "List the screens that are wrong now, and why",
    description:
      "All players with a problem or an open alert, most severe first, each with what is wrong, since when, what to do and its newest picture. Players in maintenance, and displays that are off on purpose, are counted but not listed.",
    agent:
      "Use it for “which screens are wrong?” and “is everything all right?”: one call answers for all screens. Report `counts`, then the players with what to do.",
    caller: "operator",
    scope: "players:read",
    query: TroubledQuery,
    status: 200,
    output: TroubledPlayers,
    errors: ["invalid"],
    run: (dependencies, { teamId }, { query }) =>
      listTroubled(dependencies, dependencies.store.db, teamId, query, dependencies.clock.now()),
  }),
  operation({
    name: "listAlerts",
    tag: "alerts",
    method: "GET",
    path: "/alerts",
    summary: "List alerts, open and closed",
    description: "Newest first. Closed alerts are kept for 90 days. What is wrong now is in `GET /alerts/now`.",
    caller: "operator",
    scope: "players:read",
    query: AlertsQuery,
    status: 200,
    output: AlertPage,
    errors: ["invalid"],
    async run({ store }, { teamId }, { query }) {
      const { state, kind, player_id } = query;
      return pageOf(selectTeamRows(store.db, "alerts", teamId, { state, kind, player_id }), query, showAlert);
    },
  }),
  operation({
    name: "acknowledgeAlert",
    tag: "alerts",
    method: "POST",
    path: "/alerts/{id}/acknowledge",
    summary: "Acknowledge an alert",
    description: "Tells the team who takes care of it, and ends its repeated mails. It closes by itself when the player is well.",
    agent: "Use it only when a person says that they take care of it.",
    caller: "operator",
    scope: "players:write",
    params,
    status: 200,
    output: Alert,
    errors: ["not-found", "wrong-status"],
    async run({ alerts, clock }, { teamId, operator }, input, unitOfWork) {
      return unitOfWork.write(async (db) => {
        const row = found(await findTeamRow(db, "alerts", teamId, input.params.id), "alert");
        if (row.state !== "open") throw new ProblemError("wrong-status", "The alert is closed: there is nothing to take care of");
        if (row.acknowledged_at !== null) return { result: showAlert(row) };
        const acknowledged_at = Math.trunc(clock.now());
        const change = {
          acknowledged_at,
          acknowledged_by: operator.userId,
          acknowledged_name: (await findUserName(db, operator.userId)) ?? "",
        };
        await updateTeamRow(db, "alerts", row.id, change);
        const next = { ...row, ...change };
        await alerts.announce(db, [next]);
        const committed = () => alerts.apply([next]);
        return { result: showAlert(next), events: [alertEvent("alert.acknowledged", next)], committed };
      });
    },
  }),
];
