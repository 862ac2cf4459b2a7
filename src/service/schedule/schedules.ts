// Schedules and overrides as they are stored: which player they are for, and what they bring along.
import type { CommandRequest } from "../../protocol/device/commands.ts";
import {
  validateSchedule,
  type OneTarget,
  type Schedule,
  type ScheduleTarget,
  type ScheduleTiming,
} from "../../protocol/scheduling/schedules.ts";
import { calendarsFor } from "./holiday-calendars.ts";
import { invalidField, invalidFields } from "../http/problem.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow, ScheduleRow } from "../store/tables.ts";

/** A team's schedules, findable by whom they are for. */
export interface TeamSchedules {
  team: ScheduleRow[];
  byTag: Map<string, ScheduleRow[]>;
  byPlayer: Map<string, ScheduleRow[]>;
}

// An override until revoked stays; whoever sends hundreds of them keeps the newest.
const maxOverrides = 100;

/** The schedules of a team that are not in the bin. */
export function schedulesOutsideBin(db: Db, teamId: string) {
  return db.selectFrom("schedules").selectAll().where("team_id", "=", teamId).where("deleted_at", "is", null);
}

/** The schedules of a team that are switched on and not in the bin, in the order of their age. */
export async function readEnabledSchedules(db: Db, teamId: string): Promise<TeamSchedules> {
  const rows = await schedulesOutsideBin(db, teamId).orderBy("id").execute();
  return groupByTarget(rows.filter(isEnabled));
}

/** The same schedules, findable by whom they are for. */
export function groupByTarget(rows: readonly ScheduleRow[]): TeamSchedules {
  const all: TeamSchedules = { team: [], byTag: new Map(), byPlayer: new Map() };
  for (const row of rows) {
    for (const target of flattenTarget(targetOf(row))) {
      if (target.type === "team") all.team.push(row);
      else if (target.type === "tag") put(all.byTag, target.tag, row);
      else put(all.byPlayer, target.player_id, row);
    }
  }
  return all;
}

/** Rows of older services do not say so: they are. */
export function isEnabled({ timing }: ScheduleRow): boolean {
  return (JSON.parse(timing) as { enabled?: boolean }).enabled !== false;
}

function put(map: Map<string, ScheduleRow[]>, key: string, row: ScheduleRow): void {
  const rows = map.get(key);
  if (rows === undefined) map.set(key, [row]);
  else rows.push(row);
}

