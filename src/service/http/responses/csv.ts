// Formats CSV lines (RFC 4180) so that a spreadsheet never reads a cell as a formula.

type Cell = string | number | null | undefined;

/** One line with its line break. A cell that a spreadsheet would run as a formula gets an apostrophe (OWASP, CSV injection). */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return String(cell);
  // Some programs trim cells first, and some accept full-width signs too.
  const safe = /^\s*[=+\-@\t\r\n|＝＋－＠]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n;\t]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
