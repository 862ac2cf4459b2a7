// What becomes of a player's rollout when the player gets a version of its own, another device, or comes back from the bin.
import type { RolloutPlayerRow } from "../../store/rollout-tables.ts";
import type { Db } from "../../store/store.ts";

/** The row of the rollout that decides about a player; undefined: none does. */
export async function findActivePlayer(db: Db, playerId: string): Promise<RolloutPlayerRow | undefined> {
  return db.selectFrom("rollout_players").selectAll().where("player_id", "=", playerId).where("is_active", "=", 1).executeTakeFirst();
}

/** Takes a player out of its rollout: an operator decides about its version from now on. */
export async function leaveRollout(db: Db, playerId: string, now: number): Promise<RolloutPlayerRow[]> {
  const left = { is_active: 0, state: "left" as const, detail: null, changed_at: now };
  return db.updateTable("rollout_players").set(left).where("player_id", "=", playerId).where("is_active", "=", 1).returningAll().execute();
}

/** Forgets what the former device of a player did: the new one begins again. */
export async function restartPlayer(db: Db, playerId: string, now: number): Promise<RolloutPlayerRow[]> {
  const nothing = { detail: null, attempt_at: null, ignored_attempt_at: null, previous_version: null };
  return db
    .updateTable("rollout_players")
    .set({ ...nothing, state: "waiting", assigned_at: now, changed_at: now })
    .where("player_id", "=", playerId)
    .where("is_active", "=", 1)
    .returningAll()
    .execute();
}
