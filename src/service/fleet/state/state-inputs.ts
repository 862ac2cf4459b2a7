// Reads everything that determines the desired state of a player, through a cache that many players share, and computes the revision.
import { hash } from "node:crypto";
import { controlCalendarIds } from "../players/control-calendars.ts";
import { calendarIdsIn, readCalendars, type CalendarDays } from "../../schedule/calendars/holiday-calendars.ts";
import { readEnabledSchedules, schedulesForPlayer, type TeamSchedules } from "../../schedule/schedules.ts";
import { isOneOf, textList, type TextList } from "../../store/dialect.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { SharedState, withoutBrackets } from "./shared-state.ts";
import type { Assigned, StateCache } from "./state-cache.ts";
import { readContent, uniqueIds } from "./state-content.ts";

export interface StateInputs extends Assigned {
  revision: string;
}

/** The layouts and assets of a player's overrides. */
export type Overrides = readonly { layout_id: string | null; asset_id: string | null }[];

/** Does not assemble the state's document, since revisions are computed for ten thousand players at a time. */
export async function readStateInputs(db: Db, player: PlayerRow, overrides: Overrides, cache: StateCache): Promise<StateInputs> {
  const { team_id, id, tags, layout_id, safe_asset_id, display_hours, recurring_commands } = player;
  const all = await cache.schedules.get(team_id, () => readEnabledSchedules(db, team_id));
  const read = (): Promise<Assigned> => readAssigned(db, player, overrides, all, cache);
  // Few assignments are those of one player. The state of the others is looked up by the parts of their assignment.
  const isOwn = overrides.length > 0 || all.byPlayer.has(id);
  const assignment = [team_id, layout_id, safe_asset_id, tags, display_hours, recurring_commands];
  const { shared, safeAssetId } = await (isOwn ? read() : cache.assigned.get(JSON.stringify(assignment), read));
  return { shared, safeAssetId, revision: revisionOf({ ...player, safe_asset_id: safeAssetId }, shared) };
}

async function readAssigned(db: Db, player: PlayerRow, overrides: Overrides, all: TeamSchedules, cache: StateCache): Promise<Assigned> {
  const schedules = schedulesForPlayer(all, player);
  const layoutIds = [player.layout_id, ...schedules.map(({ layout_id }) => layout_id), ...overrides.map(({ layout_id }) => layout_id)];
  const safeAssetId = player.safe_asset_id ?? (await cache.safeAssets.get(player.team_id, () => readSafeAsset(db, player.team_id)));
  const ids = {
    layoutIds: uniqueIds(layoutIds),
    assetIds: uniqueIds([safeAssetId, ...overrides.map(({ asset_id }) => asset_id)]),
  };
  const controlIds = controlCalendarIds(player);
  const contentKey = JSON.stringify([player.team_id, ids]);
  const key = JSON.stringify([player.team_id, ids, schedules.map(({ id }) => id), controlIds]);
  const shared = await cache.shared.get(key, async () => {
    const content = await cache.contents.get(contentKey, () => readContent(db, player.team_id, ids));
    const calendarIds = uniqueIds([...schedules.flatMap(calendarIdsIn), ...content.calendarIds, ...controlIds]);
    return new SharedState(content, schedules, await readCalendarsOf(db, player.team_id, calendarIds, cache));
  });
  return { shared, safeAssetId };
}

const overridesOf = preparedQuery((db: Db, { ids }: { ids: TextList }) =>
  db
    .selectFrom("overrides")
    .select(["player_id", "layout_id", "asset_id"])
    .where(isOneOf(db, "player_id", ids)),
);

/** The overrides of each player. */
export async function readOverrides(db: Db, playerIds: readonly string[]): Promise<Map<string, Overrides>> {
  return Map.groupBy(await overridesOf(db, { ids: textList(db, playerIds) }), (row) => row.player_id);
}

async function readSafeAsset(db: Db, teamId: string): Promise<string | null> {
  const team = await db.selectFrom("teams").select("safe_asset_id").where("id", "=", teamId).executeTakeFirst();
  return team?.safe_asset_id ?? null;
}

/** Those of these calendars that the team has. */
async function readCalendarsOf(db: Db, teamId: string, ids: readonly string[], cache: StateCache): Promise<CalendarDays[]> {
  if (ids.length === 0) return [];
  const all = await cache.calendars.get(teamId, () => readCalendars(db, teamId));
  return ids.flatMap((id) => all.get(id) ?? []);
}

/** A digest of everything in the state. Uses JSON columns as they are stored. */
function revisionOf(player: PlayerRow, shared: SharedState): string {
  const { id, name, timezone, tags, variables, orientation, wall } = player;
  const own = JSON.stringify([id, name, timezone, tags, variables, orientation, wall, shared.known(player.layout_id)]);
  const more: string[] = [];
  // Omitted when empty, so that revisions from versions without these fields stay the same.
  if (player.safe_asset_id !== null) more.push(player.safe_asset_id);
  if (player.downloads !== null) more.push(player.downloads);
  if (player.release !== null) more.push(`release ${player.release}`);
  if (player.display_hours !== null) more.push(`display hours ${player.display_hours}`);
  if (player.recurring_commands !== "[]") more.push(`recurring commands ${player.recurring_commands}`);
  if (player.screenshots !== null) more.push(`screenshots ${player.screenshots}`);
  const end = more.length === 0 ? "" : `,${withoutBrackets(JSON.stringify(more))}`;
  return hash("sha256", `[${withoutBrackets(own)},${shared.revisionValues}${end}]`, "base64url");
}
