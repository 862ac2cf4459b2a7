// Changes a player's rollout when the player gets a version of its own, another device, or comes back from the bin.
import type { RolloutPlayerRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import { whereEqual } from "../../store/tables/team-rows.ts";

/** The row of the rollout that decides about a player; undefined: none does. */
export async function findActivePlayer(db: Db, playerId: string): Promise<RolloutPlayerRow | undefined> {
  return db.selectFrom("rollout_players").selectAll().where("player_id", "=", playerId).where("is_active", "=", 1).executeTakeFirst();
}

/** The players of a rollout that are not deleted, with their names. @param ring counted from 1 */
export function selectRolloutPlayers(db: Db, rolloutId: string, ring: number | undefined, state: RolloutPlayerRow["state"] | undefined) {
  const rows = db
    .selectFrom("rollout_players")
    .innerJoin("players", "players.id", "rollout_players.player_id")
    .selectAll("rollout_players")
    .select("players.name")
    .where("rollout_id", "=", rolloutId)
    .where("players.removed_at", "is", null);
  return whereEqual(rows, { ring: ring === undefined ? undefined : ring - 1, state });
}

/** Takes a player out of its rollout: an operator decides about its version from now on. */
export async function leaveRollout(db: Db, playerId: string, now: number): Promise<RolloutPlayerRow[]> {
  const left = { is_active: 0, state: "left" as const, detail: null, changed_at: now };
  return db.updateTable("rollout_players").set(left).where("player_id", "=", playerId).where("is_active", "=", 1).returningAll().execute();
}

/** Forgets the progress of a player's former device: the new one begins again. */
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
