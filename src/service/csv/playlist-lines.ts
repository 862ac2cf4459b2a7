// Makes items of playlists from the lines of a table. Knows files by their ids and names, but no playlists.
import { z } from "zod";
import { isId, Name } from "../../protocol/common.ts";
import type { AssetKind } from "../../protocol/content/assets.ts";
import { typeOfAsset } from "../../protocol/content/item-kinds.ts";
import { NewPlaylistItem } from "../../protocol/content/items.ts";
import type { ImportFault } from "../../protocol/operator/csv-imports.ts";
import type { TimeZoneRules } from "../../schedule/calendar/time-zone.ts";
import { validate } from "../http/input/errors.ts";
import type { TableLine } from "./table.ts";
import { durationOf, instantOf, openingOf, valueFor } from "./values.ts";

type Shape = Readonly<Record<string, z.ZodType>>;
const shapes = new Map<string, Shape>(NewPlaylistItem.options.map(({ shape }) => [shape.type.value, shape]));

/** Columns that stand for fields with other names, so that people can write them by hand. */
const fieldOfColumn: Readonly<Record<string, string>> = {
  file: "asset_id",
  artwork: "artwork_asset_id",
  duration: "duration_ms",
  days: "dayparts",
  from: "dayparts",
  until: "dayparts",
};
/** Given by other columns, or never. */
const ownFields = new Set(["id", "type", "dayparts"]);

/** All columns that a table of playlists may have. */
export const playlistColumns: readonly string[] = [
  "playlist",
  "type",
  ...Object.keys(fieldOfColumn),
  ...new Set([...shapes.values()].flatMap((shape) => Object.keys(shape).filter((name) => !ownFields.has(name)))),
];

/** A file of the team. */
export interface KnownAsset {
  id: string;
  name: string;
  kind: AssetKind | null;
}

/** Files by id and by name; a name that several have is listed with all of them. */
export type KnownAssets = ReadonlyMap<string, readonly KnownAsset[]>;

/** An item with the line that it comes from. */
export interface ItemOfLine {
  line: number;
  playlist: string;
  item: NewPlaylistItem;
}

/** The item of a line, or why there is none. */
export function itemOfLine({ line, cells }: TableLine, assets: KnownAssets, zone: TimeZoneRules): ItemOfLine | { faults: ImportFault[] } {
  const faults: ImportFault[] = [];
  const fault = (column: string | null, detail: string): void => void faults.push({ line, column, detail });
  const name = Name.safeParse(cells.get("playlist") ?? "");
  if (!name.success) fault("playlist", "must be the name of a playlist");
  const fields: Record<string, unknown> = {};
  let kind: AssetKind | null = null;
  for (const column of ["file", "artwork"] as const) {
    const cell = cells.get(column);
    if (cell === undefined) continue;
    const found = assetOf(cell, assets);
    if (typeof found === "string") fault(column, found);
    else {
      fields[fieldOfColumn[column]!] = found.id;
      if (column === "file") kind = found.kind;
    }
  }
  const type = cells.get("type")?.toLowerCase() ?? (kind === null ? undefined : typeOfAsset[kind]);
  const shape = type === undefined ? undefined : shapes.get(type);
  if (type === undefined && faults.length === 0) fault("type", `must be one of ${[...shapes.keys()].join(", ")}, or give a file`);
  else if (type !== undefined && shape === undefined)
    fault("type", `is ${JSON.stringify(type.slice(0, 100))}: it must be one of ${[...shapes.keys()].join(", ")}`);
  if (shape === undefined) return { faults };
  for (const [column, cell] of cells) readCell(column, cell);
  const hours = openingOf(cells);
  if (hours?.isFaulty === true) fault("days", "must be weekdays such as MO TU WE, or MO-FR");
  if (hours !== undefined) fields["dayparts"] = [hours.opening];
  const validation = validate(NewPlaylistItem, { ...fields, type });
  for (const { path, detail } of "errors" in validation ? validation.errors : []) {
    const column = columnOf(path, cells);
    if (!faults.some((known) => known.column === column)) fault(column, detail);
  }
  return faults.length > 0 || "errors" in validation ? { faults } : { line, playlist: name.data!, item: validation.value };

  function readCell(column: string, cell: string): void {
    if (["playlist", "type", "file", "artwork", "days", "from", "until"].includes(column)) return;
    const field = fieldOfColumn[column] ?? column;
    const schema = shape![field];
    if (schema === undefined) fault(column, `an item of type ${type} has none: leave the cell empty`);
    else if (column === "duration") {
      const ms = durationOf(cell);
      if (ms === null) fault(column, "must be seconds such as 12.5, or minutes and seconds such as 1:05");
      else fields[field] = ms;
    } else if (field === "valid_from" || field === "valid_until") {
      const instant = instantOf(cell, zone);
      if (instant === null)
        fault(column, "must be a date such as 2026-12-24, with a time such as 2026-12-24 18:00, or an instant that ends in Z");
      else fields[field] = instant;
    } else if (field === "transition" && /^[a-z]+$/i.test(cell)) fields[field] = { type: cell.toLowerCase() };
    else fields[field] = valueFor(schema, cell);
  }
}

function assetOf(cell: string, assets: KnownAssets): KnownAsset | string {
  const found = assets.get(cell) ?? assets.get(cell.toLowerCase()) ?? [];
  const [only, other] = found;
  if (only === undefined) {
    return isId("ast", cell)
      ? "there is no such file"
      : `there is no file named “${cell.slice(0, 100)}”: upload it first, or correct the name`;
  }
  if (other !== undefined)
    return `${found.length} files are named “${cell.slice(0, 100)}”: write the id of one of them, such as ${only.id}`;
  return only.kind === null ? "the file has not arrived yet, or its import failed: wait until it is ready" : only;
}

/** The column that a fault of an item belongs to. @param path of the field in the item */
export function columnOf(path: readonly PropertyKey[], cells: ReadonlyMap<string, string>): string {
  const field = String(path[0] ?? "type");
  if (field === "dayparts") {
    const inner = String(path[2] ?? "");
    return inner === "weekdays" ? "days" : inner === "until" && cells.has("until") ? "until" : cells.has("from") ? "from" : "days";
  }
  return Object.keys(fieldOfColumn).find((column) => fieldOfColumn[column] === field && cells.has(column)) ?? field;
}
