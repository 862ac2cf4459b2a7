// What is wrong with each player: what it told last, and what only the service can know.
import type { Clock } from "../../base/clock.ts";
import { createProblem, type PlayerProblem, type ProblemList } from "../../protocol/device/player-problems.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { Presence } from "./presence.ts";

// A large download on a slow link takes minutes and is no problem.
const behindMs = 600_000;

/** What is asked about a player. */
interface About {
  id: string;
  created_at: number;
}

export class PlayerProblems {
  readonly #presence: Presence;
  readonly #clock: Clock;
  /** Since when, ms since the epoch, a player has told an older state than its newest. */
  readonly #behindSince = new Map<string, number>();

  constructor(presence: Presence, clock: Clock) {
    this.#presence = presence;
    this.#clock = clock;
  }

  /** Takes in whether a player that was heard just now has the newest state. After a restart of the service the time counts anew. */
  recordHeartbeat(playerId: string, { content }: Heartbeat, newestRevision: string): void {
    if (content.applied_revision === newestRevision) this.#behindSince.delete(playerId);
    else if (!this.#behindSince.has(playerId)) this.#behindSince.set(playerId, Math.trunc(this.#clock.now()));
  }

  /** Forgets a removed player. */
  forget(playerId: string): void {
    this.#behindSince.delete(playerId);
  }

  /** What is wrong with a player: what the service knows first, then what the player told last. */
  listFor({ id, created_at: createdAt }: About): ProblemList {
    const beat = this.#presence.latest(id);
    const own: PlayerProblem[] = [];
    const behindSince = this.#behindSince.get(id);
    if (!this.#presence.isOnline(id)) own.push(createProblem("offline", beat?.receivedAt ?? createdAt));
    // A player whose content failed says more than this would.
    else if (behindSince !== undefined && this.#clock.now() - behindSince > behindMs && beat?.heartbeat.content.is !== "failed") {
      own.push(createProblem("out-of-sync", behindSince));
    }
    const { problems = [], problems_left_out = 0 } = beat?.heartbeat ?? {};
    return { problems: [...own, ...problems], problems_left_out };
  }
}

/** Problems that were told as open: their names, and since when. Null: by an earlier version, which did not keep it. */
export type OpenProblems = ReadonlyMap<string, string | null>;

/** A problem that is over, as far as it was kept. */
export interface ClosedProblem {
  code: string;
  since: string | null;
  zone_id: string | null;
  item_id: string | null;
}

export const noOpenProblems: OpenProblems = new Map();

/** The problems of a list by name; one that was open before keeps its beginning. */
export function openProblemsAfter({ problems }: ProblemList, before: OpenProblems): OpenProblems {
  if (problems.length === 0) return noOpenProblems;
  return new Map(problems.map((problem) => [nameOf(problem), before.get(nameOf(problem)) ?? problem.since]));
}

/** Whether a list names the problems that are open, in whatever words. */
export function matchesOpenProblems(open: OpenProblems, { problems }: ProblemList): boolean {
  const names = new Set(problems.map(nameOf));
  return names.size === open.size && [...names].every((name) => open.has(name));
}

/** The problems that are open now and were not, as the player says them, and those that are over. */
export function diffProblems(before: OpenProblems, { problems }: ProblemList): { opened: PlayerProblem[]; closed: ClosedProblem[] } {
  const byName = new Map(problems.map((problem) => [nameOf(problem), problem]));
  const opened = [...byName].flatMap(([name, problem]) => (before.has(name) ? [] : [problem]));
  const closed = [...before].flatMap(([name, since]) => (byName.has(name) ? [] : [{ ...partsOf(name), since }]));
  return { opened, closed };
}

/** As it is stored: one problem a line, its name and since when. */
export function serializeOpenProblems(open: OpenProblems): string {
  const lines = [...open].map(([name, since]) => (since === null ? name : `${name} ${since}`));
  return lines.toSorted().join("\n");
}

/** What {@link serializeOpenProblems} or an earlier version stored. */
export function parseOpenProblems(text: string): OpenProblems {
  if (text === "") return noOpenProblems;
  return new Map(
    text.split("\n").map((line) => {
      const [code = "", zoneId = "", itemId = "", since] = line.split(" ");
      return [[code, zoneId, itemId].join(" "), since ?? null];
    }),
  );
}

function nameOf({ code, zone_id, item_id }: PlayerProblem): string {
  return [code, zone_id ?? "", item_id ?? ""].join(" ");
}

function partsOf(name: string): Pick<ClosedProblem, "code" | "zone_id" | "item_id"> {
  const [code = "", zoneId = "", itemId = ""] = name.split(" ");
  return { code, zone_id: zoneId === "" ? null : zoneId, item_id: itemId === "" ? null : itemId };
}
