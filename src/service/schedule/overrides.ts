// Stored overrides: the layouts and assets that a player needs for commands that show them.
import type { CommandRequest } from "../../protocol/device/command-request.ts";
import { invalidField } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { targetedPlayers } from "./schedules.ts";

// An override may have no end: keep only the newest ones of each player.
const maxOverrides = 100;

/**
 * Stores the override of a command before it is sent, so that the player's state includes its content; deletes overrides
 * that the command clears.
 * @returns whether the player's desired state may have changed.
 * @throws ProblemError 422 if the command refers to something that does not exist.
 */
export async function storeOverride(db: Db, player: PlayerRow, commandId: string, command: CommandRequest, now: number): Promise<boolean> {
  if (command.type === "override.clear") {
    const { override_id } = command.args;
    const all = db.deleteFrom("overrides").where("player_id", "=", player.id);
    await (override_id === undefined ? all : all.where("command_id", "=", override_id)).execute();
    return true;
  }
  if (command.type !== "override.set") return false;
  const { layout_id = null, asset_id = null, duration_ms } = command.args;
  await checkReferences(db, player.team_id, layout_id, asset_id);
  await db.deleteFrom("overrides").where("player_id", "=", player.id).where("expires_at", "<", now).execute();
  const row = { command_id: commandId, team_id: player.team_id, player_id: player.id, layout_id, asset_id, created_at: now, show_id: null };
  await db
    .insertInto("overrides")
    .values({ ...row, expires_at: duration_ms === undefined ? null : now + duration_ms + command.ttl_s * 1_000 })
    .execute();
  const newest = db.selectFrom("overrides").select("command_id").where("player_id", "=", player.id).orderBy("command_id", "desc");
  const kept = (await newest.limit(maxOverrides).execute()).map((each) => each.command_id);
  await db.deleteFrom("overrides").where("player_id", "=", player.id).where("command_id", "not in", kept).execute();
  return true;
}

/** Deletes the overrides that these commands have set. @returns the ids of their players */
export async function deleteOverridesOf(db: Db, commandIds: readonly string[]): Promise<string[]> {
  const deleted = await db.deleteFrom("overrides").where("command_id", "in", commandIds).returning("player_id").execute();
  return deleted.map(({ player_id }) => player_id);
}

/** Deletes the expired overrides of a layout or an asset. @returns the players whose desired state may have changed. */
export async function deleteExpiredOverrides(
  db: Db,
  teamId: string,
  shown: { layout_id: string } | { asset_id: string },
  now: number,
): Promise<PlayerRow[]> {
  const [column, id] = "layout_id" in shown ? (["layout_id", shown.layout_id] as const) : (["asset_id", shown.asset_id] as const);
  const ended = await db
    .deleteFrom("overrides")
    .where("team_id", "=", teamId)
    .where(column, "=", id)
    .where("expires_at", "<=", now)
    .returning("player_id")
    .execute();
  return targetedPlayers(
    db,
    teamId,
    ended.map(({ player_id }) => ({ type: "player", player_id })),
  );
}

/** The players on which an override shows this asset. */
export async function playersShowingByOverride(db: Db, teamId: string, assetId: string): Promise<PlayerRow[]> {
  const rows = await db.selectFrom("overrides").select("player_id").where("team_id", "=", teamId).where("asset_id", "=", assetId).execute();
  return targetedPlayers(
    db,
    teamId,
    rows.map(({ player_id }) => ({ type: "player", player_id })),
  );
}

/** Deletes all overrides of a player whose device was replaced. */
export async function deleteOverrides(db: Db, playerId: string): Promise<void> {
  await db.deleteFrom("overrides").where("player_id", "=", playerId).execute();
}

async function checkReferences(db: Db, teamId: string, layoutId: string | null, assetId: string | null): Promise<void> {
  if (layoutId !== null) {
    const row = await db
      .selectFrom("layouts")
      .select(["id", "deleted_at"])
      .where("team_id", "=", teamId)
      .where("id", "=", layoutId)
      .executeTakeFirst();
    if (row === undefined || row.deleted_at !== null) throw invalidField("/args/layout_id", "there is no such layout");
  }
  if (assetId !== null) {
    const rows = db.selectFrom("assets").select(["mime_type", "deleted_at"]).where("team_id", "=", teamId).where("id", "=", assetId);
    const asset = await rows.executeTakeFirst();
    if (asset === undefined || asset.deleted_at !== null) throw invalidField("/args/asset_id", "there is no such asset");
    if (!/^(?:image|video)\//.test(asset.mime_type ?? "")) {
      throw invalidField("/args/asset_id", `the asset is ${asset.mime_type}: only an image or a video can be shown alone`);
    }
  }
}
