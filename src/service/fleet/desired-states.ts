// What each screen should show, as one document with a revision, and who is affected by a write.
import { hash } from "node:crypto";
import { sql } from "kysely";
import { DesiredLayout, type DesiredState, type DesiredAsset, type DesiredPlaylist } from "../../protocol/device/desired-state.ts";
import { assetIdsOf, PlaylistItem } from "../../protocol/content/items.ts";
import { Zone } from "../../protocol/operator/resources.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";
import { withWallTimes, type StartAndEnd } from "../../schedule/calendar/moments.ts";
import { calendarIdsIn, readCalendars, type CalendarDays } from "../schedule/holiday-calendars.ts";
import {
  targetedPlayers,
  readEnabledSchedules,
  schedulesForPlayer,
  schedulesShowing,
  targetOf,
  type TeamSchedules,
} from "../schedule/schedules.ts";
import { Orientation } from "../../protocol/content/orientation.ts";
import { Transition } from "../../protocol/content/transition.ts";
import type { Wall } from "../../protocol/content/wall.ts";
import { digestOf } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import { isStored, type StoredAssetRow } from "../content/asset-rows.ts";
import type { LayoutRow, PlayerRow, ScheduleRow } from "../store/tables.ts";
import { inChunks } from "../store/chunks.ts";

/** What layouts bring with them: the same for every player that shows the same ones. */
type Content = Pick<DesiredState, "layouts" | "playlists" | "assets">;

/** A player whose desired state has a new revision. */
export interface RevisionChange {
  playerId: string;
  revision: string;
}

// One layout may serve ten thousand players; few layouts are in use at a time.
const maxKept = 200;

export class DesiredStates {
  // Cleared by every write that could change it, so what is in it is true.
  #known: Known = nothingKnown();

  /** The document of a player. Not for use inside a transaction. */
  read(db: Db, player: PlayerRow): Promise<DesiredState> {
    return this.#of(db, player, this.#known);
  }

  /** The same by the sight of a transaction that is still open, and may be rolled back. */
  readInTransaction(db: Db, player: PlayerRow): Promise<DesiredState> {
    return this.#of(db, player, nothingKnown());
  }

  async #of(db: Db, player: PlayerRow, knowledge: Parameters<typeof lookUp>[3]): Promise<DesiredState> {
    const overrides = await readOverrides(db, [player.id]);
    const { content, schedules, calendars, revision } = await lookUp(db, player, overrides.get(player.id) ?? [], knowledge);
    const { id, name, timezone, layout_id } = player;
    const given = { tags: JSON.parse(player.tags) as string[], variables: JSON.parse(player.variables) as Variables };
    const more = { ...given, ...turned(player), ...(player.wall === null ? {} : { wall: JSON.parse(player.wall) as Wall }) };
    return {
      revision,
      player: { id, name, timezone, ...more },
      layout: content.layouts.find((layout) => layout.id === layout_id) ?? null,
      layouts: content.layouts.filter((layout) => layout.id !== layout_id),
      playlists: content.playlists,
      assets: content.assets,
      schedules: schedules.map(showToPlayer),
      ...(calendars.length === 0
        ? {}
        : { calendars: calendars.map(({ id: calendarId, dates }) => ({ id: calendarId, dates: [...dates] })) }),
    };
  }

  /** Forgets what it knows of the layouts: to be called when a transaction that changes them has ended. */
  clearCache(): void {
    this.#known = nothingKnown();
  }

  /**
   * Brings the revisions of `players` up to date, inside the transaction that changed what they show.
   * @returns those that moved.
   */
  async updateRevisions(db: Db, players: readonly PlayerRow[]): Promise<RevisionChange[]> {
    // Not the shared knowledge: that is read outside, on a connection that waits for this transaction.
    const known = nothingKnown();
    const moved: RevisionChange[] = [];
    for (const part of inChunks(players)) {
      const overrides = await readOverrides(
        db,
        part.map(({ id }) => id),
      );
      for (const player of part) {
        const { revision } = await lookUp(db, player, overrides.get(player.id) ?? [], known);
        if (revision !== player.revision) moved.push({ playerId: player.id, revision });
      }
    }
    for (const part of inChunks(moved)) {
      const ids = part.map(({ playerId }) => playerId);
      const rows = part.map(({ playerId, revision }) => sql`(cast(${playerId} as text), cast(${revision} as text))`);
      // The ids once more, so that only these players are looked at.
      await sql`with moved (id, revision) as (values ${sql.join(rows)})
        update players set revision = (select moved.revision from moved where moved.id = players.id)
        where players.id in (${sql.join(ids)})`.execute(db);
    }
    return moved;
  }
}

