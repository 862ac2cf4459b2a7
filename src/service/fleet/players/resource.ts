// Finds a player and shows it as the API does.
import { iso } from "../../../base/time.ts";
import { Orientation } from "../../../protocol/content/orientation.ts";
import type { Wall } from "../../../protocol/content/wall.ts";
import type { DisplayHours } from "../../../protocol/device/display-hours.ts";
import type { DownloadSettings } from "../../../protocol/device/download-settings.ts";
import type { RecurringCommand } from "../../../protocol/device/recurring-commands.ts";
import type { ScreenshotSettings } from "../../../protocol/device/screenshot-settings.ts";
import type { DesiredRelease } from "../../../protocol/device/updates.ts";
import type { Player, PlayerDetails } from "../../../protocol/operator/resources.ts";
import { found } from "../../http/problem.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { findTeamRow } from "../../store/tables/team-rows.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import type { Presence } from "../presence/presence.ts";

/** The dependencies for showing a player: its presence and problems. */
export interface ShownPlayerDependencies {
  presence: Presence;
  problems: PlayerProblems;
}

type ReportedFields = Pick<Player, "player_version" | "hardware" | "resolution">;

/** A player of the team that was not removed. */
export async function findPlayer(db: Db, teamId: string, playerId: string): Promise<PlayerRow | undefined> {
  const row = await findTeamRow(db, "players", teamId, playerId);
  return row?.removed_at === null ? row : undefined;
}

/** A player that was not removed, in its API form. @throws ProblemError 404. */
export async function readPlayer(
  dependencies: ShownPlayerDependencies & { store: Store },
  { teamId }: { teamId: string },
  { id: playerId }: { id: string },
  db = dependencies.store.db,
): Promise<Player> {
  return showPlayer(dependencies, found(await findPlayer(db, teamId, playerId), "screen"));
}

/** The same with the device's report about itself. @throws ProblemError 404. */
export async function readPlayerDetails(
  dependencies: ShownPlayerDependencies & { store: Store },
  team: { teamId: string },
  player: { id: string },
): Promise<PlayerDetails> {
  const shown = await readPlayer(dependencies, team, player);
  const latest = dependencies.presence.latest(shown.id)?.heartbeat;
  return { ...shown, capabilities: latest?.capabilities ?? null, telemetry: latest?.telemetry ?? null };
}

/** The fields of a player that its ETag covers. */
export function playerVersion({ id: playerId, name, layout_id, tags, timezone, variables, updated_at }: Player): unknown {
  return { id: playerId, name, layout_id, tags, timezone, variables, updated_at };
}

/** The connection status of a player. */
export function statusOf({ presence }: ShownPlayerDependencies, playerId: string): Player["status"] {
  return presence.isOnline(playerId) ? "online" : "offline";
}

/** The player in its API form. @param latest the latest heartbeat of its device; null: none */
export function showPlayer(dependencies: ShownPlayerDependencies, row: PlayerRow, latest = dependencies.presence.latest(row.id)): Player {
  const status = latest === null ? "offline" : statusOf(dependencies, row.id);
  const paired = JSON.parse(row.reported) as ReportedFields;
  const reported: Partial<ReportedFields> & { engine?: string } = latest?.heartbeat ?? {};
  const appliedRevision = latest?.heartbeat.content.applied_revision ?? null;
  return {
    id: row.id,
    team_id: row.team_id,
    name: row.name,
    status,
    layout_id: row.layout_id,
    tags: JSON.parse(row.tags) as string[],
    timezone: row.timezone,
    variables: JSON.parse(row.variables) as Player["variables"],
    reported_variables: latest?.heartbeat.variables ?? null,
    orientation: Orientation.parse(row.orientation),
    wall: row.wall === null ? null : (JSON.parse(row.wall) as Wall),
    safe_asset_id: row.safe_asset_id,
    downloads: row.downloads === null ? null : (JSON.parse(row.downloads) as DownloadSettings),
    release: row.release === null ? null : (JSON.parse(row.release) as DesiredRelease),
    display_hours: row.display_hours === null ? null : (JSON.parse(row.display_hours) as DisplayHours),
    recurring_commands: JSON.parse(row.recurring_commands) as RecurringCommand[],
    screenshots: row.screenshots === null ? null : (JSON.parse(row.screenshots) as ScreenshotSettings),
    maintenance_until: iso(row.maintenance_until),
    last_seen_at: latest === null ? null : iso(latest.receivedAt),
    player_version: reported.player_version ?? paired.player_version,
    engine: reported.engine ?? null,
    hardware: reported.hardware ?? paired.hardware,
    resolution: reported.resolution ?? paired.resolution,
    desired_revision: row.revision,
    applied_revision: appliedRevision,
    in_sync: status === "online" ? appliedRevision === row.revision : null,
    update: latest?.heartbeat.update ?? null,
    ...dependencies.problems.listFor(row),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    deleted_at: iso(row.removed_at),
  };
}
