// Makes the rows of the roster: few queries for a thousand screens, the rest from memory.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import { iso } from "../../../base/time.ts";
import { Orientation } from "../../../protocol/content/orientation.ts";
import type { RosterPlayer } from "../../../protocol/operator/roster.ts";
import { shownReasonOf } from "../../../protocol/operator/roster-states.ts";
import type { AlertEngine } from "../../alerts/engine.ts";
import { findingsOf } from "../../alerts/observe.ts";
import type { AlertSettingsBook } from "../../alerts/settings.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db, Store } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import type { ConnectivityEvents } from "../presence/connectivity-events.ts";
import { filterPlayers, type NewestScreenshot, newestScreenshots, selectPlayers } from "../store.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import type { Glance, Presence } from "../presence/presence.ts";
import { stateOf } from "./state.ts";

export interface RosterDependencies {
  alerts: AlertEngine;
  alertSettings: AlertSettingsBook;
  clock: Clock;
  links: ConnectivityEvents;
  presence: Presence;
  problems: PlayerProblems;
  store: Store;
}

/** The columns of a player that its row needs. */
const rosterColumns = [
  "id",
  "team_id",
  "name",
  "tags",
  "timezone",
  "orientation",
  "revision",
  "maintenance_until",
  "created_at",
] as const satisfies readonly (keyof PlayerRow)[];
export type RosterColumns = Pick<PlayerRow, (typeof rosterColumns)[number]>;

export function selectRoster(db: Db, teamId: string, ids: string | undefined) {
  return filterPlayers(selectPlayers(db, teamId), { ids }).clearSelect().select(rosterColumns);
}

// Reading a stored heartbeat takes some microseconds. Between so many, other work runs.
const rowsPerTurn = 100;

/** The rows of these players of one team, in their order. */
export async function rosterRows(
  dependencies: RosterDependencies,
  teamId: string,
  rows: readonly RosterColumns[],
): Promise<RosterPlayer[]> {
  const { presence, store } = dependencies;
  const screenshots = await newestScreenshots(
    store.db,
    rows.map(({ id }) => id),
  );
  const glances: (Glance | null)[] = [];
  for (const [index, { id }] of rows.entries()) {
    glances.push(presence.glance(id));
    if (index % rowsPerTurn === rowsPerTurn - 1) await setImmediate();
  }
  const layoutIds = new Set(glances.flatMap((glance) => (glance === null ? [] : (shownReasonOf(glance)?.layout_id ?? []))));
  const layouts = await layoutNames(store.db, teamId, [...layoutIds]);
  return rows.map((row, index) => rosterRow(dependencies, row, glances[index]!, layouts, screenshots.get(row.id) ?? null));
}

function rosterRow(
  { alerts, alertSettings, clock, links, presence, problems }: RosterDependencies,
  row: RosterColumns,
  glance: Glance | null,
  layouts: ReadonlyMap<string, string>,
  screenshot: NewestScreenshot | null,
): RosterPlayer {
  const now = Math.trunc(clock.now());
  const { id, team_id: teamId, name, created_at: createdAt, maintenance_until: maintenanceUntil } = row;
  const tags = JSON.parse(row.tags) as string[];
  const lastSeenAt = glance === null ? null : presence.lastSeenAt(id);
  const isConnected = lastSeenAt !== null && presence.isOnline(id);
  const isOnline = isConnected || (lastSeenAt !== null && links.isReportedOnline(id));
  const latest = glance === null ? null : { receivedAt: lastSeenAt ?? createdAt, heartbeat: glance };
  const list = problems.listFor(row, latest);
  const view = alerts.view({ id, teamId, name, tags, site: null, createdAt, maintenanceUntil });
  const findings = findingsOf(view, alertSettings.of(teamId), now, alerts.isGrace);
  const reason = glance === null || !isOnline ? null : shownReasonOf(glance);
  const layoutId = reason?.layout_id ?? null;
  const layoutName = layoutId === null ? undefined : layouts.get(layoutId);
  return {
    id,
    name,
    tags,
    status: isConnected ? "online" : "offline",
    ...stateOf(
      { isOnline, lastSeenAt, createdAt, maintenanceUntil, glance, problems: list.problems, leftOut: list.problems_left_out, findings },
      now,
    ),
    last_seen_at: iso(lastSeenAt),
    timezone: row.timezone ?? glance?.timezone ?? null,
    orientation: Orientation.parse(row.orientation),
    in_sync: isConnected && glance !== null ? glance.content.applied_revision === row.revision : null,
    // A device may name a layout that was deleted, or that never was its team's.
    playing:
      reason === null
        ? null
        : { layout_id: layoutName === undefined ? null : layoutId, name: layoutName ?? reason.name, layer: reason.layer },
    screenshot,
  };
}

/** The names of the layouts that the team has, also of those in the bin. */
async function layoutNames(db: Db, teamId: string, layoutIds: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const ids of inChunks(layoutIds)) {
    const rows = await db.selectFrom("layouts").select(["id", "name"]).where("team_id", "=", teamId).where("id", "in", ids).execute();
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}
