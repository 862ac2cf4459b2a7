// The desired state of each player: the document that its device gets, and the revision that changes with it.
import { sql } from "kysely";
import type { DesiredState } from "../../../protocol/device/desired-state.ts";
import type { DisplayHours } from "../../../protocol/device/display-hours.ts";
import type { DownloadSettings } from "../../../protocol/device/download-settings.ts";
import type { ScreenshotSettings } from "../../../protocol/device/screenshot-settings.ts";
import type { DesiredRelease } from "../../../protocol/device/updates.ts";
import { Orientation } from "../../../protocol/content/orientation.ts";
import type { Wall } from "../../../protocol/content/wall.ts";
import type { Variables } from "../../../protocol/scheduling/variables.ts";
import { withWallTimes, type StartAndEnd } from "../../../schedule/calendar/moments.ts";
import { inChunks } from "../../store/chunks.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow, ScheduleRow } from "../../store/tables.ts";
import { desiredCalendars } from "./state-content.ts";
import { emptyCache, readOverrides, readStateInputs, type Overrides, type StateCache } from "./state-inputs.ts";

/** A player whose desired state has a new revision. */
export interface RevisionChange {
  playerId: string;
  revision: string;
}

export class DesiredStates {
  // Cleared after every write of this node that may change a state. Those of other nodes show in the revision.
  #cache: StateCache = emptyCache();

  /** The desired state of a player. Not for use inside a transaction. */
  async read(db: Db, player: PlayerRow): Promise<DesiredState> {
    const state = await readState(db, player, this.#cache);
    if (state.revision === player.revision) return state;
    // Another node has changed content, and this one has not heard of it yet.
    this.clearCache();
    return readState(db, player, this.#cache);
  }

  /** The desired state inside a transaction. Does not use the cache, since the transaction may roll back. */
  readInTransaction(db: Db, player: PlayerRow): Promise<DesiredState> {
    return readState(db, player, emptyCache());
  }

  /**
   * The desired states of many players, one after the other, as they are at one time: what equal ones share is read once.
   * @param db also a transaction that may roll back.
   */
  async *readMany(db: Db, players: readonly PlayerRow[]): AsyncGenerator<readonly [PlayerRow, DesiredState], void> {
    const cache = emptyCache();
    for (const chunk of inChunks(players)) {
      const overrides = await readOverrides(
        db,
        chunk.map(({ id }) => id),
      );
      for (const player of chunk) yield [player, await assembleState(db, player, overrides.get(player.id) ?? [], cache)];
    }
  }

  /** Must be called after every transaction that may have changed a state. */
  clearCache(): void {
    this.#cache = emptyCache();
  }

  /**
   * Updates the revisions of `players`, inside the transaction that changed their content.
   * @returns the players with a new revision.
   */
  async updateRevisions(db: Db, players: readonly PlayerRow[]): Promise<RevisionChange[]> {
    const cache = emptyCache();
    const changes: RevisionChange[] = [];
    for (const chunk of inChunks(players)) {
      const overrides = await readOverrides(
        db,
        chunk.map(({ id }) => id),
      );
      for (const player of chunk) {
        const { revision } = await readStateInputs(db, player, overrides.get(player.id) ?? [], cache);
        if (revision !== player.revision) changes.push({ playerId: player.id, revision });
      }
    }
    for (const chunk of inChunks(changes)) await storeRevisions(db, chunk);
    return changes;
  }
}

async function readState(db: Db, player: PlayerRow, cache: StateCache): Promise<DesiredState> {
  const overrides = await readOverrides(db, [player.id]);
  return assembleState(db, player, overrides.get(player.id) ?? [], cache);
}

async function assembleState(db: Db, player: PlayerRow, overrides: Overrides, cache: StateCache): Promise<DesiredState> {
  const { content, schedules, calendars, safeAssetId, revision } = await readStateInputs(db, player, overrides, cache);
  const { id, name, timezone, layout_id } = player;
  return {
    revision,
    player: {
      id,
      name,
      timezone,
      tags: JSON.parse(player.tags) as string[],
      variables: JSON.parse(player.variables) as Variables,
      // Landscape is the default and omitted.
      ...(player.orientation === "landscape" ? {} : { orientation: Orientation.parse(player.orientation) }),
      ...(player.wall === null ? {} : { wall: JSON.parse(player.wall) as Wall }),
      ...(safeAssetId === null ? {} : { safe_asset_id: safeAssetId }),
      ...(player.release === null ? {} : { release: JSON.parse(player.release) as DesiredRelease }),
      ...(player.downloads === null ? {} : { downloads: JSON.parse(player.downloads) as DownloadSettings }),
      ...(player.display_hours === null ? {} : { display_hours: JSON.parse(player.display_hours) as DisplayHours }),
      ...(player.recurring_commands === "[]"
        ? {}
        : { recurring_commands: JSON.parse(player.recurring_commands) as Record<string, unknown>[] }),
      ...(player.screenshots === null ? {} : { screenshots: JSON.parse(player.screenshots) as ScreenshotSettings }),
    },
    layout: content.layouts.find((layout) => layout.id === layout_id) ?? null,
    layouts: content.layouts.filter((layout) => layout.id !== layout_id),
    playlists: content.playlists,
    assets: content.assets,
    schedules: schedules.map(desiredSchedule),
    ...desiredCalendars(calendars),
  };
}

async function storeRevisions(db: Db, changes: readonly RevisionChange[]): Promise<void> {
  const ids = changes.map(({ playerId }) => playerId);
  const rows = changes.map(({ playerId, revision }) => sql`(cast(${playerId} as text), cast(${revision} as text))`);
  // The condition on the ids restricts the update to these players.
  await sql`with changed (id, revision) as (values ${sql.join(rows)})
    update players set revision = (select changed.revision from changed where changed.id = players.id)
    where players.id in (${sql.join(ids)})`.execute(db);
}

function desiredSchedule({ id, name, layout_id, timing }: ScheduleRow): Record<string, unknown> {
  const parsed = JSON.parse(timing) as StartAndEnd;
  return { id, name, layout_id, ...parsed, ...withWallTimes(parsed) };
}
