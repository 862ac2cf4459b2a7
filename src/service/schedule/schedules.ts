// Stored schedules, and the players that they are for.
import { iso } from "../../base/time.ts";
import type { OneTarget, Schedule, ScheduleTarget } from "../../protocol/scheduling/schedules.ts";
import type { ScheduleTiming } from "../../schedule/validate-schedule.ts";
import { canonicalJson } from "../store/canonical-json.ts";
import type { Db } from "../store/store.ts";
import type { ScheduleRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { selectPlayers } from "../fleet/store.ts";

/** A team's schedules by target. */
export interface TeamSchedules {
  team: ScheduleRow[];
  byTag: Map<string, ScheduleRow[]>;
  byPlayer: Map<string, ScheduleRow[]>;
}

/** The schedules of a team that are not in the bin. */
export function schedulesOutsideBin(db: Db, teamId: string) {
  return db.selectFrom("schedules").selectAll().where("team_id", "=", teamId).where("deleted_at", "is", null);
}

/** The schedules of a team that are switched on and not in the bin, oldest first. */
export async function readEnabledSchedules(db: Db, teamId: string): Promise<TeamSchedules> {
  const rows = await schedulesOutsideBin(db, teamId).orderBy("id").execute();
  return groupByTarget(rows.filter(isEnabled));
}

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

/** True if a schedule is switched on. Rows of older versions lack the field and count as switched on. */
export function isEnabled({ timing }: ScheduleRow): boolean {
  return (JSON.parse(timing) as { enabled?: boolean }).enabled !== false;
}

function put(map: Map<string, ScheduleRow[]>, key: string, row: ScheduleRow): void {
  const rows = map.get(key);
  if (rows === undefined) map.set(key, [row]);
  else rows.push(row);
}

/** The schedules for one player, oldest first, each once. */
export function schedulesForPlayer({ team, byTag, byPlayer }: TeamSchedules, player: PlayerRow): ScheduleRow[] {
  const tags = new Set(JSON.parse(player.tags) as string[]);
  const rows = [team, ...[...tags].map((tag) => byTag.get(tag) ?? []), byPlayer.get(player.id) ?? []].flat();
  return [...new Set(rows)].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** The players of a team that any of these targets matches, each once. */
export async function targetedPlayers(db: Db, teamId: string, all: readonly ScheduleTarget[]): Promise<PlayerRow[]> {
  const targets = all.flatMap(flattenTarget);
  if (targets.length === 0) return [];
  const rows = await selectPlayers(db, teamId).execute();
  if (targets.some(({ type }) => type === "team")) return rows;
  const tags = new Set(targets.flatMap((target) => (target.type === "tag" ? target.tag : [])));
  const ids = new Set(targets.flatMap((target) => (target.type === "player" ? target.player_id : [])));
  return rows.filter((row) => ids.has(row.id) || (tags.size > 0 && (JSON.parse(row.tags) as string[]).some((tag) => tags.has(tag))));
}

/** The schedules outside the bin that show one of these layouts. */
export async function schedulesShowing(db: Db, teamId: string, layoutIds: readonly string[]): Promise<ScheduleRow[]> {
  if (layoutIds.length === 0) return [];
  return schedulesOutsideBin(db, teamId).where("layout_id", "in", layoutIds).execute();
}

/** The target of a stored schedule. */
export function targetOf({ target_type, target_value }: Pick<ScheduleRow, "target_type" | "target_value">): ScheduleTarget {
  if (target_type === "tag") return { type: "tag", tag: target_value };
  if (target_type === "any") return { type: "any", of: JSON.parse(target_value) as OneTarget[] };
  return target_type === "player" ? { type: "player", player_id: target_value } : { type: "team" };
}

/** The single targets of a target: itself, or those that it lists. */
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

/** The columns of a schedule, except its id and its times of creation and change. */
export function scheduleColumns(schedule: Omit<Schedule, "id" | "created_at" | "updated_at" | "deleted_at">) {
  const { name, layout_id, target, ...timing } = schedule;
  return { name, layout_id, ...targetColumns(target), timing: canonicalJson(timing) };
}

/** The schedule as the API returns it. */
export function showSchedule(row: ScheduleRow): Schedule {
  return {
    id: row.id,
    name: row.name,
    layout_id: row.layout_id,
    target: targetOf(row),
    // Defaults for rows that an older version stored without these fields.
    loop_from: "epoch",
    enabled: true,
    ...(JSON.parse(row.timing) as Pick<Schedule, keyof ScheduleTiming | "timezone" | "priority" | "interrupt" | "sync_epoch">),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    deleted_at: iso(row.deleted_at),
  };
}
