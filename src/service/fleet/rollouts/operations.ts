// Operations for rollouts: starting, reading, pausing, resuming and aborting them.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import { page } from "../../../protocol/operator/resources.ts";
import {
  CreatedRollout,
  NewRollout,
  Rollout,
  RolloutAbort,
  RolloutPlayer,
  RolloutPlayersQuery,
  RolloutResume,
  RolloutsQuery,
} from "../../../protocol/operator/rollouts.ts";
import { markForAssignment, releasePlayers } from "./assignment.ts";
import { checkRelease } from "./release-catalog.ts";
import type { KnownReleases } from "../../releases/known-releases.ts";
import { rolloutVersion, shownState, showRollout, showRolloutPlayer } from "./rollout-resource.ts";
import { ringWarnings } from "./selection.ts";
import { isInProgress, settingsOf, type RolloutSettings } from "./settings.ts";
import { startRollout } from "./start-rollout.ts";
import type { AppliedRows, RolloutTracker } from "./tracker.ts";
import { beginRing, rolloutEvent, updateRollout } from "./transitions.ts";
import type { Presence } from "../presence/presence.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { MakeId } from "../../store/ids.ts";
import type { RolloutRow } from "../../store/tables/fleet.ts";
import type { Db, Store } from "../../store/store.ts";
import { findTeamRow, selectTeamRows } from "../../store/tables/team-rows.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import type { Change } from "../../operations/unit-of-work.ts";
import { selectRolloutPlayers } from "./player-hooks.ts";

interface RolloutDependencies {
  clock: Clock;
  makeId: MakeId;
  presence: Presence;
  releases: KnownReleases;
  rollouts: RolloutTracker;
  store: Store;
}

const params = z.strictObject({ id: id("rol") });
const example = { version: "1.4.0", rings: [{ name: "Everywhere", percent: 100, wait_minutes: 60 }], max_failure_percent: 5 };
const readAgain = "Read it again with `GET /rollouts/{id}`.";

const operation = operationsWith<RolloutDependencies>();

