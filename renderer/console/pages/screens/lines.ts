// Cuts the sections of the wall into lines, of which only those in view are drawn. Pure.
import { needsAttention, type Section } from "./arrange.ts";

/** A heading, or cards beside each other. */
export type Line =
  | { is: "heading"; key: string; section: Section }
  | {
      is: "cards";
      key: string;
      section: Section;
      cards: readonly { id: string; place: string; position: number }[];
      isWide: boolean;
      columns: number;
    };

/** How many cards fit beside each other: usual ones, and wide ones that name a problem. */
export interface Columns {
  usual: number;
  wide: number;
}

export function linesOf(sections: readonly Section[], columns: Columns): Line[] {
  const lines: Line[] = [];
  let position = 0;
  for (const section of sections) {
    if (section.is !== "all") lines.push({ is: "heading", key: section.key, section });
    // Within a section screens with trouble may come between others: each run of one kind has lines of its own.
    for (let from = 0; from < section.rows.length;) {
      const isWide = isWideCard(section, from);
      const most = isWide ? columns.wide : columns.usual;
      let until = from + 1;
      while (until < section.rows.length && until - from < most && isWideCard(section, until) === isWide) until += 1;
      const cards = section.rows
        .slice(from, until)
        .map(({ id }) => ({ id, place: `${id}-${section.key}`.replaceAll(/\s/g, "_"), position: (position += 1) }));
      lines.push({ is: "cards", key: `${section.key} ${from}`, section, cards, isWide, columns: most });
      from = until;
    }
  }
  return lines;
}

function isWideCard({ rows }: Section, index: number): boolean {
  return needsAttention(rows[index]!);
}

/** The card that an arrow key leads to from the one at `place`; null: there is none in that direction. */
export function neighbourOf(
  lines: readonly Line[],
  place: string,
  direction: "next" | "previous" | "up" | "down" | "first" | "last",
): { line: number; place: string } | null {
  const at = lines.findIndex((line) => line.is === "cards" && line.cards.some((card) => card.place === place));
  const line = lines[at];
  if (line?.is !== "cards" || direction === "first" || direction === "last")
    return direction === "last" ? endOf(lines, lines.length, -1) : endOf(lines, -1, 1);
  const column = line.cards.findIndex((card) => card.place === place);
  if (direction === "next" || direction === "previous") {
    const step = direction === "next" ? 1 : -1;
    const beside = line.cards[column + step];
    return beside === undefined ? endOf(lines, at, step) : { line: at, place: beside.place };
  }
  const step = direction === "down" ? 1 : -1;
  for (let index = at + step; ; index += step) {
    const other = lines[index];
    if (other === undefined) return null;
    if (other.is !== "cards") continue;
    // Lines of wide cards have fewer columns: the card below is the one at the same share of the width.
    const below = other.cards[Math.min(other.cards.length - 1, Math.floor(((column + 0.5) * other.columns) / line.columns))]!;
    return { line: index, place: below.place };
  }
}

/** The first card after the line `from`, or the last one before it. */
function endOf(lines: readonly Line[], from: number, step: 1 | -1): { line: number; place: string } | null {
  for (let index = from + step; index >= 0 && index < lines.length; index += step) {
    const line = lines[index]!;
    if (line.is === "cards") return { line: index, place: line.cards.at(step === 1 ? 0 : -1)!.place };
  }
  return null;
}
