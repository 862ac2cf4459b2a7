// Which players a request for many is for, and the tags to find them by.
import type { ExpressionBuilder } from "kysely";
import { closestName } from "../../base/closest-name.ts";
import type { Target, TargetWarning } from "../../protocol/operator/resources.ts";
import { invalidField, ProblemError } from "../http/problem.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow, Tables } from "../store/tables.ts";

const maxPlayers = 10_000;
const maxErrors = 100;
const maxTagsLookedAt = 1_000;

/** The row of a player's tag, as a condition on a player. */
export function hasTag<TB extends keyof Tables>(row: ExpressionBuilder<Tables, TB>, tag: string) {
  return (row as unknown as ExpressionBuilder<Tables, "players">)
    .selectFrom("player_tags")
    .select("player_tags.tag")
    .whereRef("player_tags.player_id", "=", "players.id")
    .where("player_tags.tag", "=", tag);
}

/** Brings the tags that players are found by in line with those they have. */
export async function updateTagIndex(db: Db, players: readonly Pick<PlayerRow, "id" | "team_id" | "tags">[]): Promise<void> {
  for (const part of inChunks(players)) {
    const ids = part.map((player) => player.id);
    await db.deleteFrom("player_tags").where("player_id", "in", ids).execute();
    const rows = part.flatMap(({ id, team_id, tags }) =>
      [...new Set(JSON.parse(tags) as string[])].map((tag) => ({ player_id: id, team_id, tag })),
    );
    for (const some of inChunks(rows)) await db.insertInto("player_tags").values(some).execute();
  }
}

/**
 * The players that a request for many is for, by id.
 * @throws Refusal 422 naming each id that is no player of the team's, or when a tag has more than 10,000 players.
 */
export async function playersOfTarget(db: Db, teamId: string, target: Target): Promise<PlayerRow[]> {
  const all = db.selectFrom("players").selectAll().where("team_id", "=", teamId).where("removed_at", "is", null).orderBy("id");
  if ("tag" in target) {
    const byTag = db.selectFrom("player_tags").select("player_id").where("team_id", "=", teamId).where("tag", "=", target.tag);
    const rows = await all
      .where("id", "in", byTag)
      .limit(maxPlayers + 1)
      .execute();
    if (rows.length > maxPlayers) throw invalidField("/target/tag", "more than 10,000 players have this tag: name them in parts");
    return rows;
  }
  const rows: PlayerRow[] = [];
  for (const part of inChunks([...new Set(target.player_ids)].toSorted())) rows.push(...(await all.where("id", "in", part).execute()));
  const known = new Set(rows.map((row) => row.id));
  const errors = target.player_ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ pointer: `/target/player_ids/${index}`, detail: "there is no such player" }],
  );
  if (errors.length > 0) {
    const shown = errors.slice(0, maxErrors);
    throw new ProblemError("invalid", `${errors.length} of the players do not exist`, { errors: shown });
  }
  return rows;
}

/** What about a target was hardly meant, given the players that it is for: a tag that none of them has. */
export async function targetWarnings(db: Db, teamId: string, target: Target, players: readonly unknown[]): Promise<TargetWarning[]> {
  if (!("tag" in target) || players.length > 0) return [];
  return [{ code: "no-players", message: await noPlayerHasTagMessage(db, teamId, target.tag), field: "/target/tag" }];
}

/** Says that no player has a tag, and which one was probably meant. */
export async function noPlayerHasTagMessage(db: Db, teamId: string, tag: string): Promise<string> {
  const rows = await db
    .selectFrom("player_tags")
    .innerJoin("players", "players.id", "player_tags.player_id")
    .select("player_tags.tag")
    .distinct()
    .where("player_tags.team_id", "=", teamId)
    .where("players.removed_at", "is", null)
    .orderBy("player_tags.tag")
    .limit(maxTagsLookedAt)
    .execute();
  const near = closestName(
    tag,
    rows.map((row) => row.tag),
  );
  return `no player has the tag “${tag}”${near === undefined ? "" : `: did you mean “${near}”?`}`;
}
