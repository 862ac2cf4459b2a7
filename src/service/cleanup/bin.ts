// The bin: what was deleted is kept for thirty days in case that was a mistake. A player's own schedules go with it and come back with it.
import { sql } from "kysely";
import { assetIdsOf } from "../../protocol/content/items.ts";
import { assetEvent } from "../content/asset-creation.ts";
import { parseItems, parseZones } from "../content/content-columns.ts";
import type { NewEvent } from "../events/event-journal.ts";
import { targetColumns, targetOf, flattenTarget } from "../schedule/schedules.ts";
import type { Db } from "../store/store.ts";
import type { LayoutRow, PlayerRow, PlaylistRow, ScheduleRow } from "../store/tables.ts";
import { inChunks } from "../store/chunks.ts";
import { updateTagIndex } from "../fleet/targets.ts";

/** How long the bin keeps a thing, ms. */
export const binRetentionMs = 30 * 86_400_000;
/** How many things of a kind leave the bin in one transaction, while which other writes wait. */
export const binBatchSize = 100;

type Binned = "playlists" | "layouts" | "schedules";

/** What left the bin for good: files that were let go, and players whose telemetry can go. */
export interface BinRemoval extends Erased {
  playerIds: string[];
  /** Whether as many left it as may at once: there may be more. */
  isMore: boolean;
}

/** Files that were let go, and what is to be told of schedules that lost targets. */
interface Erased {
  files: { sha256: string | null }[];
  events: NewEvent[];
}

/** Puts a thing in the bin, or deletes it for good. Whether something uses it was looked at before. */
export async function discard(db: Db, table: Binned, thingId: string, now: number, permanent: boolean): Promise<void> {
  if (permanent) {
    await db.deleteFrom(table).where("id", "=", thingId).execute();
    if (table === "layouts") await dropOrphans(db);
  } else await db.updateTable(table).set({ deleted_at: now, updated_at: now }).where("id", "=", thingId).execute();
}

/**
 * Puts a player in the bin, and the schedules that are for it alone. One with several targets stays, and lists it still: a
 * player in the bin is meant by nothing, and meant again when it is back.
 * @returns the schedules that went with it.
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

/** Deletes for good what is kept of deleted players. Their rows stay, with which their boxes are told so, signed. */
export async function erasePlayers(db: Db, playerIds: readonly string[], now: number): Promise<Erased> {
  const files: Erased["files"] = [];
  const events: NewEvent[] = [];
  for (const part of inChunks(playerIds)) {
    await db.updateTable("players").set({ erased_at: now, layout_id: null, tags: "[]" }).where("id", "in", part).execute();
    await db.deleteFrom("overrides").where("player_id", "in", part).execute();
    const rows = await db.selectFrom("players").select(["id", "team_id"]).where("id", "in", part).execute();
    for (const [teamId, its] of Map.groupBy(rows, (row) => row.team_id)) {
      const ids = its.map((row) => row.id);
      const own = db.deleteFrom("schedules").where("team_id", "=", teamId).where("target_type", "=", "player");
      const gone = await own.where("target_value", "in", ids).returning(told).execute();
      events.push(...gone.flatMap((row) => eventOf("schedule.deleted", row)), ...(await dropTargets(db, teamId, ids, now)));
    }
    files.push(...(await db.deleteFrom("screenshots").where("player_id", "in", part).returning("sha256").execute()));
  }
  return { files, events };
}

/**
 * Takes players of a team out of the targets of its schedules that have several; one that is then for nobody is deleted.
 * @returns what is to be told of those that were not in the bin.
 */
