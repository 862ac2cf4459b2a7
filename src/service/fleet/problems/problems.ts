// The problems of each player: those that the service detects and those in its latest heartbeat.
import type { Clock } from "../../../base/clock.ts";
import { createProblem, type PlayerProblem, type ProblemList } from "../../../protocol/device/player-problems.ts";
import type { Heartbeat } from "../../../protocol/device/heartbeat.ts";
import { SharedIdentities } from "../devices/shared-identities.ts";
import type { Presence } from "../presence/presence.ts";

// Shorter delays are normal: a large download on a slow link takes minutes.
const outOfSyncAfterMs = 600_000;

/** The part of a player's latest heartbeat that its problems depend on. */
interface Latest {
  receivedAt: number;
  heartbeat: Pick<Heartbeat, "content" | "problems" | "problems_left_out">;
}

export class PlayerProblems {
  readonly identities: SharedIdentities;
  readonly #presence: Presence;
  readonly #clock: Clock;
  /** Since when players report an older revision than their newest, ms since the epoch. */
  readonly #outOfSyncSince = new Map<string, number>();

  constructor(presence: Presence, clock: Clock) {
    this.identities = new SharedIdentities(clock);
    this.#presence = presence;
    this.#clock = clock;
  }

  /** Records which run of the player sent a heartbeat, and whether it has the newest revision. A restart of the service resets the times. */
  recordHeartbeat(playerId: string, { content, instance_id: instanceId }: Heartbeat, newestRevision: string): void {
    this.identities.record(playerId, instanceId);
    if (content.applied_revision === newestRevision) this.#outOfSyncSince.delete(playerId);
    else if (!this.#outOfSyncSince.has(playerId)) this.#outOfSyncSince.set(playerId, Math.trunc(this.#clock.now()));
  }

  /** Drops the state of a deleted player. */
  forget(playerId: string): void {
    this.#outOfSyncSince.delete(playerId);
    this.identities.forget(playerId);
  }

  /** The problems of a player: first those that the service detects, then those of the latest heartbeat. */
  listFor(
    { id, created_at: createdAt }: { id: string; created_at: number },
    latest: Latest | null = this.#presence.latest(id),
  ): ProblemList {
    const detected: PlayerProblem[] = [];
    const outOfSyncSince = this.#outOfSyncSince.get(id);
    if (!this.#presence.isOnline(id)) detected.push(createProblem("offline", latest?.receivedAt ?? createdAt));
    // If its content failed, the player reports a more specific problem itself.
    else if (
      outOfSyncSince !== undefined &&
      this.#clock.now() - outOfSyncSince > outOfSyncAfterMs &&
      latest?.heartbeat.content.is !== "failed"
    ) {
      detected.push(createProblem("out-of-sync", outOfSyncSince));
    }
    const sharedSince = this.identities.sharedSince(id);
    if (sharedSince !== null) detected.push(createProblem("identity-shared", sharedSince));
    const { problems = [], problems_left_out = 0 } = latest?.heartbeat ?? {};
    return { problems: [...detected, ...problems], problems_left_out };
  }
}
