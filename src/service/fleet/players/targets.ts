// The players that a bulk request targets, and the tag index by which they are found.
import { closestName } from "../../../base/closest-name.ts";
import type { Target, TargetWarning } from "../../../protocol/operator/resources.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { selectPlayers } from "../store.ts";

const maxPlayers = 10_000;
const maxErrors = 100;
const maxTagsToCompare = 1_000;

/** Updates the tag index after the tags of players changed. */
export async function updateTagIndex(db: Db, players: readonly Pick<PlayerRow, "id" | "team_id" | "tags">[]): Promise<void> {
  for (const chunk of inChunks(players)) {
    const ids = chunk.map((player) => player.id);
    await db.deleteFrom("player_tags").where("player_id", "in", ids).execute();
    const rows = chunk.flatMap(({ id, team_id, tags }) =>
      [...new Set(JSON.parse(tags) as string[])].map((tag) => ({ player_id: id, team_id, tag })),
    );
    for (const some of inChunks(rows)) await db.insertInto("player_tags").values(some).execute();
  }
}

/**
 * The players of a target, by id.
 * @throws ProblemError 422 that lists the ids which are no players of the team, or when a tag has more than 10,000 players.
 */
export async function playersOfTarget(db: Db, teamId: string, target: Target): Promise<PlayerRow[]> {
  const all = selectPlayers(db, teamId).orderBy("id");
  if ("tag" in target) {
    const withTag = db.selectFrom("player_tags").select("player_id").where("team_id", "=", teamId).where("tag", "=", target.tag);
    const rows = await all
      .where("id", "in", withTag)
      .limit(maxPlayers + 1)
      .execute();
    if (rows.length > maxPlayers) {
      throw invalidField("/target/tag", "more than 10,000 screens have this tag: send several requests with player_ids");
    }
    return rows;
  }
  const rows: PlayerRow[] = [];
  for (const ids of inChunks([...new Set(target.player_ids)].toSorted())) rows.push(...(await all.where("id", "in", ids).execute()));
  const error = unknownPlayersError(target.player_ids, rows, "/target/player_ids");
  if (error !== null) throw error;
  return rows;
}

/** The refusal of a list of ids of which some are no players; null: all are. @param pointer to the list */
export function unknownPlayersError(ids: readonly string[], rows: readonly PlayerRow[], pointer: string): ProblemError | null {
  const known = new Set(rows.map((row) => row.id));
  const errors = ids.flatMap((id, index) => (known.has(id) ? [] : [{ pointer: `${pointer}/${index}`, detail: "there is no such screen" }]));
  if (errors.length === 0) return null;
  return new ProblemError("invalid", `${errors.length} of the screens do not exist`, { errors: errors.slice(0, maxErrors) });
}

/** A warning if the target is a tag that no player has, which is probably a mistake. */
export async function targetWarnings(db: Db, teamId: string, target: Target, players: readonly unknown[]): Promise<TargetWarning[]> {
  if (!("tag" in target) || players.length > 0) return [];
  return [{ code: "no-players", message: await noPlayerHasTagMessage(db, teamId, target.tag), field: "/target/tag" }];
}

/** Says that no player has a tag, and suggests the most similar one. */
export async function noPlayerHasTagMessage(db: Db, teamId: string, tag: string): Promise<string> {
  const rows = await db
    .selectFrom("player_tags")
    .innerJoin("players", "players.id", "player_tags.player_id")
    .select("player_tags.tag")
    .distinct()
    .where("player_tags.team_id", "=", teamId)
    .where("players.removed_at", "is", null)
    .orderBy("player_tags.tag")
    .limit(maxTagsToCompare)
    .execute();
  const similar = closestName(
    tag,
    rows.map((row) => row.tag),
  );
  return `no screen has the tag “${tag}”${similar === undefined ? "" : `: did you mean “${similar}”?`}`;
}