async function dropTargets(db: Db, teamId: string, playerIds: readonly string[], now: number): Promise<NewEvent[]> {
  const gone = new Set(playerIds);
  const events: NewEvent[] = [];
  const rows = await db
    .selectFrom("schedules")
    .select([...told, "target_type", "target_value"])
    .where("team_id", "=", teamId)
    .where("target_type", "=", "any")
    .execute();
  for (const row of rows) {
    const before = flattenTarget(targetOf(row));
    const left = before.filter((target) => target.type !== "player" || !gone.has(target.player_id));
    if (left.length === before.length) continue;
    const [first, ...others] = left;
    if (first === undefined) await db.deleteFrom("schedules").where("id", "=", row.id).execute();
    else {
      const target = others.length === 0 ? first : { type: "any" as const, of: left };
      const changed = { ...targetColumns(target), updated_at: now };
      await db.updateTable("schedules").set(changed).where("id", "=", row.id).execute();
    }
    events.push(...eventOf(first === undefined ? "schedule.deleted" : "schedule.updated", row));
  }
  return events;
}

const told = ["id", "team_id", "name", "layout_id", "deleted_at"] as const;

/** None of a schedule that was in the bin: nobody heard of it there. What players show is as it was. */
function eventOf(type: "schedule.deleted" | "schedule.updated", row: Pick<ScheduleRow, (typeof told)[number]>): NewEvent[] {
  const { id: schedule_id, team_id: teamId, name, layout_id, deleted_at } = row;
  return deleted_at === null ? [{ teamId, type, data: { schedule_id, name, layout_id }, players: [] }] : [];
}

/**
 * Deletes for good what is in the bin: of every team what was put there before an instant (ms since the epoch), at most `most`
 * things of each kind; or all that one team has there.
 */
export async function emptyBin(db: Db, of: { before: number; most: number } | { teamId: string }, now: number): Promise<BinRemoval> {
  const most = "teamId" in of ? Number.MAX_SAFE_INTEGER : of.most;
  const since = (column: "deleted_at" | "removed_at") =>
    "teamId" in of
      ? sql<boolean>`${sql.ref(column)} is not null and team_id = ${of.teamId}`
      : sql<boolean>`${sql.ref(column)} < ${of.before}`;
  const players = await db
    .selectFrom("players")
    .select("id")
    .where(since("removed_at"))
    .where("erased_at", "is", null)
    .limit(most)
    .execute();
  const playerIds = players.map(({ id }) => id);
  const erased = await erasePlayers(db, playerIds, now);
  const counts = [playerIds.length];
  for (const table of ["schedules", "layouts", "playlists"] as const) {
    const old = db.selectFrom(table).select("id").where(since("deleted_at")).limit(most);
    const { numDeletedRows } = await db.deleteFrom(table).where("id", "in", old).executeTakeFirst();
    counts.push(Number(numDeletedRows));
  }
  await dropOrphans(db);
  const old = db.selectFrom("assets").select("id").where(since("deleted_at")).limit(most);
  const assets = await db
    .deleteFrom("assets")
    .where("id", "in", old)
    .returning(["sha256", "thumbnail_sha256", "original_sha256"])
    .execute();
  const files = assets.flatMap((row) => [row.sha256, row.thumbnail_sha256, row.original_sha256].map((sha256) => ({ sha256 })));
  const isMore = Math.max(...counts, assets.length) === most;
  return { files: [...files, ...erased.files], playerIds, events: erased.events, isMore };
}

/** Deletes schedules in the bin that cannot come back, since their layout is gone for good. */
async function dropOrphans(db: Db): Promise<void> {
  const layouts = db.selectFrom("layouts").select("id");
  await db.deleteFrom("schedules").where("deleted_at", "is not", null).where("layout_id", "not in", layouts).execute();
}

/** Takes what is to be told of what comes back from the bin together with something else. */
type Tell = (event: Omit<NewEvent, "players"> & { players?: readonly string[] }) => void;

/**
 * The player as it comes back from the bin, with its schedules and, from the bin, the layouts that these and it show. A layout
 * that is gone for good is taken from it.
 */
