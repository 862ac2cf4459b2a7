// Gives players the version of a rollout, and takes it back, a batch of players in each transaction.
import { sql } from "kysely";
import { ReleaseVersion, type DesiredRelease } from "../../../protocol/device/updates.ts";
import { canonicalJson } from "../../store/canonical-json.ts";
import { inChunks } from "../../store/chunks.ts";
import type { PlayerRow, RolloutPlayerRow, RolloutRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import type { Presence } from "../presence/presence.ts";
import { notBegunStates, progressOf } from "./player-progress.ts";
import { ringOf } from "./ring-members.ts";
import { isInProgress, releaseOf, settingsOf } from "./settings.ts";

/** How many players one transaction changes. Other writes wait for it. */
const batchSize = 500;
const scanSize = 500;

/** The players that a transaction has changed. */
export interface Assignment {
  /** The players whose desired state changes. */
  affected: PlayerRow[];
  players: RolloutPlayerRow[];
}

/** The players that a rollout should get next, and where to continue; null: there are no more. */
export interface NextPlayers {
  ids: string[];
  next: string | null;
}

/**
 * Finds players that the rings of a rollout select up to the current one, and that no rollout decides about, in the order of their
 * ids. @param after the `next` of the call before, or "".
 */
export async function findNextPlayers(db: Db, row: RolloutRow, after: string): Promise<NextPlayers> {
  const { rings } = settingsOf(row);
  const begun = rings.slice(0, row.ring + 1);
  const ids: string[] = [];
  let next: string | null = after;
  while (next !== null && ids.length < batchSize) {
    const scanned: { id: string; tags: string }[] = await unassigned(db, row)
      .select(["players.id", "players.tags"])
      .where("players.id", ">", next)
      .orderBy("players.id")
      .limit(scanSize)
      .execute();
    ids.push(...scanned.filter((player) => ringOf(row.id, begun, player) !== null).map(({ id }) => id));
    next = scanned.length < scanSize ? null : scanned.at(-1)!.id;
  }
  return { ids, next };
}

/** Gives these players the version, unless another rollout has got them meanwhile. */
export async function assignPlayers(
  db: Db,
  presence: Presence,
  row: RolloutRow,
  playerIds: readonly string[],
  now: number,
): Promise<Assignment> {
  const { rings } = settingsOf(row);
  const rows: PlayerRow[] = [];
  for (const ids of inChunks(playerIds)) {
    rows.push(...(await unassigned(db, row).selectAll("players").where("players.id", "in", ids).execute()));
  }
  const players = rows.flatMap((player): RolloutPlayerRow[] => {
    const ring = ringOf(row.id, rings.slice(0, row.ring + 1), player);
    return ring === null ? [] : [newPlayer(presence, row, player, ring, now)];
  });
  for (const chunk of inChunks(players, 50)) await db.insertInto("rollout_players").values(chunk).execute();
  const assigned = new Set(players.map(({ player_id }) => player_id));
  const release = canonicalJson(releaseOf(row));
  const affected = await setReleases(
    db,
    rows.filter(({ id }) => assigned.has(id)).map((player) => ({ player, release })),
  );
  return { affected, players };
}

/** Gives the version again to players from whom it was taken back, after the rollout was resumed. At most a batch. */
export async function assignAgain(db: Db, row: RolloutRow, now: number): Promise<Assignment> {
  const rows = await presentMembers(db, row).where("is_assigned", "=", 0).limit(batchSize).execute();
  const release = canonicalJson(releaseOf(row));
  // An earlier failure does not count again.
  const players = rows.map((player): RolloutPlayerRow => {
    const isRetried = player.state === "failed" || player.state === "control-failed";
    const ignored_attempt_at = isRetried ? player.attempt_at : player.ignored_attempt_at;
    const state = isRetried ? "waiting" : player.state;
    return { ...player, is_assigned: 1, state, ignored_attempt_at, attempt_at: null, changed_at: now };
  });
  await storePlayers(db, players);
  return { affected: await changeReleases(db, players, () => release), players };
}

/** Marks the players that had not begun when the rollout halted, for {@link assignAgain}. */
export async function markForAssignment(db: Db, row: RolloutRow): Promise<void> {
  const notBegun = db.updateTable("rollout_players").set({ is_assigned: 0 }).where("rollout_id", "=", row.id).where("is_active", "=", 1);
  await notBegun.where("state", "in", notBegunStates).execute();
}

/** Takes the version back from the players that had not begun with it. At most a batch. */
export async function withdraw(db: Db, row: RolloutRow, now: number): Promise<Assignment> {
  const rows = await presentMembers(db, row).where("is_assigned", "=", 1).where("state", "in", notBegunStates).limit(batchSize).execute();
  const players = rows.map((player): RolloutPlayerRow => ({ ...player, is_assigned: 0, changed_at: now }));
  await storePlayers(db, players);
  return { affected: await changeReleases(db, players, ({ previous_release }) => previous_release), players };
}

/** Releases players of a rollout that has ended. At most a batch. */
export async function releasePlayers(db: Db, presence: Presence, row: RolloutRow): Promise<Assignment> {
  if (isInProgress(row)) throw new TypeError(`the rollout ${row.id} has not ended`);
  const rows = await membersOf(db, row).limit(batchSize).execute();
  const players = rows.map((player): RolloutPlayerRow => {
    const isOffline = isPending(player) && !presence.isOnline(player.player_id);
    return { ...player, is_active: 0, state: isOffline ? "offline" : player.state };
  });
  await storePlayers(db, players);
  const assigned = rows.filter(({ is_assigned, state }) => is_assigned === 1 || !notBegunStates.includes(state));
  const affected = await changeReleases(db, assigned, (player, current) => {
    if (row.status === "aborted") return returnRelease(row, player);
    return row.status === "replaced" && notBegunStates.includes(player.state) ? player.previous_release : current;
  });
  return { affected, players };
}

/** True if the result of a player is still open. */
export function isPending({ state }: Pick<RolloutPlayerRow, "state">): boolean {
  return !["kept", "failed", "control-failed", "unsupported", "offline", "left"].includes(state);
}

/** The release by which a player of an aborted rollout returns to the version that it ran before. */
function returnRelease(row: RolloutRow, { state, previous_version, previous_release }: RolloutPlayerRow): string | null {
  if (previous_version === null || state === "unsupported") return previous_release;
  const before = previous_release === null ? null : (JSON.parse(previous_release) as DesiredRelease);
  return before?.version === previous_version ? previous_release : canonicalJson(releaseOf(row, previous_version));
}

function newPlayer(presence: Presence, row: RolloutRow, player: PlayerRow, ring: number, now: number): RolloutPlayerRow {
  const heartbeat = presence.latest(player.id)?.heartbeat;
  const version = ReleaseVersion.safeParse(heartbeat?.player_version);
  const last = heartbeat?.update?.last_attempt;
  const ignored_attempt_at = last?.version === row.version && last.outcome !== "probation" ? last.at : null;
  const unknown = { state: "waiting" as const, detail: null, attempt_at: null };
  const progress = heartbeat === undefined ? unknown : progressOf({ version: row.version, ignored_attempt_at }, heartbeat);
  return {
    rollout_id: row.id,
    player_id: player.id,
    team_id: player.team_id,
    ring,
    ...progress,
    is_active: 1,
    is_assigned: 1,
    previous_version: version.success ? version.data : null,
    previous_release: player.release,
    ignored_attempt_at,
    assigned_at: now,
    changed_at: now,
  };
}

/** The players of the team that no rollout decides about and that this one has not reached. */
function unassigned(db: Db, row: RolloutRow) {
  const decided = db
    .selectFrom("rollout_players")
    .select("rollout_players.player_id")
    .where("rollout_players.player_id", "=", sql<string>`players.id`)
    .where((where) => where.or([where("rollout_players.is_active", "=", 1), where("rollout_players.rollout_id", "=", row.id)]));
  return db
    .selectFrom("players")
    .where("players.team_id", "=", row.team_id)
    .where("players.removed_at", "is", null)
    .where((where) => where.not(where.exists(decided)));
}

function membersOf(db: Db, row: RolloutRow) {
  return db.selectFrom("rollout_players").selectAll().where("rollout_id", "=", row.id).where("is_active", "=", 1).orderBy("player_id");
}

/** Without deleted players, which catch up when they are restored. */
function presentMembers(db: Db, row: RolloutRow) {
  const deleted = db.selectFrom("players").select("id").where("team_id", "=", row.team_id).where("removed_at", "is not", null);
  return membersOf(db, row).where("player_id", "not in", deleted);
}

async function storePlayers(db: Db, players: readonly RolloutPlayerRow[]): Promise<void> {
  for (const { rollout_id, player_id, ...values } of players) {
    await db.updateTable("rollout_players").set(values).where("rollout_id", "=", rollout_id).where("player_id", "=", player_id).execute();
  }
}

async function changeReleases(
  db: Db,
  players: readonly RolloutPlayerRow[],
  releaseFor: (player: RolloutPlayerRow, current: string | null) => string | null,
): Promise<PlayerRow[]> {
  const byId = new Map(players.map((player) => [player.player_id, player]));
  const rows: PlayerRow[] = [];
  for (const ids of inChunks([...byId.keys()])) rows.push(...(await db.selectFrom("players").selectAll().where("id", "in", ids).execute()));
  return setReleases(
    db,
    rows.map((player) => ({ player, release: releaseFor(byId.get(player.id)!, player.release) })),
  );
}

/** Stores the releases of players, also of deleted ones. @returns the players whose desired state changes, as they are now. */
async function setReleases(db: Db, changes: readonly { player: PlayerRow; release: string | null }[]): Promise<PlayerRow[]> {
  const changed = changes.filter(({ player, release }) => player.release !== release);
  for (const [release, same] of Map.groupBy(changed, (each) => each.release)) {
    for (const chunk of inChunks(same)) {
      const ids = chunk.map(({ player }) => player.id);
      await db.updateTable("players").set({ release }).where("id", "in", ids).execute();
    }
  }
  return changed.filter(({ player }) => player.removed_at === null).map(({ player, release }) => ({ ...player, release }));
}
