// Imports playlists from a table in one transaction: all lines, or those without faults if that is wanted.
import { contentEvent } from "../content/content-event.ts";
import { inTurns } from "../../base/async/in-turns.ts";
import type { Clock } from "../../base/clock.ts";
import type { PlaylistItem } from "../../protocol/content/items.ts";
import type { ImportFault, PlaylistImport, PlaylistImportResult } from "../../protocol/operator/csv-imports.ts";
import { timeZoneRulesOrUtc } from "../../schedule/calendar/time-zone.ts";
import { parseItems } from "../content/content-columns.ts";
import { layoutsShowing, playersShowing } from "../fleet/state/players-showing.ts";
import { ProblemError } from "../http/problem.ts";
import { assignItemIds } from "../content/playlist-items.ts";
import type { Change, WriteEvent } from "../operations/unit-of-work.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { PlaylistRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { columnOf, itemOfLine, playlistColumns, type ItemOfLine, type KnownAsset, type KnownAssets } from "./playlist-lines.ts";
import { listed, readTable, rejected, type TableLine } from "./table.ts";

interface ImportDependencies {
  clock: Clock;
  makeId: MakeId;
}

const mostItems = 1_000;

export async function importPlaylists(
  { clock, makeId }: ImportDependencies,
  db: Db,
  teamId: string,
  { csv, when_exists, timezone, skip_faulty }: PlaylistImport,
): Promise<Change<PlaylistImportResult>> {
  const { lines } = readTable(csv, { known: playlistColumns, needed: ["playlist"] });
  const cellsOf = new Map(lines.map(({ line, cells }) => [line, cells]));
  const assets = await assetsNamed(db, teamId, lines);
  const zone = timeZoneRulesOrUtc(timezone);
  const faults: ImportFault[] = [];
  const wanted: ItemOfLine[] = [];
  for await (const line of inTurns(lines)) {
    const read = itemOfLine(line, assets, zone);
    if ("faults" in read) faults.push(...read.faults);
    else wanted.push(read);
  }
  const now = Math.trunc(clock.now());
  const playlists: PlaylistImportResult["playlists"] = [];
  const events: WriteEvent[] = [];
  const affected = new Map<string, PlayerRow>();
  for (const [name, all] of Map.groupBy(wanted, ({ playlist }) => playlist)) {
    const { row, fault } = await rowNamed(db, teamId, name, when_exists, all[0]!.line);
    if (fault !== null) {
      faults.push(fault);
      continue;
    }
    const before = row === null ? [] : parseItems(row.items);
    const kept = when_exists === "append" ? before : [];
    const fitting = all.slice(0, mostItems - kept.length);
    for (const { line } of all.slice(fitting.length)) {
      faults.push({ line, column: "playlist", detail: `a playlist has at most ${mostItems} items: use another playlist` });
    }
    const made = await itemsWithIds(db, makeId, teamId, { kept, before, fitting, cellsOf });
    faults.push(...made.faults);
    if (made.items === null) continue;
    const { line } = all[0]!;
    const items = JSON.stringify(made.items);
    if (row !== null && canonicalJson(made.items) === canonicalJson(before)) {
      playlists.push({ id: row.id, name, action: "unchanged", item_count: made.items.length, line });
      continue;
    }
    const next: PlaylistRow = {
      id: row?.id ?? makeId("pls"),
      team_id: teamId,
      name,
      items,
      created_at: row?.created_at ?? now,
      updated_at: now,
      deleted_at: null,
    };
    if (row === null) await db.insertInto("playlists").values(next).execute();
    else await db.updateTable("playlists").set(next).where("id", "=", row.id).execute();
    for (const player of row === null ? [] : await playersOf(db, teamId, row.id)) affected.set(player.id, player);
    events.push(contentEvent(row === null ? "playlist.created" : "playlist.updated", next));
    playlists.push({ id: next.id, name, action: row === null ? "created" : "changed", item_count: made.items.length, line });
  }
  if (faults.length > 0 && !skip_faulty) throw rejected(faults);
  return { result: { playlists, ...listed(faults) }, affected: [...affected.values()], events };
}

/** The files that the lines name by id or by name, under both, names in lower case. */
async function assetsNamed(db: Db, teamId: string, lines: readonly TableLine[]): Promise<KnownAssets> {
  const wanted = new Set(
    lines
      .flatMap(({ cells }) => [cells.get("file"), cells.get("artwork")])
      .flatMap((cell) => (cell === undefined ? [] : [cell.toLowerCase()])),
  );
  const known = new Map<string, KnownAsset[]>();
  if (wanted.size === 0) return known;
  // Names are compared in JavaScript, since databases ignore case in different ways.
  const rows = await db
    .selectFrom("assets")
    .select(["id", "name", "kind"])
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .execute();
  for (const row of rows) {
    if (wanted.has(row.id)) known.set(row.id, [row]);
    const name = row.name.toLowerCase();
    if (wanted.has(name)) known.set(name, [...(known.get(name) ?? []), row]);
  }
  return known;
}

async function rowNamed(
  db: Db,
  teamId: string,
  name: string,
  whenExists: PlaylistImport["when_exists"],
  line: number,
): Promise<{ row: PlaylistRow | null; fault: ImportFault | null }> {
  if (whenExists === "create") return { row: null, fault: null };
  const rows = await db
    .selectFrom("playlists")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .where("name", "=", name)
    .execute();
  if (rows.length < 2) return { row: rows[0] ?? null, fault: null };
  return { row: null, fault: { line, column: "playlist", detail: `${rows.length} playlists have this name: rename all but one of them` } };
}

interface Making {
  /** Items that stay before the new ones. */
  kept: readonly PlaylistItem[];
  /** The playlist as it is: equal items keep their ids. */
  before: readonly PlaylistItem[];
  fitting: readonly ItemOfLine[];
  cellsOf: ReadonlyMap<number, ReadonlyMap<string, string>>;
}

/** The items of a playlist, without those that are refused only together with the others, such as all of them being limited. */
async function itemsWithIds(
  db: Db,
  makeId: MakeId,
  teamId: string,
  { kept, before, fitting, cellsOf }: Making,
): Promise<{ items: PlaylistItem[] | null; faults: ImportFault[] }> {
  const faults: ImportFault[] = [];
  let left = fitting;
  while (left.length > 0) {
    try {
      const sent = [...kept, ...left.map(({ item }) => item)];
      return { items: await assignItemIds(db, makeId, teamId, sent, before), faults };
    } catch (error) {
      if (!(error instanceof ProblemError) || error.errors.length === 0) throw error;
      const refused = new Set<ItemOfLine>();
      for (const { pointer, detail } of error.errors) {
        const [, , index, ...path] = pointer.split("/");
        const source = left[Number(index) - kept.length];
        if (source === undefined) throw error;
        refused.add(source);
        faults.push({ line: source.line, column: columnOf(path, cellsOf.get(source.line)!), detail });
      }
      left = left.filter((each) => !refused.has(each));
    }
  }
  return { items: null, faults };
}

async function playersOf(db: Db, teamId: string, playlistId: string): Promise<PlayerRow[]> {
  const layouts = await layoutsShowing(db, teamId, playlistId);
  return playersShowing(
    db,
    teamId,
    layouts.map(({ id }) => id),
  );
}
