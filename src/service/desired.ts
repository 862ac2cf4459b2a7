// What each screen should show, as one document with a revision, and who is affected by a write.
import { DesiredLayout, type Desired, type DesiredAsset, type DesiredPlaylist } from "../protocol/desired.ts";
import { PlaylistItem } from "../protocol/items.ts";
import { Orientation } from "../protocol/orientation.ts";
import { Zone } from "../protocol/resources.ts";
import { Transition } from "../protocol/transition.ts";
import { digestOf } from "./stable.ts";
import type { Db } from "./store.ts";
import type { AssetRow, PlayerRow } from "./tables.ts";

/** What a layout brings with it: the same for every player it is assigned to. */
type Content = Pick<Desired, "layout" | "playlists" | "assets">;

/** A player whose desired state has a new revision. */
export interface Moved {
  playerId: string;
  revision: string;
}

const nothing: Content = { layout: null, playlists: [], assets: [] };
// One layout may serve ten thousand players; few layouts are in use at a time.
const mostKept = 200;

export class DesiredStates {
  // Cleared by every write that could change it, so what is in it is true.
  readonly #contents: Contents = new Map();

  /** The document of a player. Not for use inside a transaction. */
  async of(db: Db, player: PlayerRow): Promise<Desired> {
    return document(player, await contentOf(db, player, this.#contents));
  }

  /** Forgets what it knows of the layouts: to be called when a transaction that changes them has ended. */
  forget(): void {
    this.#contents.clear();
  }

  /**
   * Brings the revisions of `players` up to date, inside the transaction that changed what they show.
   * @returns those that moved.
   */
  async refresh(db: Db, players: readonly PlayerRow[]): Promise<Moved[]> {
    // Not the shared contents: those are read outside, on a connection that waits for this transaction.
    const contents: Contents = new Map();
    const moved: Moved[] = [];
    for (const player of players) {
      const { revision } = document(player, await contentOf(db, player, contents));
      if (revision === player.revision) continue;
      await db.updateTable("players").set({ revision }).where("id", "=", player.id).execute();
      moved.push({ playerId: player.id, revision });
    }
    return moved;
  }
}

type Contents = Map<string, Promise<Content>>;

function document(player: PlayerRow, content: Content): Desired {
  const rest = { player: { id: player.id, name: player.name, timezone: player.timezone, ...turned(player) }, ...content };
  return { revision: digestOf(rest), ...rest };
}

/** The usual orientation is left out: it is what a player takes without. */
function turned({ orientation }: PlayerRow): { orientation?: Orientation } {
  return orientation === "landscape" ? {} : { orientation: Orientation.parse(orientation) };
}

function contentOf(db: Db, player: PlayerRow, contents: Contents): Promise<Content> {
  const key = player.layout_id;
  if (key === null) return Promise.resolve(nothing);
  const known = contents.get(key);
  if (known !== undefined) return known;
  const content = readContent(db, player.team_id, key);
  contents.set(key, content);
  // A failed read is told to whoever asked; the next one reads again.
  content.catch(() => contents.delete(key));
  if (contents.size > mostKept) contents.delete(contents.keys().next().value!);
  return content;
}

/** Players that show one of `layoutIds`. */
export async function playersShowing(db: Db, teamId: string, layoutIds: readonly string[]): Promise<PlayerRow[]> {
  if (layoutIds.length === 0) return [];
  return db
    .selectFrom("players")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("removed_at", "is", null)
    .where("layout_id", "in", layoutIds)
    .execute();
}

/** Layouts with a zone that shows `playlistId`. */
export async function layoutsShowing(db: Db, teamId: string, playlistId: string): Promise<{ id: string; name: string }[]> {
  // The text finds candidates quickly on both engines; the parsed zones decide.
  const rows = await db
    .selectFrom("layouts")
    .select(["id", "name", "zones"])
    .where("team_id", "=", teamId)
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

async function readContent(db: Db, teamId: string, layoutId: string): Promise<Content> {
  const row = await db.selectFrom("layouts").selectAll().where("team_id", "=", teamId).where("id", "=", layoutId).executeTakeFirst();
  if (row === undefined) return nothing;
  const looks = { background_asset_id: row.background_asset_id ?? undefined, transition: parseTransition(row.transition) ?? undefined };
  const layout = DesiredLayout.parse({ ...row, ...looks, zones: parseZones(row.zones) });
  const playlists = await readPlaylists(db, teamId, layout);
  const more = row.background_asset_id === null ? [] : [row.background_asset_id];
  return { layout, playlists, assets: await readAssets(db, teamId, playlists, more) };
}

async function readPlaylists(db: Db, teamId: string, layout: DesiredLayout): Promise<DesiredPlaylist[]> {
  const ids = layout.zones.flatMap((zone) => zone.playlist_id ?? []);
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("playlists")
    .select(["id", "items"])
    .where("team_id", "=", teamId)
    .where("id", "in", [...new Set(ids)])
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ id: row.id, items: parseItems(row.items) }));
}

async function readAssets(db: Db, teamId: string, playlists: readonly DesiredPlaylist[], more: string[]): Promise<DesiredAsset[]> {
  const shown = playlists.flatMap(({ items }) => items.flatMap((item) => ("asset_id" in item ? item.asset_id : [])));
  const ids = [...new Set([...shown, ...more])];
  const assets: DesiredAsset[] = [];
  // In parts: SQLite and PostgreSQL both bound the number of parameters.
  for (let first = 0; first < ids.length; first += 500) {
    const rows = await db
      .selectFrom("assets")
      .selectAll()
      .where("team_id", "=", teamId)
      .where("id", "in", ids.slice(first, first + 500))
      .execute();
    assets.push(...rows.map(show));
  }
  return assets.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function show({ id, sha256, size_bytes, mime_type, duration_ms, width, height }: AssetRow): DesiredAsset {
  return { id, sha256, size_bytes, mime_type, duration_ms, width, height, url: `/api/v1/device/assets/${sha256}` };
}
