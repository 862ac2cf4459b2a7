// Rejects interrupts whose shares together exceed the hour on one of a team's players.
import { activeTimesOf, areComparable, findShareConflict, sumOfShares, type ActiveTimes } from "../../schedule/shares.ts";
import { unmetTag } from "../../schedule/agenda/player-conditions.ts";
import { invalidField } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { datesByCalendar, readCalendars } from "./calendars/holiday-calendars.ts";
import {
  groupByTarget,
  isEnabled,
  scheduleColumns,
  schedulesForPlayer,
  schedulesOutsideBin,
  showSchedule,
  targetedPlayers,
} from "./schedules.ts";

type NewSchedule = Parameters<typeof scheduleColumns>[0];

// Further schedules are not compared: players scale down shares that exceed the hour.
const maxCompared = 200;
// Opening hours may have fifty intervals a day for a year.
const maxIntervals = 200_000;

const relevantFields: readonly string[] = [
  "enabled",
  "interrupt",
  "target",
  "conditions",
  "starts_at",
  "ends_at",
  "rrule",
  "exdates",
  "timezone",
];

/** True if a change of these fields may cause a conflict of shares. A new name must not fail for a conflict that existed before. */
export function affectsShares(change: object): boolean {
  return Object.keys(change).some((field) => relevantFields.includes(field));
}

/** @throws ProblemError 422 with the share that is left, if `schedule` and other interrupts exceed the hour on a player. */
export async function checkShares(db: Db, teamId: string, schedule: NewSchedule, ownId: string | null, now: number): Promise<void> {
  const conflict = await findConflict(db, teamId, schedule, ownId, now);
  if (conflict !== null) throw invalidField("/interrupt/share_percent", conflict);
}

/**
 * A certain conflict of `schedule` with the other interrupts on a player, as a text; null: none was found. A conflict that is not
 * found here does no harm: players scale down shares that exceed the hour.
 */
async function findConflict(db: Db, teamId: string, schedule: NewSchedule, ownId: string | null, now: number): Promise<string | null> {
  if (schedule.interrupt === null || !schedule.enabled) return null;
  const rows = await schedulesOutsideBin(db, teamId).where("timing", "like", '%"interrupt":{%').execute();
  const others = rows.filter((row) => row.id !== ownId && isEnabled(row)).map((row) => ({ row, other: showSchedule(row) }));
  const comparable = others
    .filter(({ other }) => areComparable(schedule, other))
    .toSorted((a, b) => b.other.interrupt!.share_percent - a.other.interrupt!.share_percent)
    .slice(0, maxCompared);
  const all = [schedule, ...comparable.map(({ other }) => other)];
  if (sumOfShares(all) <= 100) return null;
  const needsCalendars = all.some(({ conditions }) => conditions.some(({ type }) => type === "calendar"));
  const calendars = needsCalendars ? datesByCalendar(await readCalendars(db, teamId)) : new Map<string, string[]>();
  const own = activeTimesOf(schedule, now, calendars);
  const timesById = new Map<string, ActiveTimes>();
  let intervals = own.intervals.length;
  for (const { row, other } of comparable) {
    const times = activeTimesOf(other, now, calendars);
    intervals += times.intervals.length;
    if (intervals > maxIntervals) break;
    timesById.set(row.id, times);
  }
  const byTarget = groupByTarget(comparable.flatMap(({ row }) => (timesById.has(row.id) ? row : [])));
  const compared = new Set<string>();
  for (const player of await targetedPlayers(db, teamId, [schedule.target])) {
    if (!matchesTags(schedule, player)) continue;
    const here = schedulesForPlayer(byTarget, player).filter(({ id }) => matchesTags(timesById.get(id)!.schedule, player));
    const key = here.map(({ id }) => id).join();
    if (compared.has(key)) continue;
    compared.add(key);
    const conflict = findShareConflict(
      own,
      here.map(({ id }) => timesById.get(id)!),
    );
    if (conflict !== null) return `${conflict}, for example on “${player.name}”`;
  }
  return null;
}

function matchesTags({ conditions }: Pick<NewSchedule, "conditions">, player: PlayerRow): boolean {
  return unmetTag(conditions, JSON.parse(player.tags) as string[]) === undefined;
}
