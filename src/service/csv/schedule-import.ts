// Imports schedules from a table in one transaction: all lines, or those without faults if that is wanted.
import { contentEvent } from "../content/content-event.ts";
import { inTurns } from "../../base/async/in-turns.ts";
import type { Clock } from "../../base/clock.ts";
import type { ImportFault, ScheduleImport, ScheduleImportResult } from "../../protocol/operator/csv-imports.ts";
import { ProblemError } from "../http/problem.ts";
import type { Change, WriteEvent } from "../operations/unit-of-work.ts";
import { checkSchedule } from "../schedule/check.ts";
import { calendarsFor } from "../schedule/calendars/holiday-calendars.ts";
import { describeSchedule } from "../schedule/outlook/summary.ts";
import { scheduleColumns as columnsOf, showSchedule, targetedPlayers } from "../schedule/schedules.ts";
import { checkShares } from "../schedule/shares.ts";
import type { MakeId } from "../store/ids.ts";
import type { Db } from "../store/store.ts";
import type { ScheduleRow } from "../store/tables/content.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";
import { scheduleColumnOf, scheduleColumns, scheduleOfLine, type Named, type ScheduleOfLine } from "./schedule-lines.ts";
import { listed, readTable, rejected } from "./table.ts";

interface ImportDependencies {
  clock: Clock;
  makeId: MakeId;
}

export async function importSchedules(
  { clock, makeId }: ImportDependencies,
  db: Db,
  teamId: string,
  { csv, skip_faulty }: ScheduleImport,
): Promise<Change<ScheduleImportResult>> {
  const { lines } = readTable(csv, { known: scheduleColumns, needed: ["name", "layout"] });
  const [layouts, screens] = [await layoutsOf(db, teamId), await screensOf(db, teamId)];
  const now = Math.trunc(clock.now());
  const faults: ImportFault[] = [];
  const schedules: ScheduleImportResult["schedules"] = [];
  const events: WriteEvent[] = [];
  const affected = new Map<string, PlayerRow>();
  for await (const source of inTurns(lines)) {
    const read = scheduleOfLine(source, layouts, screens);
    const refused = "faults" in read ? read.faults : await checked(db, teamId, read, source.cells, now);
    faults.push(...refused);
    if ("faults" in read || refused.length > 0) continue;
    const { schedule, line } = read;
    const columns = { id: makeId("sch"), team_id: teamId, ...columnsOf(schedule) };
    const row: ScheduleRow = { ...columns, created_at: now, updated_at: now, deleted_at: null, deleted_with: null };
    await db.insertInto("schedules").values(row).execute();
    for (const player of await targetedPlayers(db, teamId, [schedule.target])) affected.set(player.id, player);
    events.push(contentEvent("schedule.created", row));
    const summary = describeSchedule(showSchedule(row), await calendarsFor(db, teamId, schedule.conditions));
    schedules.push({ id: row.id, name: row.name, summary, line });
  }
  if (faults.length > 0 && !skip_faulty) throw rejected(faults);
  return { result: { schedules, ...listed(faults) }, affected: [...affected.values()], events };
}

/** The faults that the service finds in a schedule because of other things, such as shares that exceed an hour. */
async function checked(
  db: Db,
  teamId: string,
  { schedule, line }: ScheduleOfLine,
  cells: ReadonlyMap<string, string>,
  now: number,
): Promise<ImportFault[]> {
  try {
    await checkSchedule(db, teamId, schedule, now);
    await checkShares(db, teamId, schedule, null, now);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.errors.length === 0) return [{ line, column: null, detail: error.message }];
    return error.errors.map(({ pointer, detail }) => ({ line, column: scheduleColumnOf(pointer.split("/").slice(1), cells), detail }));
  }
}

async function layoutsOf(db: Db, teamId: string): Promise<Named> {
  const rows = await db
    .selectFrom("layouts")
    .select(["id", "name"])
    .where("team_id", "=", teamId)
    .where("deleted_at", "is", null)
    .execute();
  return named(rows);
}

async function screensOf(db: Db, teamId: string): Promise<Named> {
  const rows = await db
    .selectFrom("players")
    .select(["id", "name"])
    .where("team_id", "=", teamId)
    .where("removed_at", "is", null)
    .execute();
  return named(rows);
}

function named(rows: readonly { id: string; name: string }[]): Named {
  const all = new Map<string, { id: string; name: string }[]>();
  for (const row of rows) {
    all.set(row.id, [row]);
    const name = row.name.toLowerCase();
    all.set(name, [...(all.get(name) ?? []), row]);
  }
  return all;
}
