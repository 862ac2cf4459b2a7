// Rollouts with 10,000 players: the cost of a heartbeat with none, one and many finished rollouts, and of assigning and halting a ring.
import { createSystemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import { EventJournal } from "../src/service/events/event-journal.ts";
import { DeviceJournal } from "../src/service/fleet/devices/device-journal.ts";
import type { DeviceSockets } from "../src/service/fleet/devices/device-sockets.ts";
import { Presence } from "../src/service/fleet/presence/presence.ts";
import { startRollout } from "../src/service/fleet/rollouts/start-rollout.ts";
import { RolloutRunner } from "../src/service/fleet/rollouts/runner.ts";
import { showRollout } from "../src/service/fleet/rollouts/rollout-resource.ts";
import { RolloutTracker } from "../src/service/fleet/rollouts/tracker.ts";
import { DesiredStates } from "../src/service/fleet/state/desired-states.ts";
import { LoneNode } from "../src/service/nodes/lone-node.ts";
import { createIds } from "../src/service/store/ids.ts";
import type { RolloutRow } from "../src/service/store/tables/fleet.ts";
import { openStore } from "../src/service/store/store.ts";
import type { UpdateState } from "../src/protocol/device/updates.ts";
import { commitChange } from "../src/service/operations/commit-change.ts";
import { heartbeat } from "../test/service/harness.ts";
import { writePlayers } from "../test/service/fleet/rollouts/many-players.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { percentiles, printFigure } from "./lib.ts";

const count = Number(process.argv[2] ?? 10_000);
const finishedCount = 500;
const clock = createSystemClock();
const makeId = createIds(clock);
await using folder = await temporaryFolder();
const ids = (await writePlayers(folder.path, clock, count)).map(({ playerId }) => playerId);
await using store = await openStore(folder.path);
const presence = await Presence.open(store.telemetry, clock, new LoneNode("nod_1", { clock, log: silentLog }));
const journal = await DeviceJournal.open(store.db, makeId, clock, new LoneNode("nod_bench", { clock, log: silentLog }));
const events = new EventJournal(journal.epoch, clock, makeId, new LoneNode("nod_test", { clock, log: silentLog }));
const nodes = new LoneNode("nod_bench", { clock, log: silentLog });
const rollouts = await RolloutTracker.open(store, clock, nodes);
// Nobody is connected.
const sockets = { push: () => undefined } as unknown as DeviceSockets;
const dependencies = {
  store,
  desired: new DesiredStates(store.db),
  events,
  journal,
  sockets,
  clock,
  log: silentLog,
  nodes,
  presence,
  rollouts,
};
const { team_id: teamId } = await store.db.selectFrom("players").select("team_id").executeTakeFirstOrThrow();

function update(more: Partial<UpdateState> = {}): UpdateState {
  const nothing = { previous_version: null, ready_bytes: 0, total_bytes: null, detail: null, last_attempt: null };
  return { is: "current", wanted_version: "1.4.0", slot: "a", reason: "", launcher_version: "1.0.0", ...nothing, ...more };
}

function row(more: Partial<RolloutRow> = {}): RolloutRow {
  const now = Math.trunc(clock.now());
  const limits = { max_failure_percent: 5, min_players_for_halt: 10, done_percent: 100, offline_after_minutes: 60 };
  const settings = JSON.stringify({ rings: [{ percent: 100, wait_minutes: 0 }], install: "now", ...limits });
  const times = { ring_started_at: now, ring_done_at: null, created_at: now, updated_at: now, ended_at: null };
  const about = { id: makeId("rol"), team_id: teamId, name: "B", version: "1.4.0", status: "running" as const, reason: null };
  return { ...about, settings, ring: 0, ...times, ...more };
}

/** Heartbeats that report nothing new, ms per 1,000. */
async function measureHeartbeats(name: string): Promise<void> {
  const beat = heartbeat({ player_version: "1.3.0", update: update({ is: "waiting" }) });
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const from = performance.now();
    for (let index = 0; index < 1_000; index += 1) await rollouts.recordHeartbeat(ids[(round * 1_000 + index) % ids.length]!, beat);
    times.push(performance.now() - from);
  }
  printFigure(`${name}: ms per 1,000 heartbeats`, percentiles(times));
}

/** Runs the service's loop until the rollout has this many players or this status. */
async function runUntil(isReached: () => boolean | Promise<boolean>): Promise<number> {
  const stop = new AbortController();
  const from = performance.now();
  const running = new RolloutRunner(dependencies).run(stop.signal).catch(() => undefined);
  rollouts.wake.notify();
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 5));
  const tookMs = performance.now() - from;
  stop.abort();
  await running;
  return tookMs;
}

await measureHeartbeats("no rollout");
await store.write(async (db) => {
  for (let index = 0; index < finishedCount; index += 1) {
    const finished = row({ status: "finished", ended_at: 1 });
    await db.insertInto("rollouts").values(finished).execute();
  }
});
await measureHeartbeats(`${finishedCount} finished rollouts`);

const started = row();
const from = performance.now();
await commitChange(
  dependencies,
  async (db) => {
    const {
      perRing: _perRing,
      rollouts: rows,
      players,
      ...change
    } = await startRollout(db, presence, started, false, Math.trunc(clock.now()));
    return { result: null, ...change, committed: () => rollouts.apply({ rollouts: rows, players }) };
  },
  async () => null,
);
printFigure("POST /rollouts for all players, ms", { ms: Math.round(performance.now() - from) });
const tracked = rollouts.find(started.id)!;
printFigure(`giving ${count} players the version, ms`, { ms: Math.round(await runUntil(() => tracked.players.size === count)) });
await measureHeartbeats("one rollout in progress");
const showFrom = performance.now();
await showRollout(dependencies, store.db, started);
printFigure("GET /rollouts/{id}, ms", { ms: Math.round(performance.now() - showFrom) });

const attempt = { what: "program" as const, version: "1.4.0", at: new Date().toISOString(), detail: null, control: null };
const kept = heartbeat({ player_version: "1.4.0", update: update({ last_attempt: { ...attempt, outcome: "kept" } }) });
const changesFrom = performance.now();
await Promise.all(ids.slice(0, count / 2).map((id) => rollouts.recordHeartbeat(id, kept)));
printFigure(`${count / 2} players that report a new state at once, ms`, { ms: Math.round(performance.now() - changesFrom) });
const failed = heartbeat({ player_version: "1.3.0", update: update({ last_attempt: { ...attempt, outcome: "refused" } }) });
await Promise.all(ids.slice(count / 2, Math.round(count * 0.6)).map((id) => rollouts.recordHeartbeat(id, failed)));
const isWithdrawn = async () => {
  const still = store.db
    .selectFrom("rollout_players")
    .select("player_id")
    .where("is_assigned", "=", 1)
    .where("state", "!=", "kept")
    .limit(1);
  return tracked.row.status === "halted" && (await still.executeTakeFirst()) === undefined;
};
printFigure("halting, and taking the version back from the other half, ms", { ms: Math.round(await runUntil(isWithdrawn)) });
