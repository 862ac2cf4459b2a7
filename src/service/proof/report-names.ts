// The present names of the things that a report counts: players, layouts, schedules, assets and items.
import type { PlaylistItem } from "../../protocol/content/items.ts";
import type { PlayReportRow } from "../../protocol/device/play-events.ts";
import { parseItems } from "../content/content-columns.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { PlayCount } from "./play-report.ts";

type Named = "players" | "assets" | "layouts" | "schedules";
const maxText = 80;

/** Finds names, each at most once. It belongs to one report. */
export class ReportNames {
  readonly #db: Db;
  readonly #teamId: string;
  readonly #known = new Map<Named, Map<string, string | null>>();
  #items: Map<string, string> | null = null;

  constructor(db: Db, teamId: string) {
    this.#db = db;
    this.#teamId = teamId;
  }

  /** Adds to each row the names that belong to its ids. */
  async addTo(rows: readonly PlayCount[]): Promise<PlayReportRow[]> {
    const [players, assets, layouts, schedules] = await Promise.all([
      this.of(
        "players",
        rows.map((row) => row.player_id),
      ),
      this.of(
        "assets",
        rows.map((row) => row.asset_id),
      ),
      this.of(
        "layouts",
        rows.map((row) => row.layout_id),
      ),
      this.of(
        "schedules",
        rows.map((row) => row.schedule_id),
      ),
    ]);
    const items = rows.some((row) => row.item_id !== undefined) ? await this.#itemNames() : new Map<string, string>();
    const nameIn = (names: ReadonlyMap<string, string | null>, id: string | null): string | null =>
      id === null ? null : (names.get(id) ?? null);
    return rows.map((row) => ({
      ...row,
      ...(row.player_id === undefined ? {} : { player_name: nameIn(players, row.player_id) }),
      ...(row.asset_id === undefined ? {} : { asset_name: nameIn(assets, row.asset_id) }),
      ...(row.layout_id === undefined ? {} : { layout_name: nameIn(layouts, row.layout_id) }),
      ...(row.schedule_id === undefined ? {} : { schedule_name: nameIn(schedules, row.schedule_id) }),
      ...(row.item_id === undefined ? {} : { item_name: nameIn(items, row.item_id) }),
    }));
  }

  /** The names of these ids, where they exist in the team. */
  async of(table: Named, ids: readonly (string | null | undefined)[]): Promise<ReadonlyMap<string, string | null>> {
    const known = this.#known.get(table) ?? new Map<string, string | null>();
    this.#known.set(table, known);
    const missing = [...new Set(ids)].filter((id) => id != null && !known.has(id)) as string[];
    for (const part of inChunks(missing)) {
      for (const id of part) known.set(id, null);
      const rows = await this.#db
        .selectFrom(table)
        .select(["id", "name"])
        .where("team_id", "=", this.#teamId)
        .where("id", "in", part)
        .execute();
      for (const { id, name } of rows) known.set(id, name);
    }
    return known;
  }

  /** The name of an item; null: no playlist has it any more. */
  async ofItem(id: string): Promise<string | null> {
    return (await this.#itemNames()).get(id) ?? null;
  }

  /** Items have no table of their own, so all playlists are read, once. */
  async #itemNames(): Promise<ReadonlyMap<string, string>> {
    if (this.#items !== null) return this.#items;
    const rows = await this.#db.selectFrom("playlists").select("items").where("team_id", "=", this.#teamId).execute();
    const items = rows.flatMap((row) => parseItems(row.items));
    const assets = await this.of("assets", items.map(assetOf));
    this.#items = new Map(items.map((item) => [item.id, nameOf(item, assets)]));
    return this.#items;
  }
}

function assetOf(item: PlaylistItem): string | null {
  return "asset_id" in item ? (item.asset_id ?? null) : null;
}

function nameOf(item: PlaylistItem, assets: ReadonlyMap<string, string | null>): string {
  const name = assets.get(assetOf(item) ?? "");
  if (name != null) return name;
  if ("text" in item) return item.text.slice(0, maxText);
  return "url" in item ? item.url.slice(0, maxText) : item.type;
}
