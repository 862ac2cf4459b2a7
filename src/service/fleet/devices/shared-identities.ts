// Detects devices that use one player's identity at the same time, such as clones of one disk.
import type { Clock } from "../../../base/clock.ts";

/** One run of a player's program. Times are in monotonic ms. */
interface Run {
  id: string;
  firstSeenAt: number;
  lastSeenAt: number;
}

interface Identity {
  /** In the order of `firstSeenAt`. */
  runs: Run[];
  /** Since when several devices use it, ms since the epoch; null while one does. */
  sharedSince: number | null;
}

// A device that was not seen for this long no longer uses the identity. Players send two heartbeats a minute.
const windowMs = 300_000;
// The last message of a run may be handled after the first one of the next.
const lateMs = 1_000;
const maxRuns = 10;

export class SharedIdentities {
  readonly #clock: Clock;
  readonly #identities = new Map<string, Identity>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that a run of a player's program is alive. Older players do not name it. */
  record(playerId: string, runId: string | undefined): void {
    if (runId === undefined) return;
    const now = this.#clock.monotonic();
    const { sharedSince = null } = this.#identities.get(playerId) ?? {};
    const runs = this.#recentRuns(playerId);
    const run = runs.find(({ id }) => id === runId);
    if (run === undefined) runs.push({ id: runId, firstSeenAt: now, lastSeenAt: now });
    else run.lastSeenAt = now;
    const since = areConcurrent(runs) ? (sharedSince ?? Math.trunc(this.#clock.now())) : null;
    this.#identities.set(playerId, { runs: runs.slice(-maxRuns), sharedSince: since });
  }

  /** Since when several devices use a player's identity, ms since the epoch; null if one does. */
  sharedSince(playerId: string): number | null {
    return areConcurrent(this.#recentRuns(playerId)) ? this.#identities.get(playerId)!.sharedSince : null;
  }

  /** Drops the state of a deleted player, or of one that has another device now. */
  forget(playerId: string): void {
    this.#identities.delete(playerId);
  }

  #recentRuns(playerId: string): Run[] {
    const now = this.#clock.monotonic();
    return (this.#identities.get(playerId)?.runs ?? []).filter(({ lastSeenAt }) => now - lastSeenAt <= windowMs);
  }
}

/** True if two of the runs belong to two devices. A player that restarts is not seen again as its earlier run. */
function areConcurrent(runs: readonly Run[]): boolean {
  return runs.some(({ lastSeenAt }, at) => runs.slice(at + 1).some(({ firstSeenAt }) => lastSeenAt - firstSeenAt > lateMs));
}
