// Makes schedules from the lines of a table. Knows layouts and screens by their ids and names.
import { dayMs, iso } from "../../base/time.ts";
import type { ImportFault } from "../../protocol/operator/csv-imports.ts";
import { weekdays } from "../../protocol/scheduling/opening-hours.ts";
import { ScheduleChange, type ScheduleTarget, type OneTarget } from "../../protocol/scheduling/schedules.ts";
import { NewSchedule } from "../../schedule/validate-schedule.ts";
import type { z } from "zod";
import { validate } from "../http/input/errors.ts";
import type { TableLine } from "./table.ts";
import { timeOfDay, valueFor, weekdaysOf } from "./values.ts";

/** Columns that are read as the API's fields of the same name. */
const plainColumns = [
  "name",
  "starts_at",
  "ends_at",
  "rrule",
  "exdates",
  "timezone",
  "priority",
  "enabled",
  "conditions",
  "loop_from",
] as const;

/** All columns that a table of schedules may have. */
export const scheduleColumns: readonly string[] = [
  ...plainColumns,
  "layout",
  "screens",
  "tags",
  "first_day",
  "last_day",
  "days",
  "from",
  "until",
];

/** Things of the team by id, and by name in lower case. */
export type Named = ReadonlyMap<string, readonly { id: string; name: string }[]>;

export interface ScheduleOfLine {
  line: number;
  schedule: z.output<typeof NewSchedule>;
}

export function scheduleOfLine({ line, cells }: TableLine, layouts: Named, screens: Named): ScheduleOfLine | { faults: ImportFault[] } {
  const faults: ImportFault[] = [];
  const fault = (column: string, detail: string): void => void faults.push({ line, column, detail });
  const one = (column: string, cell: string, known: Named, what: string): string | null => {
    const found = known.get(cell) ?? known.get(cell.toLowerCase()) ?? [];
    if (found.length === 1) return found[0]!.id;
    const shown = `“${cell.slice(0, 100)}”`;
    if (found.length === 0) fault(column, `there is no ${what} ${shown}: correct the name, or write its id`);
    else fault(column, `${found.length} have the name ${shown}: write the id of one of them, such as ${found[0]!.id}`);
    return null;
  };
  const layout = cells.get("layout");
  const layoutId = layout === undefined ? null : one("layout", layout, layouts, "layout");
  if (layout === undefined) fault("layout", "is missing: the name or the id of the layout that plays");
  const fields: Record<string, unknown> = { layout_id: layoutId, target: targetOf(), ...timesOf() };
  for (const column of plainColumns) {
    const cell = cells.get(column);
    if (cell === undefined) continue;
    // A list of days without the brackets of JSON.
    const value = column === "exdates" && !cell.startsWith("[") ? cell.split(/[\s,;]+/) : valueFor(ScheduleChange.shape[column], cell);
    fields[column] = value;
  }
  if (faults.length > 0) return { faults };
  const validation = validate(NewSchedule, fields);
  if ("value" in validation) return { line, schedule: validation.value };
  for (const { path, detail } of validation.errors) fault(scheduleColumnOf(path, cells), detail);
  return { faults };

  function targetOf(): ScheduleTarget {
    const listed = (column: string): string[] => (cells.get(column) ?? "").split(/[;|\n]/).flatMap((part) => part.trim() || []);
    if (cells.get("screens") === "*") return { type: "team" };
    const targets: OneTarget[] = [
      ...listed("tags").map((tag) => ({ type: "tag" as const, tag })),
      ...listed("screens").flatMap((cell) => {
        const player_id = one("screens", cell, screens, "screen");
        return player_id === null ? [] : [{ type: "player" as const, player_id }];
      }),
    ];
    if (targets.length === 0 && faults.length === 0)
      fault("screens", "is missing: names of screens with ; between them, * for all, or tags in the column tags");
    return targets.length === 1 ? targets[0]! : { type: "any", of: targets };
  }

  /** The fields for “MO-FR, 11:00 to 14:00, from a first to a last day”. */
  function timesOf(): Record<string, unknown> {
    const first = cells.get("first_day");
    const [days, from, until, last] = ["days", "from", "until", "last_day"].map((column) => cells.get(column));
    if (first === undefined) {
      if ([days, from, until, last].some((cell) => cell !== undefined)) fault("first_day", "is missing: the first day on which it plays");
      return {};
    }
    const day = Date.parse(`${first}T00:00Z`);
    // Date.parse accepts 31 April as 1 May.
    if (Number.isNaN(day) || iso(day).slice(0, 10) !== first) {
      fault("first_day", "must be a date such as 2026-12-24");
      return {};
    }
    const named = days === undefined ? [...weekdays] : weekdaysOf(days);
    if (named === null) fault("days", "must be weekdays such as MO TU WE, or MO-FR");
    const [begins, ends] = [timeOfDay(from ?? "00:00"), timeOfDay(until ?? "24:00")];
    // A window past midnight ends on the next day, and so does one until 24:00.
    const endDay = ends <= begins || ends === "24:00" ? iso(day + dayMs).slice(0, 10) : first;
    const rule = `FREQ=WEEKLY;BYDAY=${(named ?? []).join(",")}`;
    return {
      starts_at: `${first}T${begins}`,
      ends_at: `${endDay}T${ends === "24:00" ? "00:00" : ends}`,
      rrule: last === undefined ? rule : `${rule};UNTIL=${last.replaceAll("-", "")}`,
    };
  }
}

/** The column that a fault of a schedule belongs to. @param path of the field in the schedule */
export function scheduleColumnOf(path: readonly PropertyKey[], cells: ReadonlyMap<string, string>): string {
  const field = String(path[0] ?? "name");
  if (field === "layout_id") return "layout";
  if (field === "target") return cells.has("screens") ? "screens" : "tags";
  const shorts = { starts_at: ["from", "first_day"], ends_at: ["until", "first_day"], rrule: ["last_day", "days", "first_day"] };
  if (field in shorts && !cells.has(field)) return shorts[field as keyof typeof shorts].find((column) => cells.has(column)) ?? field;
  return field;
}