export const rolloutOperations: readonly Operation<RolloutDependencies>[] = [
  operation({
    name: "createRollout",
    tag: "rollouts",
    method: "POST",
    path: "/rollouts",
    summary: "Start a rollout of a version",
    description:
      "Brings a version of the player's program to the team's players, ring by ring. The next ring begins when the players of the current one have finished, not too many have failed, and `wait_minutes` are over. If too many fail, the rollout halts by itself. A player is in one rollout in progress at most.",
    agent:
      "Call it with dry_run first and tell a person the number of players. Begin with a small ring, such as 1 % or the players with a test tag. Follow it with get_rollout.",
    caller: "operator",
    scope: "players:write",
    body: NewRollout,
    example,
    status: 201,
    output: CreatedRollout,
    errors: ["invalid", "in-use"],
    version: rolloutVersion,
    async run(dependencies, { teamId }, { body: { version, name, replace, ...settings } }, unitOfWork) {
      const { clock, makeId, presence, releases, rollouts } = dependencies;
      await checkRelease(releases, version, "/version");
      let selected: readonly number[] = [];
      const write = async (db: Db): Promise<Change<RolloutRow>> => {
        const now = Math.trunc(clock.now());
        const row: RolloutRow = {
          id: makeId("rol"),
          team_id: teamId,
          name: name ?? `Version ${version}`,
          version,
          status: "running",
          reason: null,
          settings: JSON.stringify(settings satisfies RolloutSettings),
          ...beginRing(0, now),
          created_at: now,
          updated_at: now,
          ended_at: null,
        };
        const { perRing, players, rollouts: rows, ...change } = await startRollout(db, presence, row, replace, now);
        selected = perRing;
        return { result: row, ...change, committed: await announce(rollouts, db, { rollouts: rows, players }) };
      };
      return unitOfWork.write(write, async (db, row) => ({
        ...(await showRollout(dependencies, db, row)),
        selected_players: selected.reduce((sum, count) => sum + count, 0),
        warnings: ringWarnings(selected),
      }));
    },
  }),
  operation({
    name: "listRollouts",
    tag: "rollouts",
    method: "GET",
    path: "/rollouts",
    summary: "List rollouts",
    description: "Newest first, with the progress of each ring. A rollout is kept for 90 days after its end.",
    caller: "operator",
    scope: "players:read",
    query: RolloutsQuery,
    status: 200,
    output: page(Rollout),
    errors: ["invalid"],
    async run(dependencies, { teamId }, { query }) {
      const { db } = dependencies.store;
      const rows = selectTeamRows(db, "rollouts", teamId, { status: query.status });
      const { data, next_cursor } = await pageOf(rows, query, (row) => row);
      const shown: Rollout[] = [];
      for (const row of data) shown.push(await showRollout(dependencies, db, row));
      return { data: shown, next_cursor };
    },
  }),
  operation({
    name: "getRollout",
    tag: "rollouts",
    method: "GET",
    path: "/rollouts/{id}",
    summary: "Read a rollout",
    description: "Its rings with their players by state, and what the next step waits for.",
    agent: "Use it to follow a rollout. For the reasons of failures call list_rollout_players with `state=failed`.",
    caller: "operator",
    scope: "players:read",
    params,
    status: 200,
    output: Rollout,
    errors: ["not-found"],
    version: rolloutVersion,
    async run(dependencies, { teamId }, input) {
      const { db } = dependencies.store;
      return showRollout(dependencies, db, await find(db, teamId, input.params.id));
    },
  }),
  operation({
    name: "listRolloutPlayers",
    tag: "rollouts",
    method: "GET",
    path: "/rollouts/{id}/players",
    summary: "List the players of a rollout",
    description: "Those that it has reached, with their state and its reason. `state=failed` lists those that failed.",
    caller: "operator",
    scope: "players:read",
    params,
    query: RolloutPlayersQuery,
    status: 200,
    output: page(RolloutPlayer),
    errors: ["not-found", "invalid"],
    async run({ presence, store }, { teamId }, { params: { id: rolloutId }, query }) {
      await find(store.db, teamId, rolloutId);
      const { state } = query;
      const isOffline = state === "offline";
      // An offline player is stored with the state that it reported last.
      const rows = selectRolloutPlayers(store.db, rolloutId, query.ring, isOffline ? undefined : state);
      const keep = state === undefined ? {} : { keep: (row: Parameters<typeof shownState>[1]) => shownState(presence, row) === state };
      return pageOf(rows, query, (row) => showRolloutPlayer(presence, row), { by: ["player_id"], ...keep });
    },
  }),
  operation({
    name: "pauseRollout",
    tag: "rollouts",
    method: "POST",
    path: "/rollouts/{id}/pause",
    summary: "Pause a rollout",
    description:
      "No further players get the version until the rollout is resumed. Those that have been given it continue. If too many of them fail, the rollout halts.",
    caller: "operator",
    scope: "players:write",
    params,
    status: 200,
    output: Rollout,
    errors: ["not-found", "wrong-status"],
    version: rolloutVersion,
    run: (dependencies, { teamId }, input, unitOfWork) =>
      unitOfWork.write(
        async (db) => {
          const row = await findInProgress(db, teamId, input.params.id);
          if (row.status === "paused") return { result: row };
          if (row.status === "halted") {
            throw new ProblemError(
              "wrong-status",
              `It has halted, so no further screens get the version: resume or abort it. ${readAgain}`,
            );
          }
          const next = await updateRollout(db, row, { status: "paused" }, Math.trunc(dependencies.clock.now()));
          const committed = await announce(dependencies.rollouts, db, { rollouts: [next] });
          return { result: next, events: [rolloutEvent("rollout.paused", next)], committed };
        },
        (db, row) => showRollout(dependencies, db, row),
      ),
  }),
  operation({
    name: "resumeRollout",
    tag: "rollouts",
    method: "POST",
    path: "/rollouts/{id}/resume",
    summary: "Resume a rollout that is paused or halted",
    description:
      "After a halt, the players from which the version was taken back get it again, also those that failed; their earlier failures no longer count. `next_ring` begins the next ring at once, also of a running rollout.",
    agent: "After a halt, read the reasons of the failures first, and resume only if a person decides so.",
    caller: "operator",
    scope: "players:write",
    params,
    body: RolloutResume,
    example: { max_failure_percent: 10 },
    status: 200,
    output: Rollout,
    errors: ["not-found", "invalid", "wrong-status"],
    version: rolloutVersion,
    run: (dependencies, { teamId }, { params: { id: rolloutId }, body }, unitOfWork) =>
      unitOfWork.write(
        async (db) => {
          const now = Math.trunc(dependencies.clock.now());
          const row = await findInProgress(db, teamId, rolloutId);
          const settings = settingsOf(row);
          const { max_failure_percent = settings.max_failure_percent, next_ring } = body;
          if (next_ring && row.ring + 1 === settings.rings.length) {
            throw new ProblemError("wrong-status", `Ring ${row.ring + 1} is the last one: send it without next_ring. ${readAgain}`);
          }
          const fields = { status: "running" as const, reason: null, settings: JSON.stringify({ ...settings, max_failure_percent }) };
          // A ring that failed is judged again.
          const place = next_ring ? beginRing(row.ring + 1, now) : row.status === "halted" ? beginRing(row.ring, now) : {};
          if (row.status === "halted") await markForAssignment(db, row);
          const next = await updateRollout(db, row, { ...fields, ...place }, now);
          const events = row.status === "running" ? [] : [rolloutEvent("rollout.resumed", next)];
          if (next_ring) events.push(rolloutEvent("rollout.ring_started", next));
          return { result: next, events, committed: await announce(dependencies.rollouts, db, { rollouts: [next] }) };
        },
        (db, row) => showRollout(dependencies, db, row),
      ),
  }),
  operation({
    name: "abortRollout",
    tag: "rollouts",
    method: "POST",
    path: "/rollouts/{id}/abort",
    summary: "Abort a rollout",
    description:
      "Ends it. The players that it reached return to the version that they ran before: that version becomes their `release`, until a rollout or an operator gives them another one. Players that it had not reached keep theirs.",
    agent: "It changes screens that work. Use it only if a person asks for it.",
    caller: "operator",
    scope: "players:write",
    params,
    body: RolloutAbort,
    example: { install: "now" },
    status: 200,
    output: Rollout,
    errors: ["not-found", "invalid", "wrong-status"],
    version: rolloutVersion,
    run: (dependencies, { teamId }, { params: { id: rolloutId }, body }, unitOfWork) =>
      unitOfWork.write(
        async (db) => {
          const now = Math.trunc(dependencies.clock.now());
          const row = await findInProgress(db, teamId, rolloutId);
          const settings = JSON.stringify({ ...settingsOf(row), return_install: body.install });
          const reason = row.reason ?? "An operator aborted it";
          const next = await updateRollout(db, row, { status: "aborted", reason, settings, ended_at: now }, now);
          const { affected, players } = await releasePlayers(db, dependencies.presence, next);
          const committed = await announce(dependencies.rollouts, db, { rollouts: [next], players });
          return { result: next, affected, events: [rolloutEvent("rollout.aborted", next)], committed };
        },
        (db, row) => showRollout(dependencies, db, row),
      ),
  }),
];

async function find(db: Db, teamId: string, rolloutId: string): Promise<RolloutRow> {
  return found(await findTeamRow(db, "rollouts", teamId, rolloutId), "rollout");
}

/** @throws ProblemError 404, or 409 for a rollout that has ended. */
async function findInProgress(db: Db, teamId: string, rolloutId: string): Promise<RolloutRow> {
  const row = await find(db, teamId, rolloutId);
  if (isInProgress(row)) return row;
  const remedy = "start another one with `POST /rollouts`, or set `release` of single screens";
  throw new ProblemError("wrong-status", `It has ended (${row.status}): ${remedy}`);
}

/** As {@link RolloutTracker.announce}, and wakes the runner after the commit. */
async function announce(rollouts: RolloutTracker, db: Db, rows: AppliedRows): Promise<() => void> {
  const apply = await rollouts.announce(db, rows);
  return () => {
    apply();
    rollouts.wake.notify();
  };
}
