// Reads everything that determines the desired state of a player, through a cache that many players share, and computes the revision.
import { hash } from "node:crypto";
import { controlCalendarIds } from "../control-calendars.ts";
import { calendarIdsIn, readCalendars, type CalendarDays } from "../../schedule/holiday-calendars.ts";
import { readEnabledSchedules, schedulesForPlayer, type TeamSchedules } from "../../schedule/schedules.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow, ScheduleRow } from "../../store/tables.ts";
import { readContent, uniqueIds, type StateContent } from "./state-content.ts";

/** The data that was read before: contents by the ids of their layouts and assets, schedules, calendars and safe content by team. */
export interface StateCache {
  contents: Map<string, Promise<StateContent>>;
  schedules: Map<string, Promise<TeamSchedules>>;
  calendars: Map<string, Promise<ReadonlyMap<string, CalendarDays>>>;
  /** The safe content of teams. */
  safeAssets: Map<string, Promise<string | null>>;
}

export interface StateInputs {
  content: StateContent;
  schedules: ScheduleRow[];
  calendars: CalendarDays[];
  /** The image in place of withheld content: the player's own, else the team's. */
  safeAssetId: string | null;
  revision: string;
}

/** The layouts and assets of a player's overrides. */
export type Overrides = readonly { layout_id: string | null; asset_id: string | null }[];

// One layout may be on ten thousand players, but few layouts are in use at the same time.
const maxCached = 200;

export function emptyCache(): StateCache {
  return { contents: new Map(), schedules: new Map(), calendars: new Map(), safeAssets: new Map() };
}

/** Does not assemble the state's document, since revisions are computed for ten thousand players at a time. */
export async function readStateInputs(db: Db, player: PlayerRow, overrides: Overrides, cache: StateCache): Promise<StateInputs> {
  const all = await readOnce(cache.schedules, player.team_id, () => readEnabledSchedules(db, player.team_id));
  const schedules = schedulesForPlayer(all, player);
  const layoutIds = [player.layout_id, ...schedules.map(({ layout_id }) => layout_id), ...overrides.map(({ layout_id }) => layout_id)];
  const safeAssetId = player.safe_asset_id ?? (await readOnce(cache.safeAssets, player.team_id, () => readSafeAsset(db, player.team_id)));
  const ids = {
    layoutIds: uniqueIds(layoutIds),
    assetIds: uniqueIds([safeAssetId, ...overrides.map(({ asset_id }) => asset_id)]),
  };
  const content = await readOnce(cache.contents, `${player.team_id} ${JSON.stringify(ids)}`, () => readContent(db, player.team_id, ids));
  const calendars = await readCalendarsOf(db, player, schedules, content, cache);
  const revision = revisionOf({ ...player, safe_asset_id: safeAssetId }, content, schedules, calendars);
  return { content, schedules, calendars, safeAssetId, revision };
}

/** The overrides of each player. */
export async function readOverrides(db: Db, playerIds: readonly string[]): Promise<Map<string, Overrides>> {
  const rows = await db
    .selectFrom("overrides")
    .select(["player_id", "layout_id", "asset_id"])
    .where("player_id", "in", playerIds)
    .execute();
  return Map.groupBy(rows, (row) => row.player_id);
}

async function readSafeAsset(db: Db, teamId: string): Promise<string | null> {
  const team = await db.selectFrom("teams").select("safe_asset_id").where("id", "=", teamId).executeTakeFirst();
  return team?.safe_asset_id ?? null;
}

/** The calendars that the player's schedules, items, display hours and recurring commands refer to, by id. */
async function readCalendarsOf(
  db: Db,
  player: PlayerRow,
  schedules: readonly ScheduleRow[],
  { calendarIds }: StateContent,
  cache: StateCache,
): Promise<CalendarDays[]> {
  const ids = uniqueIds([...schedules.flatMap(calendarIdsIn), ...calendarIds, ...controlCalendarIds(player)]);
  if (ids.length === 0) return [];
  const all = await readOnce(cache.calendars, player.team_id, () => readCalendars(db, player.team_id));
  return ids.flatMap((id) => all.get(id) ?? []);
}

/** A digest of everything in the state. Uses JSON columns as they are stored. */
function revisionOf(
  player: PlayerRow,
  { digest, layouts }: StateContent,
  schedules: readonly ScheduleRow[],
  calendars: readonly CalendarDays[],
): string {
  const { id, name, timezone, tags, variables, orientation, wall } = player;
  const layoutId = layouts.some((layout) => layout.id === player.layout_id) ? player.layout_id : null;
  const scheduleValues = schedules.map((row) => [row.id, row.name, row.layout_id, row.timing]);
  const values = [id, name, timezone, tags, variables, orientation, wall, layoutId, digest, scheduleValues];
  // Omitted when empty, so that revisions from versions without these fields stay the same.
  if (calendars.length > 0) values.push(calendars.map((calendar) => [calendar.id, calendar.digest]));
  if (player.safe_asset_id !== null) values.push(player.safe_asset_id);
  if (player.downloads !== null) values.push(player.downloads);
  if (player.release !== null) values.push(`release ${player.release}`);
  if (player.display_hours !== null) values.push(`display hours ${player.display_hours}`);
  if (player.recurring_commands !== "[]") values.push(`recurring commands ${player.recurring_commands}`);
  if (player.screenshots !== null) values.push(`screenshots ${player.screenshots}`);
  return hash("sha256", JSON.stringify(values), "base64url");
}

function readOnce<T>(cache: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const reading = read();
  cache.set(key, reading);
  // The callers handle a failure. Remove it from the cache, so that the next caller reads again.
  reading.catch(() => cache.delete(key));
  if (cache.size > maxCached) cache.delete(cache.keys().next().value!);
  return reading;
}
