// Creates and changes schedules in a transaction, with all checks, for the operations and for trying a change.
import type { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { ScheduleChange } from "../../protocol/scheduling/schedules.ts";
import type { NewSchedule } from "../../schedule/validate-schedule.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { ScheduleRow } from "../store/tables/content.ts";
import { checkSchedule } from "./check.ts";
import { scheduleColumns, showSchedule } from "./schedules.ts";
import { affectsShares, checkShares } from "./shares.ts";

/** @throws ProblemError 422 for a schedule that cannot play. */
export async function insertSchedule(
  { clock, makeId }: { clock: Clock; makeId: MakeId },
  db: Db,
  teamId: string,
  schedule: z.output<typeof NewSchedule>,
): Promise<ScheduleRow> {
  const now = Math.trunc(clock.now());
  await checkSchedule(db, teamId, schedule, now);
  await checkShares(db, teamId, schedule, null, now);
  const columns = { id: makeId("sch"), team_id: teamId, ...scheduleColumns(schedule) };
  const row: ScheduleRow = { ...columns, created_at: now, updated_at: now, deleted_at: null, deleted_with: null };
  await db.insertInto("schedules").values(row).execute();
  return row;
}

/**
 * Changes the given fields; fields that are missing or undefined stay.
 * @returns the changed row, or `row` itself if nothing differs. @throws ProblemError 422 for a schedule that cannot play.
 */
export async function changeSchedule(
  { clock }: { clock: Clock },
  db: Db,
  row: ScheduleRow,
  change: z.output<typeof ScheduleChange>,
): Promise<ScheduleRow> {
  const { id: _id, created_at: _created, updated_at: _updated, deleted_at: _deleted, ...before } = showSchedule(row);
  const changes = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: typeof before = { ...before, ...changes };
  const now = Math.trunc(clock.now());
  await checkSchedule(db, row.team_id, after, now, before.target);
  if (affectsShares(changes)) await checkShares(db, row.team_id, after, row.id, now);
  const next: ScheduleRow = { ...row, ...scheduleColumns(after), updated_at: now };
  if (isSame(row, next)) return row;
  await db.updateTable("schedules").set(next).where("id", "=", row.id).execute();
  return next;
}

function isSame(a: ScheduleRow, b: ScheduleRow): boolean {
  const columns = ["name", "layout_id", "target_type", "target_value", "timing"] as const;
  return columns.every((column) => a[column] === b[column]);
}
