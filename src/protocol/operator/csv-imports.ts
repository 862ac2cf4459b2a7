// Importing playlists and schedules from tables (CSV).
import { z } from "zod";
import { id, Name, TimeZone } from "../common.ts";
import { mostErrors } from "../refusal.ts";

const csv = z
  .string()
  .min(1)
  .max(900_000)
  .describe("The table: names of columns in its first line, separated by comma, semicolon or tab, quoted as by RFC 4180");
const skip_faulty = z
  .boolean()
  .default(false)
  .describe("`true`: lines with faults are left out and listed in `skipped`. `false`: any fault rejects the whole table");
const timezone = TimeZone.default("UTC").describe("The time zone of times in the table that have none");

/** Why a line of a table cannot be used. */
export const ImportFault = z
  .object({
    line: z.int().min(1).describe("In the table's text, from 1"),
    column: z.string().nullable().describe("The column's name; null: the whole line"),
    detail: z.string().describe("What is wrong, and the remedy"),
  })
  .meta({ id: "ImportFault" });
export type ImportFault = z.infer<typeof ImportFault>;

const skippedFields = {
  skipped: z
    .array(ImportFault)
    .max(mostErrors)
    .describe("With `skip_faulty`: the faults of the lines that were left out, the first of them"),
  skipped_lines: z.int().min(0).describe("How many lines were left out"),
  more_skipped: z.int().min(0).describe("How many faults there are beside those in `skipped`"),
};

/** A table of playlists: one item in each line. */
export const PlaylistImport = z
  .strictObject({
    csv,
    when_exists: z
      .enum(["create", "append", "replace"])
      .default("create")
      .describe("If a playlist of the same name exists: create another, add the items at its end, or replace its items"),
    timezone,
    skip_faulty,
  })
  .meta({ id: "PlaylistImport" });
export type PlaylistImport = z.infer<typeof PlaylistImport>;

export const PlaylistImportResult = z
  .object({
    playlists: z.array(
      z.object({
        id: id("pls"),
        name: Name,
        action: z.enum(["created", "changed", "unchanged"]),
        item_count: z.int().min(0).describe("How many items it has then"),
        line: z.int().min(1).describe("The first line that names it"),
      }),
    ),
    ...skippedFields,
  })
  .meta({ id: "PlaylistImportResult" });
export type PlaylistImportResult = z.infer<typeof PlaylistImportResult>;

/** A table of schedules: one in each line. */
export const ScheduleImport = z.strictObject({ csv, skip_faulty }).meta({ id: "ScheduleImport" });
export type ScheduleImport = z.infer<typeof ScheduleImport>;

export const ScheduleImportResult = z
  .object({
    schedules: z.array(
      z.object({ id: id("sch"), name: Name, summary: z.string().describe("In words: “Fridays 22:00 to 02:00”"), line: z.int().min(1) }),
    ),
    ...skippedFields,
  })
  .meta({ id: "ScheduleImportResult" });
export type ScheduleImportResult = z.infer<typeof ScheduleImportResult>;
