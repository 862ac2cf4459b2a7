// Chooses, sorts and groups the screens that the wall shows. Pure.
import type { RosterPlayer } from "../../../../src/protocol/operator/roster.ts";
import { rosterStates, type RosterState } from "../../../../src/protocol/operator/roster-states.ts";
import type { ScreensSearch } from "./search.ts";

/** Screens under one heading. */
export interface Section {
  key: string;
  /** The property that its screens share: an area of states, a tag, or nothing. */
  is: "attention" | "waiting" | "playing" | "off" | "tag" | "untagged" | "all";
  tag?: string;
  rows: readonly RosterPlayer[];
}

export interface Arrangement {
  sections: readonly Section[];
  /** The ids of all matching screens, each once, in their order. */
  ids: readonly string[];
  /** How many screens are in each state, whatever states are chosen. */
  counts: Readonly<Record<RosterState, number>>;
}

const areas: Readonly<Record<RosterState, Section["is"]>> = {
  wrong: "attention",
  offline: "attention",
  late: "attention",
  new: "waiting",
  empty: "waiting",
  playing: "playing",
  off: "off",
};
const ranks = Object.fromEntries(rosterStates.map((state, index) => [state, index])) as Record<RosterState, number>;

/** True if a person should look at the screen. */
export function needsAttention({ state }: RosterPlayer): boolean {
  return areas[state] === "attention";
}

/** All screens by name, with numbers by their value: Screen 2 comes before Screen 10. */
export function sortByName(rows: readonly RosterPlayer[]): readonly RosterPlayer[] {
  return rows
    .map((row) => ({ row, key: nameKey(row.name) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.row.id < b.row.id ? -1 : 1))
    .map(({ row }) => row);
}

function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(8, "0"));
}

/** @param byName all screens, as {@link sortByName} sorts them */
export function arrange(
  byName: readonly RosterPlayer[],
  { q, state, tag, group = "state", sort = "problems" }: ScreensSearch,
): Arrangement {
  const counts = Object.fromEntries(rosterStates.map((each) => [each, 0])) as Record<RosterState, number>;
  const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const matching: RosterPlayer[] = [];
  for (const row of byName) {
    if ((tag !== undefined && !row.tags.includes(tag)) || (words.length > 0 && !matches(row, words))) continue;
    counts[row.state] += 1;
    if (state === undefined || state.includes(row.state)) matching.push(row);
  }
  const rows = sortedBy(matching, sort);
  const sections = group === "state" ? byState(rows) : group === "tag" ? byTag(rows, tag) : [{ key: "all", is: "all" as const, rows }];
  const ids = new Set(sections.flatMap(({ rows }) => rows.map(({ id }) => id)));
  return { sections: sections.filter(({ rows }) => rows.length > 0), ids: [...ids], counts };
}

function matches({ name, tags, playing }: RosterPlayer, words: readonly string[]): boolean {
  const all = `${name}\n${tags.join("\n")}\n${playing?.name ?? ""}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

function sortedBy(rows: readonly RosterPlayer[], sort: NonNullable<ScreensSearch["sort"]>): readonly RosterPlayer[] {
  switch (sort) {
    case "name":
      return rows;
    case "seen":
      return rows.toSorted((a, b) => compare(b.last_seen_at ?? "", a.last_seen_at ?? ""));
    case "plays":
      return rows.toSorted((a, b) => compare(a.playing?.name ?? "\uffff", b.playing?.name ?? "\uffff"));
    case "problems": {
      // Sorting by state needs no comparisons: the names are in order already.
      const buckets = rosterStates.map((): RosterPlayer[] => []);
      for (const row of rows) buckets[ranks[row.state]]!.push(row);
      return buckets.flat();
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byState(rows: readonly RosterPlayer[]): Section[] {
  return (["attention", "waiting", "playing", "off"] as const).map((is) => ({
    key: is,
    is,
    rows: rows.filter(({ state }) => areas[state] === is),
  }));
}

/** A screen with several tags is under each of them. @param filter the tag by which the screens were chosen */
function byTag(rows: readonly RosterPlayer[], filter: string | undefined): Section[] {
  const byName = new Map<string, RosterPlayer[]>();
  const withoutTag: RosterPlayer[] = [];
  for (const row of rows) {
    if (row.tags.length === 0) withoutTag.push(row);
    for (const tag of row.tags) {
      if (filter !== undefined && tag !== filter) continue;
      const under = byName.get(tag);
      if (under === undefined) byName.set(tag, [row]);
      else under.push(row);
    }
  }
  const tags = [...byName].toSorted(([a], [b]) => compare(nameKey(a), nameKey(b)));
  return [
    ...tags.map(([tag, under]): Section => ({ key: `tag ${tag}`, is: "tag", tag, rows: under })),
    { key: "untagged", is: "untagged", rows: withoutTag },
  ];
}

/** All tags in use, with their number of screens. */
export function tagsOf(rows: readonly RosterPlayer[]): readonly { tag: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { tags } of rows) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].map(([tag, count]) => ({ tag, count })).toSorted((a, b) => compare(nameKey(a.tag), nameKey(b.tag)));
}
