// A table with named columns, and the faults that are found in it line by line.
import { closestName } from "../../base/closest-name.ts";
import { CsvError, readCsv } from "../../base/csv.ts";
import type { ImportFault, PlaylistImportResult } from "../../protocol/operator/csv-imports.ts";
import { mostErrors } from "../../protocol/refusal.ts";
import { invalidField, invalidFields } from "../http/problem.ts";
import { bodyPointer } from "../http/input/validation.ts";

/** A line by the names of its columns, without empty cells. */
export interface TableLine {
  line: number;
  cells: ReadonlyMap<string, string>;
}

export interface Table {
  lines: readonly TableLine[];
  columns: readonly string[];
}

type SkippedLines = Omit<PlaylistImportResult, "playlists">;

const mostLines = 10_000;
// Far more than there are names of columns; spreadsheets add empty ones.
const mostColumns = 200;

/** @throws ProblemError 422 if the text is no table, or its first line lacks a column or has one that is not known. */
export function readTable(csv: string, { known, needed }: { known: readonly string[]; needed: readonly string[] }): Table {
  const [header, ...rest] = linesOf(csv);
  if (header === undefined) throw invalidField("/csv", "is empty: its first line names the columns");
  const columns = header.cells.map((cell) =>
    cell
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, "_"),
  );
  const faults = columns.flatMap((column, index) => {
    if (column === "" && rest.every(({ cells }) => (cells[index] ?? "").trim() === "")) return [];
    if (columns.indexOf(column) !== index) return [{ line: header.line, column, detail: "is there twice: remove one of the columns" }];
    if (known.includes(column)) return [];
    const meant = closestName(column, known);
    const remedy = meant === undefined ? `the columns are ${known.join(", ")}` : `did you mean ${meant}?`;
    return [{ line: header.line, column, detail: `is no column: ${remedy}` }];
  });
  for (const column of needed) {
    if (!columns.includes(column)) faults.push({ line: header.line, column, detail: "is missing: add this column" });
  }
  if (faults.length > 0) throw rejected(faults);
  if (rest.length === 0) throw invalidField("/csv", "has no line below the names of the columns");
  return {
    columns,
    lines: rest.map(({ line, cells }) => ({
      line,
      cells: new Map(columns.map((column, index) => [column, (cells[index] ?? "").trim()] as const).filter(([, cell]) => cell !== "")),
    })),
  };
}

function linesOf(csv: string) {
  try {
    return readCsv(csv, { columns: mostColumns, lines: mostLines });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw rejected([{ line: error.line, column: null, detail: error.message }]);
  }
}

/** The refusal of a table. A pointer names the line and the column: `/csv/12/duration`. */
export function rejected(faults: readonly ImportFault[]) {
  const { skipped, more_skipped } = listed(faults);
  return invalidFields(
    skipped.map(({ line, column, detail }) => ({
      pointer: `/csv/${line}${column === null ? "" : bodyPointer([column])}`,
      detail: `line ${line}: ${detail}`,
    })),
    more_skipped,
  );
}

/** The first faults by their lines, and how many more there are. */
export function listed(faults: readonly ImportFault[]): SkippedLines {
  const skipped = faults.toSorted((a, b) => a.line - b.line).slice(0, mostErrors);
  const lines = new Set(faults.map(({ line }) => line));
  return { skipped, skipped_lines: lines.size, more_skipped: faults.length - skipped.length };
}
