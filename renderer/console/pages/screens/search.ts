// The filters of the wall of screens. They live in the address, so that they survive a reload and can be sent to others.
import { rosterStates, type RosterState } from "../../../../src/protocol/operator/roster-states.ts";

export const groupings = ["state", "tag", "none"] as const;
export const sortings = ["problems", "name", "seen", "plays"] as const;
export const densities = ["grid", "list"] as const;

/** The filters of the wall. Usual values are left out, so that the plain address is the plain wall. */
export interface ScreensSearch {
  /** A part of the name, a tag or the content. */
  q?: string | undefined;
  /** Only these states. */
  state?: readonly RosterState[] | undefined;
  tag?: string | undefined;
  group?: (typeof groupings)[number] | undefined;
  sort?: (typeof sortings)[number] | undefined;
  view?: (typeof densities)[number] | undefined;
}

const longest = 200;

/** Reads the filters from an address, which anybody may have written: unusable values are left out. */
export function readScreensSearch(search: Record<string, unknown>): ScreensSearch {
  const { q, tag, state } = search;
  const states = (Array.isArray(state) ? state : [state]).flatMap((each) => rosterStates.find((rosterState) => rosterState === each) ?? []);
  return {
    ...(isText(q) ? { q: String(q).slice(0, longest) } : {}),
    ...(isText(tag) ? { tag: String(tag).slice(0, longest) } : {}),
    ...(states.length === 0 ? {} : { state: [...new Set(states)] }),
    ...optional("group", oneOf(groupings, search["group"])),
    ...optional("sort", oneOf(sortings, search["sort"])),
    ...optional("view", oneOf(densities, search["view"])),
  };
}

/** A number is a text that looks like one. */
function isText(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && value !== "");
}

/** The first of `values` is the usual one, and needs no place in the address. */
function oneOf<T extends string>(values: readonly T[], value: unknown): T | undefined {
  return values.slice(1).find((each) => each === value);
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
