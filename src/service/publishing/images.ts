// Images of content: the state of a playlist, layout, schedule or calendar, without its id and its time of change.
import { contentKinds, type Content, type ContentChange, type ContentKind, type ContentRef } from "../../protocol/operator/publishing.ts";
import { show as showLayout } from "../content/operations/layouts.ts";
import { show as showPlaylist } from "../content/operations/playlists.ts";
import { showCalendar } from "../schedule/calendars/holiday-calendars.ts";
import { showSchedule } from "../schedule/schedules.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { CalendarRow, LayoutRow, PlaylistRow, ScheduleRow } from "../store/tables/content.ts";

/** Canonical JSON of a row's columns; null: it does not exist, or is in the bin. */
export type Image = string | null;

/** A resource as it is now. */
export interface Live {
  image: Image;
  /** The state in the bin; null: it is not there. */
  binned: Image;
  /** Of its row; 0 without one. */
  updatedAt: number;
}

interface ContentRows {
  playlist: PlaylistRow;
  layout: LayoutRow;
  schedule: ScheduleRow;
  calendar: CalendarRow;
}

const tables = { playlist: "playlists", layout: "layouts", schedule: "schedules", calendar: "calendars" } as const;
type Column<K extends ContentKind> = Exclude<keyof ContentRows[K], "id" | "team_id" | "updated_at" | "deleted_at" | "deleted_with">;
/** The columns of an image, complete by the compiler. `json`: its text is equal whatever the order of its fields. */
const columns: { readonly [K in ContentKind]: Readonly<Record<Column<K>, "plain" | "json">> } = {
  playlist: { created_at: "plain", name: "plain", items: "json" },
  layout: {
    created_at: "plain",
    name: "plain",
    width: "plain",
    height: "plain",
    background_color: "plain",
    background_asset_id: "plain",
    transition: "json",
    zones: "json",
  },
  schedule: { created_at: "plain", name: "plain", layout_id: "plain", target_type: "plain", target_value: "plain", timing: "json" },
  calendar: { created_at: "plain", name: "plain", dates: "json" },
};

/** The image of a row that a trigger or a query read. */
export function imageOf(kind: ContentKind, row: object): string {
  const values = row as Record<string, unknown>;
  const entries = Object.entries(columns[kind]).map(([column, is]): [string, unknown] => {
    const value = values[column];
    return [column, is === "json" && typeof value === "string" ? canonicalJson(JSON.parse(value)) : value];
  });
  return canonicalJson(Object.fromEntries(entries));
}

/** The name in an image. */
export function nameIn(image: string): string {
  return (JSON.parse(image) as { name: string }).name;
}

/** The kind of change of a resource. */
export function actionOf(before: Image, after: Image): ContentChange["action"] {
  if (before === null) return "created";
  return after === null ? "deleted" : "changed";
}

/** The row that an image stands for. */
export function rowOf<K extends ContentKind>(kind: K, teamId: string, id: string, image: string, updatedAt: number): ContentRows[K] {
  const own = { ...(JSON.parse(image) as object), id, team_id: teamId, updated_at: updatedAt };
  const inBin = kind === "calendar" ? {} : kind === "schedule" ? { deleted_at: null, deleted_with: null } : { deleted_at: null };
  return { ...own, ...inBin } as unknown as ContentRows[K];
}

/** An image as the API returns the resource, without its secrets. */
export function showImage(kind: ContentKind, teamId: string, id: string, image: Image, updatedAt: number): Content | null {
  if (image === null) return null;
  switch (kind) {
    case "playlist":
      return showPlaylist(rowOf(kind, teamId, id, image, updatedAt));
    case "layout":
      return showLayout(rowOf(kind, teamId, id, image, updatedAt));
    case "schedule":
      return showSchedule(rowOf(kind, teamId, id, image, updatedAt));
    case "calendar":
      return showCalendar(rowOf(kind, teamId, id, image, updatedAt));
  }
}

/** The images of these resources as they are now, by id. Resources of other teams are left out. */
export async function readLive(db: Db, teamId: string, refs: readonly ContentRef[]): Promise<Map<string, Live>> {
  const live = new Map<string, Live>();
  for (const kind of contentKinds) {
    const ids = refs.filter((ref) => ref.kind === kind).map(({ id }) => id);
    for (const chunk of inChunks(ids)) {
      // All tables share these columns, so the types of one table serve for all.
      const rows = await db
        .selectFrom(tables[kind] as "playlists")
        .selectAll()
        .where("team_id", "=", teamId)
        .where("id", "in", chunk)
        .execute();
      for (const row of rows) {
        const isGone = kind !== "calendar" && row.deleted_at !== null;
        const image = imageOf(kind, row);
        live.set(row.id, { image: isGone ? null : image, binned: isGone ? image : null, updatedAt: row.updated_at });
      }
    }
  }
  return live;
}

/** Gives a resource the state of an image: creates, changes or restores it, or puts it in the bin. A calendar has no bin. */
export async function writeImage(db: Db, teamId: string, { kind, id }: ContentRef, image: Image, now: number): Promise<void> {
  const table = tables[kind] as "playlists";
  if (image === null) {
    if (kind === "calendar") await db.deleteFrom("calendars").where("team_id", "=", teamId).where("id", "=", id).execute();
    else {
      const discarded = db.updateTable(table).set({ deleted_at: now, updated_at: now }).where("team_id", "=", teamId);
      await discarded.where("id", "=", id).where("deleted_at", "is", null).execute();
    }
    return;
  }
  const row = rowOf(kind as "playlist", teamId, id, image, now);
  const changed = await db.updateTable(table).set(row).where("team_id", "=", teamId).where("id", "=", id).executeTakeFirst();
  if (changed.numUpdatedRows === 0n) await db.insertInto(table).values(row).execute();
}
