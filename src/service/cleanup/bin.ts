// Moves resources to the bin and deletes them for good. A player's own schedules go to the bin with it.
import { sql } from "kysely";
import { contentEvent } from "../content/content-event.ts";
import { dayMs } from "../../base/time.ts";
import type { NewEvent } from "../events/event-journal.ts";
import { flattenTarget, targetColumns, targetOf } from "../schedule/schedules.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { ScheduleRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";

/** How long the bin keeps a resource, ms. */
export const binRetentionMs = 30 * dayMs;
/** How many resources of a kind one transaction deletes for good. Other writes wait for it. */
export const binBatchSize = 100;

type BinTable = "playlists" | "layouts" | "schedules";

/** The result of emptying the bin. The telemetry of `playerIds` can be deleted. */
export interface BinRemoval extends Erasure {
  playerIds: string[];
  /** True if the limit was reached, so that more may be left. */
  isMore: boolean;
}

/** Released files, and events of schedules that lost their targets. */
interface Erasure {
  files: { sha256: string | null }[];
  events: NewEvent[];
}

/** Puts a resource in the bin, or deletes it for good. The caller has checked that nothing uses it. */
export async function discard(db: Db, table: BinTable, id: string, now: number, permanent: boolean): Promise<void> {
  if (permanent) {
    await db.deleteFrom(table).where("id", "=", id).execute();
    if (table === "layouts") await deleteOrphans(db);
  } else await db.updateTable(table).set({ deleted_at: now, updated_at: now }).where("id", "=", id).execute();
}

/**
 * Puts a player and the schedules with only this target in the bin. A schedule with several targets stays and keeps the target,
 * which matches nothing while the player is in the bin.
 * @returns the schedules in the bin.
 */
export async function discardPlayer(db: Db, player: PlayerRow, now: number): Promise<ScheduleRow[]> {
  await db.updateTable("players").set({ removed_at: now, updated_at: now }).where("id", "=", player.id).execute();
  await db.deleteFrom("player_tags").where("player_id", "=", player.id).execute();
  const own = db.updateTable("schedules").set({ deleted_at: now, deleted_with: player.id, updated_at: now });
  return own
    .where("team_id", "=", player.team_id)
    .where("target_type", "=", "player")
    .where("target_value", "=", player.id)
    .where("deleted_at", "is", null)
    .returningAll()
    .execute();
}

/** Deletes the data of removed players for good. Their rows stay, so that the service can inform their devices. */
export async function erasePlayers(db: Db, playerIds: readonly string[], now: number): Promise<Erasure> {
  const files: Erasure["files"] = [];
  const events: NewEvent[] = [];
  for (const part of inChunks(playerIds)) {
    const erased = { erased_at: now, layout_id: null, tags: "[]", display_hours: null, recurring_commands: "[]" };
    await db.updateTable("players").set(erased).where("id", "in", part).execute();
    await db.deleteFrom("journals").where("player_id", "in", part).execute();
    await db.deleteFrom("overrides").where("player_id", "in", part).execute();
    await db.deleteFrom("problem_records").where("player_id", "in", part).execute();
    await db.deleteFrom("enrolments").where("player_id", "in", part).execute();
    await db.deleteFrom("rollout_players").where("player_id", "in", part).execute();
    await db.deleteFrom("command_batch_players").where("player_id", "in", part).execute();
    const rows = await db.selectFrom("players").select(["id", "team_id"]).where("id", "in", part).execute();
    for (const [teamId, players] of Map.groupBy(rows, (row) => row.team_id)) {
      const ids = players.map((row) => row.id);
      const own = db.deleteFrom("schedules").where("team_id", "=", teamId).where("target_type", "=", "player");
      const deleted = await own.where("target_value", "in", ids).returning(eventColumns).execute();
      events.push(...deleted.flatMap((row) => eventsOf("schedule.deleted", row)), ...(await removeTargets(db, teamId, ids, now)));
    }
    files.push(...(await db.deleteFrom("collected_logs").where("player_id", "in", part).returning("sha256").execute()));
    files.push(...(await db.deleteFrom("screenshots").where("player_id", "in", part).returning("sha256").execute()));
  }
  return { files, events };
}

