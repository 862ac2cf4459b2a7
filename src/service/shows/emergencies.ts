// The overrides of emergencies. A show's schedule reaches every screen, also one that returns later, and ends exactly; the override
// besides it outranks everything that a schedule does not: other overrides, pauses, and a display that is off by its hours.
import type { EventJournal } from "../events/event-journal.ts";
import { queueWithOverrides } from "../fleet/batches/batch-rows.ts";
import { cancelUnsent } from "../fleet/commands/cancel.ts";
import { unsupportedReason } from "../fleet/commands/support.ts";
import type { Commands } from "../fleet/commands/commands.ts";
import type { JournalEntry } from "../fleet/devices/device-journal.ts";
import type { Presence } from "../fleet/presence/presence.ts";
import type { Clock } from "../../base/clock.ts";
import { inChunks } from "../store/chunks.ts";
import type { Db } from "../store/store.ts";
import type { ShowRow } from "../store/tables/content.ts";
import type { CommandRow, PlayerRow } from "../store/tables/fleet.ts";

export interface EmergencyDependencies {
  clock: Clock;
  commands: Commands;
  events: EventJournal;
  presence: Presence;
}

interface Sent {
  affected: PlayerRow[];
  entries: JournalEntry[];
}

// A player counts the duration of an override that it gets later than this from then on, which would outlast the emergency. Such a
// player shows the emergency by its schedule.
const promptS = 10;
const longestTtlS = 604_800;
const mostDurationMs = 31_536_000_000;

/** Sends an emergency's override to its players, in the transaction that creates the show. */
export async function setEmergency(
  { commands, presence }: EmergencyDependencies,
  db: Db,
  show: ShowRow,
  players: readonly PlayerRow[],
): Promise<Sent> {
  const able = players.filter(({ id }) => unsupportedReason(presence, id, "override.set") === null);
  const lasts = show.ends_at === null ? null : Math.min(Math.max(show.ends_at - show.created_at, 1_000), mostDurationMs);
  const args = { layout_id: show.layout_id, level: "emergency" as const, ...(lasts === null ? {} : { duration_ms: lasts }) };
  const request = { type: "override.set", args, ttl_s: lasts === null ? longestTtlS : promptS } as const;
  const { rows, entries, affected } = await queueWithOverrides(db, commands, able, request, null);
  for (const chunk of inChunks(rows)) {
    const ids = chunk.map(({ id }) => id);
    await db.updateTable("overrides").set({ show_id: show.id }).where("command_id", "in", ids).execute();
  }
  return { affected, entries };
}

/** Ends the overrides of an emergency and no others. Players that have not got theirs never show it. */
export async function clearEmergency(
  dependencies: EmergencyDependencies,
  db: Db,
  show: ShowRow,
): Promise<Sent & { cancelled: CommandRow[] }> {
  const overrides = await db.deleteFrom("overrides").where("show_id", "=", show.id).returning(["command_id", "player_id"]).execute();
  const cancelled: CommandRow[] = [];
  for (const chunk of inChunks(overrides)) {
    const unsent = chunk.map(({ command_id }) => ({ id: command_id }));
    cancelled.push(...(await cancelUnsent(dependencies, db, unsent)));
  }
  const never = new Set(cancelled.map(({ id }) => id));
  const commandOf = new Map(overrides.map(({ player_id, command_id }) => [player_id, command_id]));
  const affected: PlayerRow[] = [];
  for (const chunk of inChunks([...commandOf.keys()])) {
    affected.push(...(await db.selectFrom("players").selectAll().where("id", "in", chunk).where("removed_at", "is", null).execute()));
  }
  const reached = affected.filter(({ id }) => !never.has(commandOf.get(id)!));
  const { entries } = await dependencies.commands.queueAll(db, reached, ({ id }) => ({
    type: "override.clear",
    args: { override_id: commandOf.get(id)! },
    ttl_s: longestTtlS,
  }));
  return { affected, entries, cancelled };
}
