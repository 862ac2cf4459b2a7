// Describes a show: its status, its players, and warnings about reasons that may keep it off the screens.
import { iso } from "../../base/time.ts";
import type { Show, ShowEntry, ShowWarning } from "../../protocol/operator/shows.ts";
import { noPlayerHasTagMessage } from "../fleet/players/targets.ts";

import { outlookOf, type OutlookDependencies } from "../schedule/outlook/outlook.ts";
import { layoutSizeFor } from "./new-show.ts";
import { findShowSchedule, showStatus, type ShowContent } from "./shows.ts";
import type { Db } from "../store/store.ts";
import type { ShowRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { findUserName } from "../people/store/users.ts";

/** The dependencies and the team for describing a show. */
export interface ShowContext {
  dependencies: OutlookDependencies;
  teamId: string;
}

/** How many players a show lists. */
const maxListedPlayers = 100;

/** A show as an entry of a list, and its schedule. */
export async function showEntry({ dependencies }: ShowContext, db: Db, row: ShowRow) {
  const schedule = await findShowSchedule(db, row);
  const { asset_id = null, url = null, text = null } = JSON.parse(row.given) as ShowContent;
  const entry: ShowEntry = {
    id: row.id,
    name: row.name,
    status: await showStatus(dependencies, row, schedule?.shown ?? null, schedule?.players[0]),
    asset_id,
    url,
    text,
    starts_at: schedule?.shown.starts_at ?? iso(row.created_at),
    ends_at: schedule === null ? endText(row) : schedule.shown.ends_at,
    playlist_id: row.playlist_id,
    layout_id: row.layout_id,
    schedule_id: row.schedule_id,
    priority: schedule?.shown.priority ?? 0,
    is_emergency: row.is_emergency === 1,
    created_by: await creatorOf(db, row),
    player_count: schedule?.players.length ?? 0,
    created_at: iso(row.created_at),
  };
  return { entry, schedule };
}

async function creatorOf(db: Db, { user_id }: ShowRow): Promise<ShowEntry["created_by"]> {
  if (user_id === null) return null;
  const name = await findUserName(db, user_id);
  return name === undefined ? null : { user_id, name };
}

function endText({ ends_at }: ShowRow): string | null {
  return iso(ends_at);
}

/** A show with its players and warnings. `db` may be an open transaction. */
export async function describeShow(context: ShowContext, db: Db, row: ShowRow): Promise<Show> {
  const { dependencies, teamId } = context;
  const { entry, schedule } = await showEntry(context, db, row);
  const undo = `DELETE /api/v1/show/${row.id}`;
  if (schedule === null || schedule.row.deleted_at !== null) {
    return { ...entry, summary: "Cleared", next_at: null, players: [], warnings: [], undo };
  }
  const { shown, players } = schedule;
  const outlook = await outlookOf(dependencies, db, teamId, shown);
  const fields: Record<string, string> = { "/starts_at": "/from", "/ends_at": "/until", "/target": "/players" };
  const warnings: ShowWarning[] = [
    // unusedTagWarnings reports unused tags with their own place in the request.
    ...outlook.warnings
      .filter(({ field }) => !field.startsWith("/target/"))
      .map((each) => ({ ...each, field: fields[each.field] ?? each.field })),
    ...(await playerWarnings(context, db, row, players)),
    ...(shown.ends_at === null ? [{ code: "open-ended", message: `it stays on the screens until ${undo}`, field: "/until" }] : []),
  ];
  return {
    ...entry,
    summary: outlook.summary,
    next_at: outlook.next_at,
    players: players.slice(0, maxListedPlayers).map((each) => playerEntry(context, each)),
    warnings,
    undo,
  };
}

/** A player as an entry of a show. */
export function playerEntry({ dependencies }: ShowContext, { id: player_id, name }: PlayerRow): Show["players"][number] {
  return { player_id, name, status: dependencies.presence.isOnline(player_id) ? "online" : "offline" };
}

/** Warnings about players that may not show it, or not as intended. */
async function playerWarnings(
  { dependencies, teamId }: ShowContext,
  db: Db,
  { is_emergency }: ShowRow,
  players: readonly PlayerRow[],
): Promise<ShowWarning[]> {
  const warnings: ShowWarning[] = [];
  const offline = players.filter(({ id: playerId }) => !dependencies.presence.isOnline(playerId));
  if (offline.length > 0) {
    const message = `${namesOf(offline)}: offline; shows it after reconnecting and downloading it`;
    warnings.push({ code: "offline", message, field: "/players" });
  }
  const now = Math.trunc(dependencies.clock.now());
  const overrides = await db
    .selectFrom("overrides")
    .select("player_id")
    .where("team_id", "=", teamId)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]))
    .execute();
  const overriddenIds = new Set(overrides.map(({ player_id }) => player_id));
  const overridden = players.filter(({ id: playerId }) => overriddenIds.has(playerId));
  // An emergency outranks them by its own.
  if (overridden.length > 0 && is_emergency === 0) {
    const message = `${namesOf(overridden)}: an override has priority over every schedule while it lasts. Send override.clear`;
    warnings.push({ code: "overridden", message, field: "/players" });
  }
  const { width, height, others } = layoutSizeFor(dependencies, players);
  if (others > 0) {
    const message = `${others} of the screens have another aspect ratio than ${width} × ${height}: they show it with bars`;
    warnings.push({ code: "other-shapes", message, field: "/players" });
  }
  return warnings;
}

function namesOf(players: readonly PlayerRow[]): string {
  const some = players.slice(0, 3).map(({ name }) => `“${name}”`);
  return some.join(", ") + (players.length > some.length ? ` and ${players.length - some.length} more` : "");
}

/** Warnings about tags that no player has. */
export async function unusedTagWarnings(db: Db, teamId: string, tags: readonly string[]): Promise<ShowWarning[]> {
  const warnings: ShowWarning[] = [];
  if (tags.length === 0) return warnings;
  const rows = await db.selectFrom("player_tags").select("tag").distinct().where("team_id", "=", teamId).where("tag", "in", tags).execute();
  const used = new Set(rows.map((row) => row.tag));
  for (const [index, tag] of tags.entries()) {
    if (!used.has(tag))
      warnings.push({ code: "no-players", message: await noPlayerHasTagMessage(db, teamId, tag), field: `/tags/${index}` });
  }
  return warnings;
}