/** What was read already: contents by the ids in them, schedules and calendars by team. */
interface Known {
  contents: Map<string, Promise<KnownContent>>;
  schedules: Map<string, Promise<TeamSchedules>>;
  calendars: Map<string, Promise<ReadonlyMap<string, CalendarDays>>>;
}

function nothingKnown(): Known {
  return { contents: new Map(), schedules: new Map(), calendars: new Map() };
}

/** With its digest: a document for each of ten thousand players is not digested whole each time. */
type KnownContent = Content & { digest: string };

type Overrides = readonly { layout_id: string | null; asset_id: string | null }[];

/** What a player shows and its revision: for ten thousand at once the documents are not put together. */
async function lookUp(
  db: Db,
  player: PlayerRow,
  overrides: Overrides,
  known: Known,
): Promise<{ content: KnownContent; schedules: ScheduleRow[]; calendars: CalendarDays[]; revision: string }> {
  const all = await once(known.schedules, player.team_id, () => readEnabledSchedules(db, player.team_id));
  const schedules = schedulesForPlayer(all, player);
  const layoutIds = [player.layout_id, ...schedules.map(({ layout_id }) => layout_id), ...overrides.map(({ layout_id }) => layout_id)];
  const named = {
    layoutIds: unique(layoutIds),
    assetIds: unique(overrides.map(({ asset_id }) => asset_id)),
  };
  const content = await once(known.contents, `${player.team_id} ${JSON.stringify(named)}`, () => readContent(db, player.team_id, named));
  const calendars = await calendarsAskedFor(db, player.team_id, schedules, known);
  return { content, schedules, calendars, revision: revisionOf(player, content, schedules, calendars) };
}

/** The calendars that conditions of `schedules` name, in the order of their age. */
async function calendarsAskedFor(db: Db, teamId: string, schedules: readonly ScheduleRow[], known: Known): Promise<CalendarDays[]> {
  const ids = unique(schedules.flatMap(calendarIdsIn));
  if (ids.length === 0) return [];
  const all = await once(known.calendars, teamId, () => readCalendars(db, teamId));
  return ids.flatMap((id) => all.get(id) ?? []);
}

/** A digest of all that the document says. What is stored as text is taken as it is stored. */
function revisionOf(
  player: PlayerRow,
  { digest, layouts }: KnownContent,
  schedules: readonly ScheduleRow[],
  calendars: readonly CalendarDays[],
): string {
  const { id, name, timezone, tags, variables, orientation, wall } = player;
  const layoutId = layouts.some((layout) => layout.id === player.layout_id) ? player.layout_id : null;
  const texts = schedules.map((row) => [row.id, row.name, row.layout_id, row.timing]);
  const said = [id, name, timezone, tags, variables, orientation, wall, layoutId, digest, texts];
  // Left out where there are none: the revisions that players have stay true.
  if (calendars.length > 0) said.push(calendars.map((calendar) => [calendar.id, calendar.digest]));
  return hash("sha256", JSON.stringify(said), "base64url");
}

/** What overrides show, by player. */
async function readOverrides(db: Db, playerIds: readonly string[]): Promise<Map<string, Overrides>> {
  const rows = await db
    .selectFrom("overrides")
    .select(["player_id", "layout_id", "asset_id"])
    .where("player_id", "in", playerIds)
    .execute();
  return Map.groupBy(rows, (row) => row.player_id);
}

/** The usual orientation is left out: it is what a player takes without. */
function turned({ orientation }: PlayerRow): { orientation?: Orientation } {
  return orientation === "landscape" ? {} : { orientation: Orientation.parse(orientation) };
}

function showToPlayer({ id, name, layout_id, timing }: ScheduleRow): Record<string, unknown> {
  const told = JSON.parse(timing) as StartAndEnd;
  return { id, name, layout_id, ...told, ...withWallTimes(told) };
}

function unique(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))].toSorted();
}

function once<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const before = known.get(key);
  if (before !== undefined) return before;
  const reading = read();
  known.set(key, reading);
  // A failed read is told to whoever asked; the next one reads again.
  reading.catch(() => known.delete(key));
  if (known.size > maxKept) known.delete(known.keys().next().value!);
  return reading;
}

