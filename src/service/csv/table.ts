// A table with named columns, and the faults that are found in it line by line.
import { closestName } from "../../base/closest-name.ts";
import { CsvError, readCsv } from "../../base/csv.ts";
import type { ImportFault } from "../../protocol/operator/csv-imports.ts";
import { invalidField, invalidFields } from "../http/problem.ts";

/** A line by the names of its columns, without empty cells. */
export interface TableLine {
  line: number;
  cells: ReadonlyMap<string, string>;
}

export interface Table {
  lines: readonly TableLine[];
  columns: readonly string[];
}

const mostLines = 10_000;

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
  if (rest.length > mostLines) throw invalidField("/csv", `has ${rest.length} lines: import at most ${mostLines} at a time`);
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
    return readCsv(csv);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw rejected([{ line: error.line, column: null, detail: error.message }]);
  }
}

/** The refusal of a table. A pointer names the line and the column: `/csv/12/duration`. */
export function rejected(faults: readonly ImportFault[]) {
  return invalidFields(
    faults.map(({ line, column, detail }) => ({
      pointer: `/csv/${line}${column === null ? "" : `/${column.replaceAll("~", "~0").replaceAll("/", "~1")}`}`,
      detail: `line ${line}: ${detail}`,
    })),
  );
}
