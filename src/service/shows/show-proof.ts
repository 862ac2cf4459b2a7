// Computes the proof of a show from play events, heartbeats and screenshots.
import { sql } from "kysely";
import type { ShowProof } from "../../protocol/operator/shows.ts";
import { selectPlayEvents } from "../proof/play-events.ts";
import { showEntry, playerEntry, type ShowContext } from "./show-outlook.ts";
import { zoneIdsOf } from "./shows.ts";
import type { Db, Store } from "../store/store.ts";
import type { ShowRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { inChunks } from "../store/chunks.ts";

// Counts plays like the reports: at least one frame was on screen.
const presented = sql`(result in ('completed', 'cut') or (result = 'failed' and duration_ms > 0))`;

/** The players' reports on a show: its plays by presented frames, whether it is on, and the newest screenshot. */
export async function proofOf(
  { db, plays }: Pick<Store, "db" | "plays">,
  context: ShowContext,
  row: ShowRow,
  { offset, limit }: { offset: number; limit: number },
): Promise<ShowProof> {
  const { dependencies, teamId } = context;
  const { entry, schedule } = await showEntry(context, db, row);
  const counted = await selectPlayEvents(plays, teamId, { schedule_id: row.schedule_id })
    .select([
      "player_id",
      sql<number>`sum(case when ${presented} then 1 else 0 end)`.as("plays"),
      sql<number>`sum(case when result = 'failed' then 1 else 0 end)`.as("failed"),
      sql<number>`sum(duration_ms)`.as("duration_ms"),
      sql<number | null>`min(case when ${presented} then started_at end)`.as("first_at"),
      sql<number | null>`max(case when ${presented} then started_at + duration_ms end)`.as("last_at"),
    ])
    .groupBy("player_id")
    .execute();
  const byPlayer = new Map(counted.map((each) => [each.player_id, each]));
  const players = new Map((schedule?.players ?? []).map((player) => [player.id, player]));
  for (const part of inChunks([...byPlayer.keys()].filter((each) => !players.has(each)))) {
    const others = db.selectFrom("players").selectAll().where("team_id", "=", teamId).where("id", "in", part);
    for (const player of await others.execute()) players.set(player.id, player);
  }
  const zones = new Set(await zoneIdsOf(db, row.layout_id));
  const all = [...players.values()];
  const isOn = ({ id }: PlayerRow): boolean =>
    dependencies.presence.latest(id)?.heartbeat.now_playing.some(({ zone_id }) => zones.has(zone_id)) ?? false;
  const entries: ShowProof["players"] = [];
  for (const player of all.slice(offset, offset + limit)) {
    const counts = byPlayer.get(player.id);
    const summary = playerEntry(context, player);
    entries.push({
      ...summary,
      is_showing: summary.status === "online" ? isOn(player) : null,
      plays: Number(counts?.plays ?? 0),
      failed: Number(counts?.failed ?? 0),
      duration_ms: Number(counts?.duration_ms ?? 0),
      first_at: timeOf(counts?.first_at),
      last_at: timeOf(counts?.last_at),
      screenshot_id: await newestScreenshot(db, row, player.id),
    });
  }
  const sum = (field: "plays" | "duration_ms") => counted.reduce((total, each) => total + Number(each[field] ?? 0), 0);
  return {
    id: row.id,
    name: row.name,
    status: entry.status,
    plays: sum("plays"),
    duration_ms: sum("duration_ms"),
    player_count: all.length,
    showing_count: all.filter((player) => isOn(player) && playerEntry(context, player).status === "online").length,
    players: entries,
  };
}

/** The newest screenshot of a player between the creation of the show and its end or clearing. */
async function newestScreenshot(db: Db, row: ShowRow, playerId: string): Promise<string | null> {
  const until = Math.min(row.ends_at ?? Number.MAX_SAFE_INTEGER, row.cleared_at ?? Number.MAX_SAFE_INTEGER);
  const shot = await db
    .selectFrom("screenshots")
    .select("id")
    .where("player_id", "=", playerId)
    .where("captured_at", ">=", row.created_at)
    .where("captured_at", "<=", until)
    .orderBy("captured_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return shot?.id ?? null;
}

function timeOf(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(Number(at)).toISOString();
}