export async function restorePlayer(
  db: Db,
  row: PlayerRow,
  now: number,
  tell: Tell,
): Promise<{ player: PlayerRow; schedules: ScheduleRow[] }> {
  const isThere = row.layout_id !== null && (await bringLayout(db, row.layout_id, now, tell));
  const player = { ...row, layout_id: isThere ? row.layout_id : null, removed_at: null, updated_at: now };
  await db.updateTable("players").set(player).where("id", "=", row.id).execute();
  await updateTagIndex(db, [player]);
  const own = await db.selectFrom("schedules").selectAll().where("deleted_with", "=", row.id).execute();
  const schedules: ScheduleRow[] = [];
  for (const schedule of own) schedules.push(await restoreSchedule(db, schedule, now, tell));
  return { player, schedules };
}

/** The schedule as it comes back from the bin, with its layout. */
export async function restoreSchedule(db: Db, row: ScheduleRow, now: number, tell: Tell): Promise<ScheduleRow> {
  await bringLayout(db, row.layout_id, now, tell);
  const next = { ...row, deleted_at: null, deleted_with: null, updated_at: now };
  await db.updateTable("schedules").set(next).where("id", "=", row.id).execute();
  return next;
}

/** Takes a layout out of the bin, if it is there. @returns whether there is such a layout. */
async function bringLayout(db: Db, layoutId: string, now: number, tell: Tell): Promise<boolean> {
  const layout = await db.selectFrom("layouts").selectAll().where("id", "=", layoutId).executeTakeFirst();
  if (layout !== undefined && layout.deleted_at !== null) {
    const { id: layout_id, team_id: teamId, name } = await restoreLayout(db, layout, now, tell);
    tell({ teamId, type: "layout.restored", data: { layout_id, name } });
  }
  return layout !== undefined;
}

/** The playlist as it comes back from the bin, with its assets that are in the bin; items whose asset is gone for good are gone. */
export async function restorePlaylist(db: Db, row: PlaylistRow, now: number, tell: Tell): Promise<PlaylistRow> {
  const items = parseItems(row.items);
  const known = new Set<string>();
  for (const part of inChunks([...new Set(items.flatMap(assetIdsOf))])) {
    for (const { id } of await db.selectFrom("assets").select("id").where("id", "in", part).execute()) known.add(id);
    const back = db.updateTable("assets").set({ deleted_at: null }).where("id", "in", part).where("deleted_at", "is not", null);
    for (const asset of await back.returningAll().execute()) tell(assetEvent("asset.restored", asset));
  }
  const kept = items.filter((item) => assetIdsOf(item).every((assetId) => known.has(assetId)));
  const next = { ...row, items: JSON.stringify(kept), deleted_at: null, updated_at: now };
  await db.updateTable("playlists").set(next).where("id", "=", row.id).execute();
  return next;
}

/**
 * The layout as it comes back from the bin: playlists that it shows and that were deleted since come back with it, and a
 * zone whose playlist is gone for good is empty.
 */
export async function restoreLayout(db: Db, row: LayoutRow, now: number, tell: Tell): Promise<LayoutRow> {
  const zones = parseZones(row.zones);
  const wanted = [...new Set(zones.flatMap((zone) => zone.playlist_id ?? []))];
  const there = wanted.length === 0 ? [] : await db.selectFrom("playlists").selectAll().where("id", "in", wanted).execute();
  for (const playlist of there) {
    if (playlist.deleted_at === null) continue;
    const { id: playlist_id, team_id: teamId, name } = await restorePlaylist(db, playlist, now, tell);
    tell({ teamId, type: "playlist.restored", data: { playlist_id, name } });
  }
  const known = new Set(there.map((playlist) => playlist.id));
  const kept = zones.map((zone) => (zone.playlist_id !== null && known.has(zone.playlist_id) ? zone : { ...zone, playlist_id: null }));
  const next = { ...row, zones: JSON.stringify(kept), deleted_at: null, updated_at: now };
  await db.updateTable("layouts").set(next).where("id", "=", row.id).execute();
  return next;
}
