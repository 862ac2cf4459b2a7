// Takes the next steps of rollouts in the background: gives players the version, begins rings, halts, finishes, and takes versions back.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { minuteMs } from "../../../base/time.ts";
import { commitChange, type ChangeDependencies } from "../../operations/commit-change.ts";
import type { Change } from "../../operations/unit-of-work.ts";
import type { RolloutPlayerRow, RolloutRow } from "../../store/tables/fleet.ts";
import type { Db } from "../../store/store.ts";
import type { Nodes } from "../../nodes/nodes.ts";
import type { Presence } from "../presence/presence.ts";
import { assignAgain, assignPlayers, findNextPlayers, isPending, releasePlayers, withdraw, type Assignment } from "./assignment.ts";
import { nextStep, type RingCounts, type Step } from "./gate.ts";
import { notBegunStates } from "./player-progress.ts";
import { isInProgress, settingsOf } from "./settings.ts";
import { readTracked, type RolloutTracker, type TrackedRollout } from "./tracker.ts";
import { beginRing, rolloutEvent, updateRollout } from "./transitions.ts";

export interface RolloutRunnerDependencies extends ChangeDependencies {
  clock: Clock;
  log: Log;
  nodes: Nodes;
  presence: Presence;
  rollouts: RolloutTracker;
}

const checkMs = 10_000;
// Looks for players that got a tag, were paired or restored.
const fillMs = minuteMs;

/** The status and ring of a rollout for which all players have been assigned or withdrawn, and when. */
interface Filled {
  place: string;
  at: number;
}

export class RolloutRunner {
  readonly #dependencies: RolloutRunnerDependencies;
  readonly #filled = new Map<string, Filled>();