/** Players that show one of `layoutIds`: always, by a schedule or by an override. */
export async function playersShowing(db: Db, teamId: string, layoutIds: readonly string[]): Promise<PlayerRow[]> {
  if (layoutIds.length === 0) return [];
  const assigned = await db
    .selectFrom("players")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("removed_at", "is", null)
    .where((where) =>
      where.or([
        where("layout_id", "in", layoutIds),
        where("id", "in", where.selectFrom("overrides").select("player_id").where("overrides.layout_id", "in", layoutIds)),
      ]),
    )
    .execute();
  const scheduled = await targetedPlayers(db, teamId, (await schedulesShowing(db, teamId, layoutIds)).map(targetOf));
  return [...new Map([...assigned, ...scheduled].map((row) => [row.id, row])).values()];
}

/** Layouts with a zone that shows `playlistId`. */
export async function layoutsShowing(db: Db, teamId: string, playlistId: string): Promise<{ id: string; name: string }[]> {
  // The text finds candidates quickly on both engines; the parsed zones decide.
  const rows = await db
    .selectFrom("layouts")
    .select(["id", "name", "zones"])
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .where("zones", "like", `%${playlistId}%`)
    .execute();
  return rows.filter((row) => parseZones(row.zones).some((zone) => zone.playlist_id === playlistId));
}

/** Zones as they were stored. */
export function parseZones(json: string): Zone[] {
  return Zone.array().parse(JSON.parse(json));
}

/** A transition as it was stored. */
export function parseTransition(json: string | null): Transition | null {
  return json === null ? null : Transition.parse(JSON.parse(json));
}

/** Items as they were stored. */
export function parseItems(json: string): PlaylistItem[] {
  return PlaylistItem.array().parse(JSON.parse(json));
}

async function readContent(db: Db, teamId: string, named: { layoutIds: string[]; assetIds: string[] }): Promise<KnownContent> {
  const rows = await readInParts(named.layoutIds, (ids) =>
    db.selectFrom("layouts").selectAll().where("team_id", "=", teamId).where("deleted_at", "is", null).where("id", "in", ids).execute(),
  );
  const layouts = rows.map(layoutOf).toSorted(byId);
  const playlists = await readPlaylists(db, teamId, layouts);
  const backgrounds = rows.flatMap(({ background_asset_id }) => background_asset_id ?? []);
  const content = { layouts, playlists, assets: await readAssets(db, teamId, playlists, [...named.assetIds, ...backgrounds]) };
  return { ...content, digest: digestOf(content) };
}

function layoutOf(row: LayoutRow): DesiredLayout {
  const looks = { background_asset_id: row.background_asset_id ?? undefined, transition: parseTransition(row.transition) ?? undefined };
  return DesiredLayout.parse({ ...row, ...looks, zones: parseZones(row.zones) });
}

/** All that `read` finds for some of the ids at a time. */
async function readInParts<T>(ids: readonly string[], read: (ids: string[]) => Promise<T[]>): Promise<T[]> {
  const found: T[] = [];
  for (const part of inChunks(ids)) found.push(...(await read(part)));
  return found;
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

async function readPlaylists(db: Db, teamId: string, layouts: readonly DesiredLayout[]): Promise<DesiredPlaylist[]> {
  const ids = unique(layouts.flatMap(({ zones }) => zones.map((zone) => zone.playlist_id)));
  const rows = await readInParts(ids, (part) =>
    db
      .selectFrom("playlists")
      .select(["id", "items"])
      .where("team_id", "=", teamId)
      .where("deleted_at", "is", null)
      .where("id", "in", part)
      .execute(),
  );
  return rows.map((row) => ({ id: row.id, items: parseItems(row.items) })).toSorted(byId);
}

async function readAssets(
  db: Db,
  teamId: string,
  playlists: readonly DesiredPlaylist[],
  others: readonly string[],
): Promise<DesiredAsset[]> {
  const shown = playlists.flatMap(({ items }) => items.flatMap(assetIdsOf));
  const rows = await readInParts(unique([...shown, ...others]), (ids) =>
    db.selectFrom("assets").selectAll().where("team_id", "=", teamId).where("id", "in", ids).execute(),
  );
  return rows.filter(isStored).map(show).toSorted(byId);
}

function show({ id, sha256, size_bytes, mime_type, duration_ms, page_count, width, height }: StoredAssetRow): DesiredAsset {
  const pages = page_count === null ? {} : { page_count };
  return { id, sha256, size_bytes, mime_type, duration_ms, ...pages, width, height, url: `/api/v1/device/assets/${sha256}` };
}
