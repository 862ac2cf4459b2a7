// The set of a player's open problems: which problems opened or closed between two reports, and how the set is stored.
import type { PlayerProblem, ProblemList } from "../../../protocol/device/player-problems.ts";

/** Open problems by key (code, zone and item), with their start time; null if an earlier version stored the problem without it. */
export type OpenProblems = ReadonlyMap<string, string | null>;

/** A problem that has closed, as far as it was stored. */
export interface ClosedProblem {
  code: string;
  since: string | null;
  zone_id: string | null;
  item_id: string | null;
}

export const noOpenProblems: OpenProblems = new Map();

/** The open problems after a report. A problem that was open before keeps its start time. */
export function openProblemsAfter({ problems }: ProblemList, before: OpenProblems): OpenProblems {
  if (problems.length === 0) return noOpenProblems;
  return new Map(problems.map((problem) => [keyOf(problem), before.get(keyOf(problem)) ?? problem.since]));
}

/** True if a report has exactly the open problems, regardless of their detail texts. */
export function matchesOpenProblems(open: OpenProblems, { problems }: ProblemList): boolean {
  const keys = new Set(problems.map(keyOf));
  return keys.size === open.size && [...keys].every((key) => open.has(key));
}

export function diffProblems(before: OpenProblems, { problems }: ProblemList): { opened: PlayerProblem[]; closed: ClosedProblem[] } {
  const byKey = new Map(problems.map((problem) => [keyOf(problem), problem]));
  const opened = [...byKey].flatMap(([key, problem]) => (before.has(key) ? [] : [problem]));
  const closed = [...before].flatMap(([key, since]) => (byKey.has(key) ? [] : [{ ...parseKey(key), since }]));
  return { opened, closed };
}

/** One problem per line: its key and start time. */
export function serializeOpenProblems(open: OpenProblems): string {
  const lines = [...open].map(([key, since]) => (since === null ? key : `${key} ${since}`));
  return lines.toSorted().join("\n");
}

export function parseOpenProblems(text: string): OpenProblems {
  if (text === "") return noOpenProblems;
  return new Map(
    text.split("\n").map((line) => {
      const [code = "", zoneId = "", itemId = "", since] = line.split(" ");
      return [[code, zoneId, itemId].join(" "), since ?? null];
    }),
  );
}

function keyOf({ code, zone_id, item_id }: PlayerProblem): string {
  return [code, zone_id ?? "", item_id ?? ""].join(" ");
}

function parseKey(key: string): Pick<ClosedProblem, "code" | "zone_id" | "item_id"> {
  const [code = "", zoneId = "", itemId = ""] = key.split(" ");
  return { code, zone_id: zoneId === "" ? null : zoneId, item_id: itemId === "" ? null : itemId };
}
