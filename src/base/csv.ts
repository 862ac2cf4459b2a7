// Reads tables as spreadsheets write them: RFC 4180, with comma, semicolon or tab, also with a byte order mark.

/** One line of a table. A cell may contain line breaks, so `line` counts the lines of the text. */
export interface CsvLine {
  /** From 1. */
  line: number;
  cells: readonly string[];
}

// The first line beyond this is not searched for separators.
const longestHeader = 20_000;

/** The most that a table may have. */
export interface CsvLimits {
  columns: number;
  /** Lines below the first one, which names the columns; empty ones do not count. */
  lines: number;
}

/** Thrown for a text that is no table, or a larger one than the limits allow. */
export class CsvError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = "CsvError";
    this.line = line;
  }
}

/** The lines of a table without empty ones. @throws CsvError if a limit is exceeded, a quotation mark is not closed or text follows it. */
export function readCsv(text: string, limits: CsvLimits): CsvLine[] {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const separator = separatorOf(source);
  const lines: CsvLine[] = [];
  let [at, line, begin] = [0, 1, 1];
  let cells: string[] = [];
  const endLine = (): void => {
    if (cells.some((cell) => cell.trim() !== "")) {
      if (lines.length > limits.lines) {
        throw new CsvError(begin, `there are more than ${limits.lines} lines below the names of the columns: send fewer at a time`);
      }
      lines.push({ line: begin, cells });
    }
    cells = [];
  };
  while (at < source.length) {
    if (cells.length === 0) begin = line;
    let cell: string;
    if (source[at] === '"') {
      const end = closingQuote(source, at + 1);
      if (end === -1) throw new CsvError(line, "a quotation mark is not closed");
      cell = source.slice(at + 1, end).replaceAll('""', '"');
      line += cell.split("\n").length - 1;
      at = end + 1;
      if (at < source.length && !["\r", "\n", separator].includes(source[at]!)) {
        throw new CsvError(line, "text follows a closing quotation mark: write a quotation mark within a cell twice");
      }
    } else {
      const end = endOfCell(source, at, separator);
      cell = source.slice(at, end);
      at = end;
    }
    if (cells.length === limits.columns)
      throw new CsvError(line, `has more than ${limits.columns} cells: a table has at most that many columns`);
    cells.push(cell);
    if (source[at] === separator) {
      at += 1;
      // A separator at the very end of the text ends an empty cell.
      if (at === source.length) cells.push("");
      continue;
    }
    if (source[at] === "\r") at += 1;
    if (source[at] === "\n") at += 1;
    line += 1;
    endLine();
  }
  endLine();
  return lines;
}

/** The one of comma, semicolon and tab that the first line has most often. */
function separatorOf(source: string): string {
  const first = (/^[^\r\n]*/.exec(source.slice(0, longestHeader))?.[0] ?? "").replaceAll(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map((each) => ({ each, count: first.split(each).length }));
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).each;
}

function closingQuote(source: string, from: number): number {
  let at = source.indexOf('"', from);
  while (at !== -1 && source[at + 1] === '"') at = source.indexOf('"', at + 2);
  return at;
}

function endOfCell(source: string, from: number, separator: string): number {
  let at = from;
  while (at < source.length && source[at] !== separator && source[at] !== "\r" && source[at] !== "\n") at += 1;
  return at;
}
