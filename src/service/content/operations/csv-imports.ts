// Operations that import playlists and schedules from tables.
import type { Clock } from "../../../base/clock.ts";
import { PlaylistImport, PlaylistImportResult, ScheduleImport, ScheduleImportResult } from "../../../protocol/operator/csv-imports.ts";
import { importPlaylists } from "../../csv/playlist-import.ts";
import { importSchedules } from "../../csv/schedule-import.ts";
import type { MakeId } from "../../store/ids.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface CsvImportDependencies {
  clock: Clock;
  makeId: MakeId;
}

const operation = operationsWith<CsvImportDependencies>();

export const csvImportOperations: readonly Operation<CsvImportDependencies>[] = [
  operation({
    name: "importPlaylists",
    tag: "playlists",
    method: "POST",
    path: "/playlists/import",
    summary: "Import playlists from a table",
    description:
      "One item in each line, in the order in which they play; `playlist` is the name of its playlist. `file` names a file of the library by name or id and so gives the item's type; without a file give `type`. " +
      "`duration` is in seconds or as `1:05`; `days` (`MO-FR`), `from` and `until` (`11:00`) are its daypart; `transition` its type. Every other field of an item is a column of its name. A table has at most 200 columns and 10,000 lines. " +
      "Errors point to line and column: `/csv/12/duration`. Nothing is imported if any line has one, unless `skip_faulty`. Try it with `dry_run=true`.",
    agent: "Use it for many items at once, such as from a spreadsheet. Try it with dry_run first; for single changes use update_playlist.",
    caller: "operator",
    scope: "playlists:write",
    drafts: true,
    body: PlaylistImport,
    example: { csv: "playlist,type,text,duration,days,from,until\nLunch,text,Soup of the day,8,MO-FR,11:00,14:00" },
    status: 200,
    output: PlaylistImportResult,
    errors: ["invalid"],
    run: (dependencies, { teamId }, { body }, unitOfWork) => unitOfWork.write((db) => importPlaylists(dependencies, db, teamId, body)),
  }),
  operation({
    name: "importSchedules",
    tag: "schedules",
    method: "POST",
    path: "/schedules/import",
    summary: "Import schedules from a table",
    description:
      "One schedule in each line: `name`, `layout` (name or id), and `screens` (names or ids with `;` between them, `*` for all) or `tags`. " +
      "Its times are `first_day`, `last_day`, `days` (`MO-FR`), `from` and `until` (`11:00`), or the fields `starts_at`, `ends_at`, `rrule` and `exdates`. Further columns: `timezone`, `priority`, `enabled`, `conditions` (JSON), `loop_from`. A table has at most 200 columns and 10,000 lines. " +
      "Errors point to line and column: `/csv/12/layout`. Nothing is imported if any line has one, unless `skip_faulty`. Try it with `dry_run=true`.",
    agent: "Use it for many schedules at once, such as from a spreadsheet. Try it with dry_run first; for one use create_schedule.",
    caller: "operator",
    scope: "schedules:write",
    drafts: true,
    body: ScheduleImport,
    example: { csv: "name,layout,tags,first_day,days,from,until\nLunch,Menu,canteen,2026-11-23,MO-FR,11:00,14:00" },
    status: 200,
    output: ScheduleImportResult,
    errors: ["invalid"],
    run: (dependencies, { teamId }, { body }, unitOfWork) => unitOfWork.write((db) => importSchedules(dependencies, db, teamId, body)),
  }),
];