/** Removes players from the targets of schedules with several targets. Deletes a schedule that has no target left. */
async function removeTargets(db: Db, teamId: string, playerIds: readonly string[], now: number): Promise<NewEvent[]> {
  const removed = new Set(playerIds);
  const events: NewEvent[] = [];
  const rows = await db
    .selectFrom("schedules")
    .select([...eventColumns, "target_type", "target_value"])
    .where("team_id", "=", teamId)
    .where("target_type", "=", "any")
    .execute();
  for (const row of rows) {
    const before = flattenTarget(targetOf(row));
    const left = before.filter((target) => target.type !== "player" || !removed.has(target.player_id));
    if (left.length === before.length) continue;
    const [first, ...others] = left;
    if (first === undefined) await db.deleteFrom("schedules").where("id", "=", row.id).execute();
    else {
      const target = others.length === 0 ? first : { type: "any" as const, of: left };
      const changed = { ...targetColumns(target), updated_at: now };
      await db.updateTable("schedules").set(changed).where("id", "=", row.id).execute();
    }
    events.push(...eventsOf(first === undefined ? "schedule.deleted" : "schedule.updated", row));
  }
  return events;
}

const eventColumns = ["id", "team_id", "name", "layout_id", "deleted_at"] as const;

/** The event of a schedule; none if it is in the bin. It affects no player, since the target shows nothing any more. */
function eventsOf(type: "schedule.deleted" | "schedule.updated", row: Pick<ScheduleRow, (typeof eventColumns)[number]>): NewEvent[] {
  return row.deleted_at === null ? [{ ...contentEvent(type, row), players: [] }] : [];
}

/**
 * Deletes resources in the bin for good: at most `limit` of each kind that were put there before an instant (ms since the epoch),
 * or all resources of one team.
 */
export async function emptyBin(db: Db, scope: { before: number; limit: number } | { teamId: string }, now: number): Promise<BinRemoval> {
  const limit = "teamId" in scope ? Number.MAX_SAFE_INTEGER : scope.limit;
  const isInScope = (column: "deleted_at" | "removed_at") =>
    "teamId" in scope
      ? sql<boolean>`${sql.ref(column)} is not null and team_id = ${scope.teamId}`
      : sql<boolean>`${sql.ref(column)} < ${scope.before}`;
  const players = await db
    .selectFrom("players")
    .select("id")
    .where(isInScope("removed_at"))
    .where("erased_at", "is", null)
    .limit(limit)
    .execute();
  const playerIds = players.map(({ id }) => id);
  const erased = await erasePlayers(db, playerIds, now);
  const counts = [playerIds.length];
  for (const table of ["schedules", "layouts", "playlists"] as const) {
    const old = db.selectFrom(table).select("id").where(isInScope("deleted_at")).limit(limit);
    const { numDeletedRows } = await db.deleteFrom(table).where("id", "in", old).executeTakeFirst();
    counts.push(Number(numDeletedRows));
  }
  await deleteOrphans(db);
  const old = db.selectFrom("assets").select("id").where(isInScope("deleted_at")).limit(limit);
  const assets = await db
    .deleteFrom("assets")
    .where("id", "in", old)
    .returning(["sha256", "thumbnail_sha256", "original_sha256"])
    .execute();
  const files = assets.flatMap((row) => [row.sha256, row.thumbnail_sha256, row.original_sha256].map((sha256) => ({ sha256 })));
  const isMore = Math.max(...counts, assets.length) === limit;
  return { files: [...files, ...erased.files], playerIds, events: erased.events, isMore };
}

/** Deletes schedules in the bin that cannot be restored, because their layout no longer exists. */
async function deleteOrphans(db: Db): Promise<void> {
  const layouts = db.selectFrom("layouts").select("id");
  await db.deleteFrom("schedules").where("deleted_at", "is not", null).where("layout_id", "not in", layouts).execute();
}