/** Those for one player, in the order of their age, each once. */
export function schedulesForPlayer({ team, byTag, byPlayer }: TeamSchedules, player: PlayerRow): ScheduleRow[] {
  const tags = new Set(JSON.parse(player.tags) as string[]);
  const rows = [team, ...[...tags].map((tag) => byTag.get(tag) ?? []), byPlayer.get(player.id) ?? []].flat();
  return [...new Set(rows)].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The players of a team that any of `all` means, each once. */
export async function targetedPlayers(db: Db, teamId: string, all: readonly ScheduleTarget[]): Promise<PlayerRow[]> {
  const targets = all.flatMap(flattenTarget);
  if (targets.length === 0) return [];
  const rows = await db.selectFrom("players").selectAll().where("team_id", "=", teamId).where("removed_at", "is", null).execute();
  if (targets.some(({ type }) => type === "team")) return rows;
  const tags = new Set(targets.flatMap((target) => (target.type === "tag" ? target.tag : [])));
  const ids = new Set(targets.flatMap((target) => (target.type === "player" ? target.player_id : [])));
  return rows.filter((row) => ids.has(row.id) || (tags.size > 0 && (JSON.parse(row.tags) as string[]).some((tag) => tags.has(tag))));
}

/** Schedules that show one of `layoutIds`. */
export async function schedulesShowing(db: Db, teamId: string, layoutIds: readonly string[]): Promise<ScheduleRow[]> {
  if (layoutIds.length === 0) return [];
  return schedulesOutsideBin(db, teamId).where("layout_id", "in", layoutIds).execute();
}

/** Whom a stored schedule is for. */
export function targetOf({ target_type, target_value }: Pick<ScheduleRow, "target_type" | "target_value">): ScheduleTarget {
  if (target_type === "tag") return { type: "tag", tag: target_value };
  if (target_type === "any") return { type: "any", of: JSON.parse(target_value) as OneTarget[] };
  return target_type === "player" ? { type: "player", player_id: target_value } : { type: "team" };
}

/** The targets that a target is made of: itself, or those that it lists. */
export function flattenTarget(target: ScheduleTarget): readonly OneTarget[] {
  return target.type === "any" ? target.of : [target];
}

/** The columns that {@link targetOf} reads. */
export function targetColumns(target: ScheduleTarget): Pick<ScheduleRow, "target_type" | "target_value"> {
  switch (target.type) {
    case "team":
      return { target_type: "team", target_value: "" };
    case "tag":
      return { target_type: "tag", target_value: target.tag };
    case "player":
      return { target_type: "player", target_value: target.player_id };
    case "any":
      return { target_type: "any", target_value: canonicalJson(target.of) };
  }
}

/** The columns of a schedule, but for its id and times. */
export function scheduleColumns(schedule: Omit<Schedule, "id" | "created_at" | "updated_at" | "deleted_at">) {
  const { name, layout_id, target, ...timing } = schedule;
  return { name, layout_id, ...targetColumns(target), timing: canonicalJson(timing) };
}

/** The schedule as REST shows it. */
export function showSchedule(row: ScheduleRow): Schedule {
  return {
    id: row.id,
    name: row.name,
    layout_id: row.layout_id,
    target: targetOf(row),
    // Stored by a version that did not know of them.
    loop_from: "epoch",
    enabled: true,
    ...(JSON.parse(row.timing) as Pick<Schedule, keyof ScheduleTiming | "timezone" | "priority" | "interrupt" | "sync_epoch">),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    deleted_at: row.deleted_at === null ? null : new Date(row.deleted_at).toISOString(),
  };
}

/**
 * Checks a schedule that is to be stored.
 * @param before what it was for: a player that was named already may lie in the bin.
 * @throws Refusal 422 naming each field of a schedule that cannot be, or that points nowhere.
 */
export async function checkSchedule(
  db: Db,
  teamId: string,
  schedule: Parameters<typeof scheduleColumns>[0],
  now: number,
  before?: ScheduleTarget,
): Promise<void> {
  const errors = validateSchedule(schedule);
  const { layout_id, target, sync_epoch, loop_from } = schedule;
  const layout = await db.selectFrom("layouts").select("id").where("team_id", "=", teamId).where("id", "=", layout_id).executeTakeFirst();
  if (layout === undefined) errors.push({ pointer: "/layout_id", detail: "there is no such layout" });
  errors.push(...(await unknownPlayers(db, teamId, target, before)));
  const calendars = await calendarsFor(db, teamId, schedule.conditions);
  for (const [index, condition] of schedule.conditions.entries()) {
    if (condition.type !== "calendar" || calendars.has(condition.calendar_id)) continue;
    errors.push({
      pointer: `/conditions/${index}/calendar_id`,
      detail: "there is no such calendar: take the id of one from GET /calendars",
    });
  }
  if (sync_epoch !== null && Date.parse(sync_epoch) > now) {
    errors.push({ pointer: "/sync_epoch", detail: "lies in the future: loops count from an instant that has been" });
  }
  if (sync_epoch !== null && loop_from === "window") {
    errors.push({ pointer: "/loop_from", detail: "must be epoch where sync_epoch is given: loops count from one instant" });
  }
  if (errors.length === 0) return;
  throw invalidFields(errors);
}

/** Players that a target names though there are none, where `before` did not name them. */
async function unknownPlayers(
  db: Db,
  teamId: string,
  target: ScheduleTarget,
  before: ScheduleTarget | undefined,
): Promise<{ pointer: string; detail: string }[]> {
  const named = (one: OneTarget) => (one.type === "player" ? [one.player_id] : []);
  const [all, known] = [flattenTarget(target), new Set(before === undefined ? [] : flattenTarget(before).flatMap(named))];
  const fresh = all.filter((one) => one.type === "player" && !known.has(one.player_id));
  for (const { id } of await targetedPlayers(db, teamId, fresh)) known.add(id);
  return all.flatMap((one, index) => {
    if (one.type !== "player" || known.has(one.player_id)) return [];
    const pointer = target.type === "any" ? `/target/of/${index}/player_id` : "/target/player_id";
    return [{ pointer, detail: "there is no such player" }];
  });
}

/**
 * Gives a player what an override command needs, before the command is sent; takes it away when overrides are cleared.
 * @returns whether the player's state may have moved.
 * @throws Refusal 422 when the command points nowhere.
 */
export async function storeOverride(db: Db, player: PlayerRow, commandId: string, command: CommandRequest, now: number): Promise<boolean> {
  if (command.type === "override.clear") {
    const { override_id } = command.args;
    const ended = db.deleteFrom("overrides").where("player_id", "=", player.id);
    await (override_id === undefined ? ended : ended.where("command_id", "=", override_id)).execute();
    return true;
  }
  if (command.type !== "override.set") return false;
  const { layout_id = null, asset_id = null, duration_ms } = command.args;
  await checkShown(db, player.team_id, layout_id, asset_id);
  await db.deleteFrom("overrides").where("player_id", "=", player.id).where("expires_at", "<", now).execute();
  const row = { command_id: commandId, team_id: player.team_id, player_id: player.id, layout_id, asset_id, created_at: now };
  await db
    .insertInto("overrides")
    .values({ ...row, expires_at: duration_ms === undefined ? null : now + duration_ms + command.ttl_s * 1_000 })
    .execute();
  const newest = db.selectFrom("overrides").select("command_id").where("player_id", "=", player.id).orderBy("command_id", "desc");
  const kept = (await newest.limit(maxOverrides).execute()).map((each) => each.command_id);
  await db.deleteFrom("overrides").where("player_id", "=", player.id).where("command_id", "not in", kept).execute();
  return true;
}

/** Forgets the overrides of a layout or an asset whose time is over. @returns the players whose state may have moved. */
export async function deleteExpiredOverrides(
  db: Db,
  teamId: string,
  what: { layout_id: string } | { asset_id: string },
  now: number,
): Promise<PlayerRow[]> {
  const [column, id] = "layout_id" in what ? (["layout_id", what.layout_id] as const) : (["asset_id", what.asset_id] as const);
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

/** Players on which an override shows this asset. */
export async function playersShowingByOverride(db: Db, teamId: string, assetId: string): Promise<PlayerRow[]> {
  const rows = await db.selectFrom("overrides").select("player_id").where("team_id", "=", teamId).where("asset_id", "=", assetId).execute();
  return targetedPlayers(
    db,
    teamId,
    rows.map(({ player_id }) => ({ type: "player", player_id })),
  );
}

/** Forgets what overrides of a player show: the box that knew them is gone. */
export async function deleteOverrides(db: Db, playerId: string): Promise<void> {
  await db.deleteFrom("overrides").where("player_id", "=", playerId).execute();
}

async function checkShown(db: Db, teamId: string, layoutId: string | null, assetId: string | null): Promise<void> {
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
