// Lines of CSV (RFC 4180) that a spreadsheet takes for data, never for formulas.

type Cell = string | number | null | undefined;

/** One line with its end. A text that a spreadsheet would run gets an apostrophe (OWASP, CSV injection). */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  // Some programs trim first, and some take the full-width signs too.
  const safe = /^\s*[=+\-@\t\r\n|＝＋－＠]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n;\t]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
