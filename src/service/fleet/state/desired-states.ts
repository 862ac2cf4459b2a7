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
import { BatchedLookup } from "../../store/tables/batched-lookup.ts";
import { inChunks } from "../../store/chunks.ts";
import { isOneOf, textList, type TextList } from "../../store/dialect.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import { StateCache } from "./state-cache.ts";
import { readOverrides, readStateInputs, type Overrides, type StateInputs } from "./state-inputs.ts";

/** A player whose desired state has a new revision. */
export interface RevisionChange {
  playerId: string;
  revision: string;
}

/** A state as a device receives it. */
export interface StateDocument {
  revision: string;
  /** Its JSON. */
  render: () => Buffer;
}

export class DesiredStates {
  // Cleared after every write of this node that may change a state. Those of other nodes show in the revision.
  #cache = new StateCache();
  // After a change for all players, all of them fetch their state at the same time. By then their tokens were looked up together.
  readonly #db: Db;
  readonly #overrides: BatchedLookup<Overrides>;
  readonly #players: BatchedLookup<PlayerRow>;
  #renderingCount = 0;

  /** @param db of the service: the one that is used outside of transactions */
  constructor(db: Db) {
    this.#db = db;
    this.#overrides = new BatchedLookup((ids) => readOverrides(db, ids), "tick");
    this.#players = new BatchedLookup(
      async (ids) => new Map((await playersById(db, { ids: textList(db, ids) })).map((row) => [row.id, row])),
    );
  }

  /** How often content was made into JSON for devices. */
  get renderingCount(): number {
    return this.#renderingCount;
  }

  /** The desired state of a player. Not for use inside a transaction. */
  async read(player: PlayerRow): Promise<DesiredState> {
    const { row, inputs } = await this.#readCurrent(player);
    return stateOf(row, inputs);
  }

  /** {@link read} as JSON, most of which is made once for all players with the same content. */
  async document(player: PlayerRow): Promise<StateDocument> {
    const { row, inputs, cache } = await this.#readCurrent(player);
    const render = (): Buffer => {
      const { shared, revision } = inputs;
      if (shared.renderedBytes === 0) this.#renderingCount += 1;
      const own = `{"revision":${JSON.stringify(revision)},"player":${JSON.stringify(playerOf(row, inputs))},`;
      const parts = shared.rendered(shared.known(row.layout_id));
      cache.keepRendering(shared);
      return Buffer.concat([Buffer.from(own), ...parts]);
    };
    return { revision: inputs.revision, render };
  }

  /** {@link document} of the players with these ids that exist. */
  async documents(playerIds: readonly string[]): Promise<ReadonlyMap<string, StateDocument>> {
    const rows = await playersById(this.#db, { ids: textList(this.#db, playerIds) });
    return new Map(await Promise.all(rows.map(async (row) => [row.id, await this.document(row)] as const)));
  }

  async #readCurrent(player: PlayerRow): Promise<CurrentState> {
    const before = await this.#readInputs(player, this.#cache);
    if (before.inputs.revision === player.revision) return before;
    // Content has changed since the row was read, or another node has changed it, and this one has not heard of it yet. A cache that is
    // newer than this call is newer than the row.
    if (this.#cache === before.cache) this.clearCache();
    return this.#readInputs((await this.#players.get(player.id)) ?? player, this.#cache);
  }

  async #readInputs(row: PlayerRow, cache: StateCache): Promise<CurrentState> {
    const overrides = (await this.#overrides.get(row.id)) ?? [];
    return { row, cache, inputs: await readStateInputs(this.#db, row, overrides, cache) };
  }

  /** The desired state inside a transaction. Does not use the cache, since the transaction may roll back. */
  async readInTransaction(db: Db, player: PlayerRow): Promise<DesiredState> {
    const overrides = await readOverrides(db, [player.id]);
    return stateOf(player, await readStateInputs(db, player, overrides.get(player.id) ?? [], new StateCache()));
  }

  /**
   * The desired states of many players, one after the other, as they are at one time: parts that equal ones share are read once.
   * @param db also a transaction that may roll back.
   */
  async *readMany(db: Db, players: readonly PlayerRow[]): AsyncGenerator<readonly [PlayerRow, DesiredState], void> {
    const cache = new StateCache();
    for (const chunk of inChunks(players)) {
      const overrides = await readOverrides(
        db,
        chunk.map(({ id }) => id),
      );
      for (const player of chunk) {
        yield [player, stateOf(player, await readStateInputs(db, player, overrides.get(player.id) ?? [], cache))];
      }
    }
  }

  /** Must be called after every transaction that may have changed a state. */
  clearCache(): void {
    this.#cache = new StateCache();
  }

  /**
   * Updates the revisions of `players`, inside the transaction that changed their content.
   * @returns the players with a new revision.
   */
  async updateRevisions(db: Db, players: readonly PlayerRow[]): Promise<RevisionChange[]> {
    const cache = new StateCache();
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

/** A player as {@link DesiredStates} has read it. */
interface CurrentState {
  row: PlayerRow;
  inputs: StateInputs;
  /** The cache that it was read through. */
  cache: StateCache;
}

const playersById = preparedQuery((db: Db, { ids }: { ids: TextList }) =>
  db
    .selectFrom("players")
    .selectAll()
    .where(isOneOf(db, "id", ids)),
);

function stateOf(player: PlayerRow, inputs: StateInputs): DesiredState {
  return { revision: inputs.revision, player: playerOf(player, inputs), ...inputs.shared.fields(player.layout_id) };
}

function playerOf(player: PlayerRow, { safeAssetId }: StateInputs): DesiredState["player"] {
  const { id, name, timezone } = player;
  return {
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
