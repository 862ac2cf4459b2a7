// Changes the status and the ring of a rollout, with the event of each change.
import type { EventType } from "../../../protocol/operator/events.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";
import type { RolloutRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";

type RolloutEventType = Extract<EventType, `rollout.${string}`>;
type Fields = Partial<Pick<RolloutRow, "status" | "reason" | "settings" | "ring" | "ring_started_at" | "ring_done_at" | "ended_at">>;

/** Stores new values of a rollout, in the transaction of the change. */
export async function updateRollout(db: Db, row: RolloutRow, fields: Fields, now: number): Promise<RolloutRow> {
  const next = { ...row, ...fields, updated_at: now };
  await db.updateTable("rollouts").set(next).where("id", "=", row.id).execute();
  return next;
}

/** Aborts all rollouts of a team that have not ended. */
export function abortTeamRollouts(db: Db, teamId: string, reason: string, now: number): Promise<RolloutRow[]> {
  const aborted = { status: "aborted" as const, reason, updated_at: now, ended_at: now };
  const rollouts = db.updateTable("rollouts").set(aborted).where("team_id", "=", teamId).where("ended_at", "is", null);
  return rollouts.returningAll().execute();
}

/** The fields of a rollout that begins a ring. */
export function beginRing(ring: number, now: number): Pick<RolloutRow, "ring" | "ring_started_at" | "ring_done_at"> {
  return { ring, ring_started_at: now, ring_done_at: null };
}

/** An event of a rollout. It concerns no single player: a ring may have thousands. */
export function rolloutEvent(type: RolloutEventType, { id, team_id: teamId, name, version, ring, reason }: RolloutRow): WriteEvent {
  return { teamId, type, data: { rollout_id: id, name, version, ring: ring + 1, reason }, players: [] };
}
