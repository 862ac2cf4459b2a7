// The players that a new rollout selects, and the rollouts in progress that select some of the same.
import type { TargetWarning } from "../../../protocol/operator/resources.ts";
import { ProblemError } from "../../http/problem.ts";
import type { RolloutRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import { ringOf } from "./ring-members.ts";
import { settingsOf } from "./settings.ts";

const maxInProgress = 10;

/** How many players each ring of a rollout selects, and the rollouts in progress that select some of them. */
export interface Selection {
  perRing: number[];
  overlaps: RolloutRow[];
}

/**
 * Checks a new rollout against those in progress: a player is in one at most.
 * @param replace whether the others may be ended
 * @throws ProblemError 409 that names the others and the remedy.
 */
export async function selectPlayers(db: Db, row: RolloutRow, replace: boolean): Promise<Selection> {
  const inProgress = await db
    .selectFrom("rollouts")
    .selectAll()
    .where("team_id", "=", row.team_id)
    .where("ended_at", "is", null)
    .where("id", "!=", row.id)
    .execute();
  if (inProgress.length >= maxInProgress) {
    throw new ProblemError("in-use", `${maxInProgress} rollouts are in progress: wait until one has finished, or abort one`);
  }
  const { rings } = settingsOf(row);
  const perRing = rings.map(() => 0);
  const others = inProgress.map((other) => ({ other, count: 0, example: "" }));
  const players = await db
    .selectFrom("players")
    .leftJoin("rollout_players", (join) => join.onRef("rollout_players.player_id", "=", "players.id").on("is_active", "=", 1))
    .select(["players.id", "players.name", "players.tags", "rollout_players.rollout_id"])
    .where("players.team_id", "=", row.team_id)
    .where("players.removed_at", "is", null)
    .execute();
  for (const player of players) {
    const ring = ringOf(row.id, rings, player);
    if (ring === null) continue;
    perRing[ring]! += 1;
    for (const each of others) {
      const { other } = each;
      if (player.rollout_id !== other.id && ringOf(other.id, settingsOf(other).rings, player) === null) continue;
      each.count += 1;
      each.example ||= player.name;
    }
  }
  const overlaps = others.filter(({ count }) => count > 0);
  const [first] = overlaps;
  if (first !== undefined && !replace) throw conflict(first);
  return { perRing, overlaps: overlaps.map(({ other }) => other) };
}

/** Warnings of rings that select no player. */
export function ringWarnings(perRing: readonly number[]): TargetWarning[] {
  return perRing.flatMap((count, index) =>
    count > 0
      ? []
      : [
          {
            code: "no-players" as const,
            message: `ring ${index + 1} selects no screen now, beyond those of earlier rings`,
            field: `/rings/${index}`,
          },
        ],
  );
}

function conflict({ other, count, example }: { other: RolloutRow; count: number; example: string }): ProblemError {
  const { id, name, status } = other;
  return new ProblemError(
    "in-use",
    `The rollout ${id} (“${name}”, ${status}) also selects ${count} of these screens, such as “${example}”: wait until it has finished, abort it, or send "replace": true to end it`,
  );
}
