// Starts a rollout: ends those that it replaces, and gives the version to the first players of its first ring.
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import type { PlayerRow, RolloutRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import type { Presence } from "../presence/presence.ts";
import { assignPlayers, findNextPlayers, releasePlayers, type Assignment } from "./assignment.ts";
import { selectPlayers } from "./selection.ts";
import type { AppliedRows } from "./tracker.ts";
import { rolloutEvent, updateRollout } from "./transitions.ts";

/** The changes by the start of a rollout. */
export interface StartedRollout extends Required<AppliedRows> {
  /** How many players each ring selects. */
  perRing: readonly number[];
  affected: PlayerRow[];
  events: WriteEvent[];
}

/**
 * Stores a new rollout. The runner assigns the players beyond the first batch.
 * @param replace whether rollouts in progress that select some of the same players are ended
 * @throws ProblemError 409 that names them otherwise.
 */
export async function startRollout(db: Db, presence: Presence, row: RolloutRow, replace: boolean, now: number): Promise<StartedRollout> {
  const { perRing, overlaps } = await selectPlayers(db, row, replace);
  const events: WriteEvent[] = [];
  const changes: Assignment[] = [];
  const rollouts: RolloutRow[] = [];
  for (const other of overlaps) {
    const reason = `The rollout ${row.id} of version ${row.version} replaced it`;
    const ended = await updateRollout(db, other, { status: "replaced", reason, ended_at: now }, now);
    changes.push(await releasePlayers(db, presence, ended));
    events.push(rolloutEvent("rollout.aborted", ended));
    rollouts.push(ended);
  }
  await db.insertInto("rollouts").values(row).execute();
  const { ids } = await findNextPlayers(db, row, "");
  changes.push(await assignPlayers(db, presence, row, ids, now));
  events.push(rolloutEvent("rollout.started", row), rolloutEvent("rollout.ring_started", row));
  // A player that one rollout releases and the other assigns has two rows; the later one counts.
  const affected = new Map(changes.flatMap((change) => change.affected.map((player) => [player.id, player])));
  return {
    perRing,
    affected: [...affected.values()],
    events,
    rollouts: [...rollouts, row],
    players: changes.flatMap(({ players }) => players),
  };
}
