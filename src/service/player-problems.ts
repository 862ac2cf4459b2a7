// What is wrong with each player: what it told last, and what only the service can know.
import type { Clock } from "../base/clock.ts";
import { problemOf, type PlayerProblem, type ProblemList } from "../protocol/problems.ts";
import type { Heartbeat } from "../protocol/report.ts";
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
  beat(playerId: string, { content }: Heartbeat, newestRevision: string): void {
    if (content.applied_revision === newestRevision) this.#behindSince.delete(playerId);
    else if (!this.#behindSince.has(playerId)) this.#behindSince.set(playerId, Math.trunc(this.#clock.now()));
  }

  /** Forgets a removed player. */
  forget(playerId: string): void {
    this.#behindSince.delete(playerId);
  }

  /** What is wrong with a player: what the service knows first, then what the player told last. */
  of({ id, created_at: createdAt }: About): ProblemList {
    const beat = this.#presence.latest(id);
    const own: PlayerProblem[] = [];
    const behindSince = this.#behindSince.get(id);
    if (!this.#presence.isOnline(id)) own.push(problemOf("offline", beat?.receivedAt ?? createdAt));
    // A player whose content failed says more than this would.
    else if (behindSince !== undefined && this.#clock.now() - behindSince > behindMs && beat?.heartbeat.content.is !== "failed") {
      own.push(problemOf("out-of-sync", behindSince));
    }
    const { problems = [], problems_left_out = 0 } = beat?.heartbeat ?? {};
    return { problems: [...own, ...problems], problems_left_out };
  }
}

/** Equal for lists that name the same problems, in whatever words. */
export function namesOf({ problems }: ProblemList): string {
  const names = problems.map(({ code, zone_id, item_id }) => [code, zone_id ?? "", item_id ?? ""].join(" "));
  return names.toSorted().join("\n");
}
