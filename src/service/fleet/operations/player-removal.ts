// Moves players to the bin and back, with everything that depends on them: for one player and for many.
import { contentEvent } from "../../content/content-event.ts";
import { restorePlayer } from "../../cleanup/bin-restore.ts";
import { discardPlayer } from "../../cleanup/bin.ts";
import type { Commands } from "../commands/commands.ts";
import type { ConnectivityEvents } from "../presence/connectivity-events.ts";
import type { DeviceJournal } from "../devices/device-journal.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import { findActivePlayer } from "../rollouts/player-hooks.ts";
import type { RolloutTracker } from "../rollouts/tracker.ts";
import type { Db } from "../../store/store.ts";
import type { ScheduleRow } from "../../store/tables/content.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import type { WriteEvent } from "../../operations/unit-of-work.ts";

export interface PlayerRemovalDependencies {
  commands: Commands;
  journal: DeviceJournal;
  links: ConnectivityEvents;
  problems: PlayerProblems;
  rollouts: RolloutTracker;
}

/** Moves a player to the bin, unless it is there already. @returns its schedules and events, and a function to call after the commit. */
export async function removePlayer(
  { commands, journal, links, problems, rollouts }: PlayerRemovalDependencies,
  db: Db,
  row: PlayerRow,
  now: number,
): Promise<{ schedules: ScheduleRow[]; events: WriteEvent[]; committed: () => void }> {
  const schedules = row.removed_at === null ? await discardPlayer(db, row, now) : [];
  await commands.cancelAll(db, row.id);
  await journal.clear(db, row.id);
  const ended = await links.deletePlayer(db, row);
  await rollouts.announcePlayers(db, [row.id]);
  const committed = () => {
    links.forget(row.id);
    problems.forget(row.id);
    rollouts.forgetPlayer(row.id);
  };
  const deleted = schedules.map((schedule) => scheduleEvent("schedule.deleted", schedule));
  return { schedules, events: [...ended, playerEvent("player.removed", row), ...deleted], committed };
}

/** Brings a player back from the bin, with its schedules and the layouts that it shows. */
export async function returnPlayer(
  { rollouts }: Pick<PlayerRemovalDependencies, "rollouts">,
  db: Db,
  row: PlayerRow,
  now: number,
): Promise<{ player: PlayerRow; events: WriteEvent[]; committed: () => void }> {
  const others: WriteEvent[] = [];
  const { player, schedules } = await restorePlayer(db, row, now, (event) => others.push(event));
  const restored = schedules.map((schedule) => scheduleEvent("schedule.restored", schedule));
  const member = await findActivePlayer(db, row.id);
  const committed = await rollouts.announce(db, { players: member === undefined ? [] : [member] });
  return { player, events: [...others, playerEvent("player.restored", player), ...restored], committed };
}

export function playerEvent(type: "player.removed" | "player.restored" | "player.replaced", row: PlayerRow): WriteEvent {
  return { teamId: row.team_id, type, data: { player_id: row.id, name: row.name }, players: [row.id] };
}

/** The event of a schedule that is deleted or restored together with its player. */
function scheduleEvent(type: "schedule.deleted" | "schedule.restored", row: ScheduleRow): WriteEvent {
  return { ...contentEvent(type, row), players: [row.target_value] };
}
