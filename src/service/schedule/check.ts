// Checks a schedule before it is stored: its fields together, and that everything it refers to exists.
import type { OneTarget, ScheduleTarget } from "../../protocol/scheduling/schedules.ts";
import { validateSchedule } from "../../schedule/validate-schedule.ts";
import { invalidFields } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import { calendarsFor, missingCalendars } from "./calendars/holiday-calendars.ts";
import { flattenTarget, scheduleColumns, targetedPlayers } from "./schedules.ts";

/**
 * Checks a schedule before it is stored.
 * @param before its previous target: players that it named already may be in the bin.
 * @throws ProblemError 422 that names each invalid field, also references to things that do not exist.
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
  const layouts = db.selectFrom("layouts").select("id").where("team_id", "=", teamId).where("id", "=", layout_id);
  // Not in the bin: a layout is not put there while a schedule shows it either.
  const layout = await layouts.where("deleted_at", "is", null).executeTakeFirst();
  if (layout === undefined) errors.push({ pointer: "/layout_id", detail: "there is no such layout" });
  errors.push(...(await unknownPlayers(db, teamId, target, before)));
  errors.push(...missingCalendars(schedule.conditions, await calendarsFor(db, teamId, schedule.conditions), ""));
  if (sync_epoch !== null && Date.parse(sync_epoch) > now) {
    errors.push({ pointer: "/sync_epoch", detail: "must not be in the future: loops count from an instant in the past" });
  }
  if (sync_epoch !== null && loop_from === "window") {
    errors.push({ pointer: "/loop_from", detail: "must be epoch if sync_epoch is given: loops count from one instant" });
  }
  if (errors.length === 0) return;
  throw invalidFields(errors);
}

/** Players that a target names and that do not exist, unless `before` named them. */
async function unknownPlayers(
  db: Db,
  teamId: string,
  target: ScheduleTarget,
  before: ScheduleTarget | undefined,
): Promise<{ pointer: string; detail: string }[]> {
  const playerIdsOf = (one: OneTarget) => (one.type === "player" ? [one.player_id] : []);
  const targets = flattenTarget(target);
  const known = new Set(before === undefined ? [] : flattenTarget(before).flatMap(playerIdsOf));
  const added = targets.filter((one) => one.type === "player" && !known.has(one.player_id));
  for (const { id } of await targetedPlayers(db, teamId, added)) known.add(id);
  return targets.flatMap((one, index) => {
    if (one.type !== "player" || known.has(one.player_id)) return [];
    const pointer = target.type === "any" ? `/target/of/${index}/player_id` : "/target/player_id";
    return [{ pointer, detail: "there is no such screen" }];
  });
}
