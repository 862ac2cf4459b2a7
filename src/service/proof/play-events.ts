// Stores play events (proof of play): each event once per player, synced before the response.
import { setImmediate } from "node:timers/promises";
import type { Kysely } from "kysely";
import { iso } from "../../base/time.ts";
import { PlayEvent, type PlayEventReceipt, type PlayEventRecord, type PlayEventsQuery } from "../../protocol/device/play-events.ts";
import { mostErrors } from "../../protocol/refusal.ts";
import { isPostgres } from "../store/dialect.ts";
import type { PlayEventRow, PlayEventTables } from "../store/tables/telemetry.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { cutError } from "../http/problem.ts";
import { validatePart } from "../http/input/validation.ts";

export type PlayEventsDb = Kysely<PlayEventTables>;

const deletionBatchSize = 5_000;
const filterColumns = [
  "player_id",
  "layout_id",
  "schedule_id",
  "override_id",
  "layer",
  "zone_id",
  "asset_id",
  "item_id",
  "result",
] as const;

type Column =
  | "id"
  | "layout_id"
  | "schedule_id"
  | "override_id"
  | "layer"
  | "zone_id"
  | "item_id"
  | "asset_id"
  | "result"
  | "started_at"
  | "duration_ms";
type Details = Omit<PlayEvent, Column>;

/**
 * Stores a batch of events. Accepted events survive a power cut once this resolves.
 *
 * On PostgreSQL each partition has its own unique key, and the start of an event decides in which partition it lies. A player writes
 * an event down when the play ends and sends the same one again, so it meets itself there. Its start could differ only if the player's
 * disk was full at the end of the play, the player then crashed after it had sent the event, and its clock was corrected during the
 * play: it then counts twice if the two starts lie in two partitions.
 */
export async function storePlayEvents(
  db: PlayEventsDb,
  player: PlayerRow,
  events: readonly unknown[],
  receivedAt: number,
): Promise<PlayEventReceipt> {
  const rows: PlayEventRow[] = [];
  const rejected: PlayEventReceipt["rejected"] = [];
  let errorCount = 0;
  for (const [index, event] of events.entries()) {
    const checked = validatePart(PlayEvent, event);
    if ("value" in checked) rows.push(rowOf(checked.value, player, receivedAt));
    else {
      // Each event has at least one, so that its player can log why.
      const errors = checked.errors.slice(0, Math.max(1, mostErrors - errorCount)).map(cutError);
      errorCount += errors.length;
      rejected.push({ index, id: idOf(event), errors });
    }
  }
  if (rows.length === 0) return { accepted: 0, duplicates: 0, rejected };
  const stored = await db
    .insertInto("play_events")
    .values(rows)
    .onConflict((conflict) => (isPostgres(db) ? conflict.doNothing() : conflict.columns(["player_id", "id"]).doNothing()))
    .executeTakeFirst();
  const accepted = Number(stored.numInsertedOrUpdatedRows ?? 0n);
  return { accepted, duplicates: rows.length - accepted, rejected };
}

/** Selects the events of a team that match a query. */
export function selectPlayEvents(db: PlayEventsDb, teamId: string, query: Omit<PlayEventsQuery, "limit" | "cursor">) {
  let rows = db.selectFrom("play_events").where("team_id", "=", teamId);
  for (const column of filterColumns) {
    const value = query[column];
    if (value !== undefined) rows = rows.where(column, "=", value);
  }
  if (query.from !== undefined) rows = rows.where("started_at", ">=", Date.parse(query.from));
  if (query.to !== undefined) rows = rows.where("started_at", "<", Date.parse(query.to));
  return rows;
}

export function listPlayEvents(db: PlayEventsDb, teamId: string, query: PlayEventsQuery) {
  return selectPlayEvents(db, teamId, query).selectAll();
}

/** Deletes events received before `before` (ms since the epoch), batch by batch, so that other queries can run in between. */
export async function deleteOldPlayEvents(db: PlayEventsDb, before: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const old = db.selectFrom("play_events").select(["player_id", "id"]).where("received_at", "<", before).limit(deletionBatchSize);
    const { numDeletedRows } = await db
      .deleteFrom("play_events")
      .where((row) => row(row.refTuple("player_id", "id"), "in", old.$asTuple("player_id", "id")))
      .executeTakeFirst();
    if (numDeletedRows < BigInt(deletionBatchSize)) return;
    await setImmediate(undefined, { signal });
  }
}

/** A play event as an API resource. */
export function showPlayEvent(row: PlayEventRow): PlayEventRecord {
  const details = JSON.parse(row.details) as Details;
  return {
    // Spread first: the details of older rows contain the schedule id too, and the column must win.
    ...details,
    id: row.id,
    player_id: row.player_id,
    layout_id: row.layout_id,
    schedule_id: row.schedule_id,
    override_id: row.override_id,
    layer: row.layer as PlayEventRecord["layer"],
    zone_id: row.zone_id,
    item_id: row.item_id,
    asset_id: row.asset_id,
    result: row.result as PlayEvent["result"],
    started_at: iso(row.started_at),
    duration_ms: row.duration_ms,
    received_at: iso(row.received_at),
  };
}

function rowOf(event: PlayEvent, player: PlayerRow, receivedAt: number): PlayEventRow {
  const { id, layout_id, schedule_id, override_id = null, layer = null, zone_id, item_id, asset_id, ...rest } = event;
  const { result, started_at, duration_ms, ...details } = rest;
  return {
    player_id: player.id,
    id,
    team_id: player.team_id,
    layout_id,
    schedule_id,
    override_id,
    layer,
    zone_id,
    item_id,
    asset_id,
    result,
    started_at: Date.parse(started_at),
    duration_ms,
    received_at: receivedAt,
    details: JSON.stringify(details satisfies Details),
  };
}

function idOf(event: unknown): string | null {
  return typeof event === "object" && event !== null && "id" in event && typeof event.id === "string" ? event.id.slice(0, 64) : null;
}