  constructor(dependencies: RolloutRunnerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs until `signal` aborts; rejects with an AbortError then. It continues where it, or the node that had the duty, stopped. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, nodes, rollouts } = this.#dependencies;
    if (nodes.isShared) {
      this.#filled.clear();
      await rollouts.read();
    }
    for (;;) {
      await rollouts.wake.wait(clock, checkMs, signal);
      for (const rollout of rollouts.list()) await this.#advance(rollout, signal);
    }
  }

  async #advance(rollout: TrackedRollout, signal: AbortSignal): Promise<void> {
    const { rollouts } = this.#dependencies;
    const { id } = rollout.row;
    if (!isInProgress(rollout.row)) {
      await this.#inBatches(rollout, signal, (db, row) => releasePlayers(db, this.#dependencies.presence, row));
      rollouts.forget(id);
      this.#filled.delete(id);
      // Others may wait for its players.
      this.#filled.clear();
      return;
    }
    if (!(await this.#fill(rollout, signal))) return;
    for (let step = this.#stepOf(rollout); step.is !== "wait"; step = this.#stepOf(rollout)) {
      const before = rollout.row;
      await this.#take(before, step);
      // An operator has changed it meanwhile, which wakes this loop again.
      if (rollout.row === before) return;
      if (rollout.row.ring !== before.ring || rollout.row.status !== before.status) {
        rollouts.wake.notify();
        return;
      }
    }
  }

  #stepOf({ row, counts, players }: TrackedRollout): Step {
    const now = Math.trunc(this.#dependencies.clock.now());
    const isExcluded = (player: RolloutPlayerRow) =>
      player.ring === row.ring && isOfflineTooLong(this.#dependencies.presence, row, player, now);
    let excluded = 0;
    if (row.status === "running" && row.ring_done_at === null) for (const player of players.values()) if (isExcluded(player)) excluded += 1;
    return nextStep(row, counts as RingCounts[], excluded, now);
  }

  /** Assigns the version to players that lack it, or withdraws it after a halt. @returns false if the rollout has changed meanwhile. */
  async #fill(rollout: TrackedRollout, signal: AbortSignal): Promise<boolean> {
    const { clock, presence, store } = this.#dependencies;
    const { row } = rollout;
    const place = placeOf(row);
    const filled = this.#filled.get(row.id);
    // Players may fail after the halt, too.
    const isWithdrawing = row.status === "halted" && rollout.players.values().some(isToWithdraw);
    if (isWithdrawing) await this.#inBatches(rollout, signal, withdraw);
    else if (filled?.place === place && clock.monotonic() - filled.at < fillMs) return true;
    if (row.status === "running") {
      await this.#inBatches(rollout, signal, assignAgain);
      for (let after: string | null = ""; after !== null && rollout.row.status === "running";) {
        const { ids, next } = await findNextPlayers(store.db, rollout.row, after);
        if (ids.length > 0) await this.#commit(rollout.row, (db, current, now) => assignPlayers(db, presence, current, ids, now));
        after = next;
        await setImmediate(undefined, { signal });
      }
    }
    if (placeOf(rollout.row) !== place) {
      this.#dependencies.rollouts.wake.notify();
      return false;
    }
    this.#filled.set(row.id, { place, at: clock.monotonic() });
    return true;
  }

  /** Repeats `change` until it finds no more players or the rollout has another status. */
  async #inBatches(
    rollout: TrackedRollout,
    signal: AbortSignal,
    change: (db: Db, row: RolloutRow, now: number) => Promise<Assignment>,
  ): Promise<void> {
    const { status } = rollout.row;
    for (let isMore = true; isMore && rollout.row.status === status;) {
      isMore = (await this.#commit(rollout.row, change)) > 0;
      await setImmediate(undefined, { signal });
    }
  }

  /** Changes players of a rollout in a transaction, if the rollout is still as expected. @returns how many. */
  async #commit(expected: RolloutRow, change: (db: Db, row: RolloutRow, now: number) => Promise<Assignment>): Promise<number> {
    const { clock, rollouts } = this.#dependencies;
    const write = async (db: Db): Promise<Change<number>> => {
      const row = await readUnchanged(db, expected);
      if (row === null) return { result: 0 };
      const { affected, players } = await change(db, row, Math.trunc(clock.now()));
      return { result: players.length, affected, committed: await rollouts.announce(db, { players }) };
    };
    return commitChange(this.#dependencies, write, async (_db, result) => result);
  }

  async #take(expected: RolloutRow, step: Exclude<Step, { is: "wait" }>): Promise<void> {
    const { clock, log, nodes, rollouts } = this.#dependencies;
    const write = async (db: Db): Promise<Change<RolloutRow | null>> => {
      const row = await readUnchanged(db, expected);
      if (row === null) return { result: null };
      // Other nodes may have stored reports of their players that this node has not received yet.
      if (nodes.isShared && this.#stepOf(await readTracked(db, row)).is !== step.is) return { result: null };
      const now = Math.trunc(clock.now());
      const next = await updateRollout(db, row, fieldsOf(row, step, now), now);
      const committed = await rollouts.announce(db, { rollouts: [next] });
      return { result: next, events: eventsOf(next, step), committed };
    };
    const row = await commitChange(this.#dependencies, write, async (_db, result) => result);
    if (row === null) return;
    const about = { rollout_id: row.id, name: row.name, ring: row.ring + 1, status: row.status };
    if (step.is === "halt") log.warn({ ...about, reason: step.reason }, "rollout halted");
    else log.info({ ...about, step: step.is }, "rollout advanced");
  }
}

function isToWithdraw({ is_assigned, state }: RolloutPlayerRow): boolean {
  return is_assigned === 1 && notBegunStates.includes(state);
}

/** Differs for each status and each beginning of a ring. */
function placeOf({ status, ring, ring_started_at }: RolloutRow): string {
  return `${status} ${ring} ${ring_started_at}`;
}

/** True if a player that has not finished has been offline for too long to wait for. */
export function isOfflineTooLong(presence: Presence, row: RolloutRow, player: RolloutPlayerRow, now: number): boolean {
  if (!isPending(player) || presence.isOnline(player.player_id)) return false;
  const since = Math.max(presence.lastSeenAt(player.player_id) ?? 0, player.assigned_at);
  return now - since >= settingsOf(row).offline_after_minutes * minuteMs;
}

function fieldsOf(row: RolloutRow, step: Exclude<Step, { is: "wait" }>, now: number) {
  switch (step.is) {
    case "halt":
      return { status: "halted" as const, reason: step.reason };
    case "watch":
      return { ring_done_at: now };
    case "next-ring":
      return beginRing(row.ring + 1, now);
    case "finish":
      return { status: "finished" as const, ended_at: now };
  }
}

function eventsOf(row: RolloutRow, step: Exclude<Step, { is: "wait" }>) {
  switch (step.is) {
    case "halt":
      return [rolloutEvent("rollout.halted", row)];
    case "watch":
      return [];
    case "next-ring":
      return [rolloutEvent("rollout.ring_started", row)];
    case "finish":
      return [rolloutEvent("rollout.finished", row)];
  }
}

/** The rollout as it is in this transaction; null if its status or ring has changed since `expected` was read. */
async function readUnchanged(db: Db, expected: RolloutRow): Promise<RolloutRow | null> {
  const row = await db.selectFrom("rollouts").selectAll().where("id", "=", expected.id).executeTakeFirst();
  return row?.status === expected.status && row.ring === expected.ring ? row : null;
}
