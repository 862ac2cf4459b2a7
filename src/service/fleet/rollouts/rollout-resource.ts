// Shows a rollout with the progress of its rings as the API does.
import type { Clock } from "../../../base/clock.ts";
import { iso, minuteMs } from "../../../base/time.ts";
import type { Ring, Rollout, RolloutPlayer, RolloutPlayerState, RolloutProgress } from "../../../protocol/operator/rollouts.ts";
import type { RolloutPlayerRow, RolloutRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import type { Presence } from "../presence/presence.ts";
import { isPending } from "./assignment.ts";
import { failurePercent, nextStep, type RingCounts } from "./gate.ts";
import { isOfflineTooLong } from "./runner.ts";
import { isInProgress, settingsOf } from "./settings.ts";

interface ShownRolloutDependencies {
  clock: Clock;
  presence: Presence;
}

type Counts = Partial<Record<RolloutPlayerState, number>>;

/** The rollout in its API form. While it is in progress, this reads each of its players: some may be offline. */
export async function showRollout({ clock, presence }: ShownRolloutDependencies, db: Db, row: RolloutRow): Promise<Rollout> {
  const { rings, install, windows, max_failure_percent, min_players_for_halt, done_percent, offline_after_minutes } = settingsOf(row);
  const reported: Counts[] = rings.map(() => ({}));
  const shown: Counts[] = rings.map(() => ({}));
  let excluded = 0;
  if (isInProgress(row)) {
    for (const player of await countedPlayers(db, row).selectAll("rollout_players").execute()) {
      add(reported[player.ring]!, player.state, 1);
      add(shown[player.ring]!, shownState(presence, player), 1);
      if (player.ring === row.ring && isOfflineTooLong(presence, row, player, clock.now())) excluded += 1;
    }
  } else {
    const groups = countedPlayers(db, row).select((each) => ["ring", "state", each.fn.countAll<number>().as("count")]);
    for (const { ring, state, count } of await groups.groupBy(["ring", "state"]).execute()) {
      add(reported[ring]!, state, count);
      add(shown[ring]!, state, count);
    }
  }
  const step = isInProgress(row) ? nextStep(row, reported, excluded, clock.now()) : null;
  const { wait_minutes } = rings[row.ring]!;
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    version: row.version,
    status: row.status,
    reason: row.reason,
    waits_for: step === null ? null : step.is === "wait" ? step.for : "The service, which takes the next step within seconds",
    ring: row.ring + 1,
    rings: rings.map((ring, index): Ring => ({
      number: index + 1,
      name: ring.name ?? null,
      tags: ring.tags ?? null,
      percent: ring.percent,
      wait_minutes: ring.wait_minutes,
      status: ringStatus(row, index),
      players: sum(shown[index]!),
      progress: progressOf(shown[index]!),
      failure_percent: failurePercent(reported[index] as RingCounts),
    })),
    progress: progressOf(shown.reduce((all, each) => merge(all, each), {})),
    install,
    windows: windows ?? null,
    max_failure_percent,
    min_players_for_halt,
    done_percent,
    offline_after_minutes,
    ring_started_at: iso(row.ring_started_at),
    watched_until: row.ring_done_at === null ? null : iso(row.ring_done_at + wait_minutes * minuteMs),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    ended_at: iso(row.ended_at),
  };
}

/** The part of a rollout that its ETag covers: not the progress of the players. */
export function rolloutVersion({ id, name, version, status, ring, updated_at }: Rollout): unknown {
  return { id, name, version, status, ring, updated_at };
}

/** A player of a rollout in its API form. */
export function showRolloutPlayer(presence: Presence, row: RolloutPlayerRow & { name: string }): RolloutPlayer {
  return {
    player_id: row.player_id,
    name: row.name,
    ring: row.ring + 1,
    state: shownState(presence, row),
    detail: row.detail,
    previous_version: row.previous_version,
    changed_at: iso(row.changed_at),
  };
}

/** The state for people: a player that cannot be reached before it has finished is offline. */
export function shownState(presence: Presence, player: RolloutPlayerRow): RolloutPlayerState {
  return player.is_active === 1 && isPending(player) && !presence.isOnline(player.player_id) ? "offline" : player.state;
}

function ringStatus({ ring, ring_done_at, status }: RolloutRow, index: number): Ring["status"] {
  if (index < ring || status === "finished") return "done";
  if (index > ring) return "planned";
  return ring_done_at === null ? "running" : "watched";
}

function progressOf(counts: Counts): RolloutProgress {
  const { left: _left, "control-failed": control_failed = 0, ...others } = counts;
  const none = { waiting: 0, downloading: 0, installing: 0, probation: 0, kept: 0, failed: 0, blocked: 0, offline: 0, unsupported: 0 };
  return { ...none, ...others, control_failed };
}

/** The players of a rollout that have neither left it nor are deleted. */
function countedPlayers(db: Db, row: RolloutRow) {
  return db
    .selectFrom("rollout_players")
    .innerJoin("players", "players.id", "rollout_players.player_id")
    .where("rollout_id", "=", row.id)
    .where("state", "!=", "left")
    .where("players.removed_at", "is", null);
}

function add(counts: Counts, state: RolloutPlayerState, count: number): void {
  counts[state] = (counts[state] ?? 0) + count;
}

function merge(a: Counts, b: Counts): Counts {
  const all = { ...a };
  for (const [state, count] of Object.entries(b)) add(all, state as RolloutPlayerState, count);
  return all;
}

function sum(counts: Counts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
