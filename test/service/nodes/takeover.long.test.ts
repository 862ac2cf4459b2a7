// Duties that another node has had before: what they continue with, and what a node without the lease cannot change.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually, waitUntil } from "../../support/polling.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { createLog, type LogLine } from "../../support/recording-log.ts";
import { AlertFleet, minute } from "../alerts/alert-fleet.ts";
import { pairPlayers, reaches, type SimulatedPlayer, start, startRollout } from "../fleet/rollouts/simulated-player.ts";
import { TestService } from "../harness.ts";
import { startTwoServices } from "./two-services.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

test("[NDL1] a rollout that another node starts and whose players are at another node advances, and goes on at the node that takes the duties over", async () => {
  const clock = new FakeClock(start);
  await using two = await startTwoServices(postgres, { clock });
  const { a, b } = two;
  await hasDuties(two.lines.a);
  // The players and the operator are at B; the duties at A.
  const [first] = await pairPlayers(b, clock, 1, ["first"]);
  const [second] = await pairPlayers(b, clock, 1, ["second"]);
  const [third] = await pairPlayers(b, clock, 1);
  const rings = [{ tags: ["first"] }, { tags: ["second"] }, {}].map((ring) => ({ ...ring, wait_minutes: 0 }));
  const { id } = await startRollout(b, { rings });
  // Players report again and again: a node that has not heard yet of an assignment takes a later report.
  const obeysUntil = (player: SimulatedPlayer | undefined, isReached: (rollout: { ring: number; status: string }) => boolean) =>
    eventually(async () => {
      await player!.obey();
      clock.advance(1_000);
      return isReached((await b.call("GET", `rollouts/${id}`)).body);
    });
  await obeysUntil(first, ({ ring }) => ring === 2);
  await a[Symbol.asyncDispose]();
  await obeysUntil(second, ({ ring }) => ring === 3);
  await obeysUntil(third, ({ status }) => status === "finished");
  const { data } = (await b.call("GET", "events?types=rollout.ring_started,rollout.finished")).body;
  expect(data.map((event: { type: string; data: { ring: number } }) => [event.type, event.data.ring])).toEqual([
    ["rollout.ring_started", 1],
    ["rollout.ring_started", 2],
    ["rollout.ring_started", 3],
    ["rollout.finished", 3],
  ]);
});

test("[NDL2] a node that has lost the duties without knowing it takes no step of a rollout, and decides by the rows when it has them again", async () => {
  await using service = await startOne();
  const { api, clock, lines, database } = service;
  const [first] = await pairPlayers(api, clock, 1, ["first"]);
  const rings = [{ tags: ["first"] }, {}].map((ring) => ({ ...ring, wait_minutes: 0 }));
  const { id } = await startRollout(api, { rings });
  await hasDuties(lines);
  await giveDutiesToAnother(database);
  // It notices by its refused write, or when it renews the lease.
  await first!.obey();
  await waitUntil("it has noticed", () => {
    clock.advance(1_000);
    return lines.some(({ msg }) => msg === "this node has the duties no more");
  });
  for (let second = 0; second < 60; second += 1) clock.advance(1_000);
  expect((await api.call("GET", `rollouts/${id}`)).body).toMatchObject({ status: "running", ring: 1 });
  // What it has not heard: the other node has paused the rollout.
  await query(database, "UPDATE state.rollouts SET status = 'paused' WHERE id = $1", [id]);
  await endDutiesOfAnother(database);
  await hasDuties(lines, 2);
  for (let second = 0; second < 60; second += 1) clock.advance(1_000);
  expect((await api.call("GET", `rollouts/${id}`)).body).toMatchObject({ status: "paused", ring: 1 });
  await api.call("POST", `rollouts/${id}/resume`, {});
  await reaches(api, clock, id, { ring: 2 });
});

test("[NDL3] open alerts and alert settings go on at the node that takes the duties over: no alert opens twice, and each closes once", async () => {
  const clock = new FakeClock();
  await using two = await startTwoServices(postgres, { clock });
  const { a, b } = two;
  await hasDuties(two.lines.a);
  const fleet = AlertFleet.of(a, clock);
  // The settings are changed at B, and hold for A's decisions: by the defaults this alert would never open.
  const kinds = { hot: { open_minutes: 2, close_minutes: 2, open_celsius: 60, close_celsius: 55 } };
  expect((await b.call("PATCH", "alert-settings", { kinds })).status).toBe(200);
  const [lobby] = await fleet.pair(["Lobby"]);
  lobby!.health = { ...lobby!.health, temperature_c: 65 };
  const alert = await fleet.opened(lobby!, "hot");
  // B knows it, before it has the duties.
  const atB = async (path: string) => (await b.call("GET", path)).body;
  await waitUntil("B shows it", async () => {
    // B reads what A has written when its time passes.
    await fleet.pass(minute / 6);
    return (await atB("alerts/now")).data[0]?.troubles[0]?.alert_id === alert.id;
  });
  await a[Symbol.asyncDispose]();
  fleet.moveTo(b);
  await fleet.pass(20 * minute);
  expect((await atB("alerts?limit=100")).data.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
    [alert.id, "open"],
  ]);
  lobby!.health = { ...lobby!.health, temperature_c: 50 };
  await waitUntil("B has the duties and closes it", async () => {
    await fleet.pass(minute);
    return (await atB("alerts?state=closed")).data.length === 1;
  });
  const { data } = await atB("events?types=alert.opened,alert.closed");
  expect(data.map(({ type }: { type: string }) => type)).toEqual(["alert.opened", "alert.closed"]);
});

test("[NDL4] a node without the lease opens no alert; when it has the duties again, it begins anew with what the rows say", async () => {
  await using folder = await temporaryFolder();
  const database = await postgres.createDatabase();
  const { log, lines } = createLog();
  await using fleet = await AlertFleet.start(folder.path, { database, log } as object);
  await hasDuties(lines);
  await fleet.set(10, 2);
  const [lobby, hall] = await fleet.pair(["Lobby", "Hall"]);
  const [hot, cool] = [90, 50].map((temperature_c) => ({ ...lobby!.health, temperature_c }));
  lobby!.health = hot!;
  await fleet.pass(8 * minute);
  await giveDutiesToAnother(database);
  // Enough for the alert to open, if it did not need the lease.
  await fleet.pass(10 * minute);
  await waitUntil("it has noticed", () => lines.some(({ msg }) => msg === "this node has the duties no more"));
  expect(await fleet.alerts()).toEqual([]);
  lobby!.health = cool!;
  await fleet.pass(5 * minute);
  // What it has not heard: the other node has opened an alert.
  const opened =
    "SELECT 'alr_01jd3v8q6m9x2k4n7r5t1w0yzh', team_id, 1, id, name, 'hot', 'open', 1, 1, '', '', '' FROM state.players WHERE id = $1";
  const columns = "id, team_id, created_at, player_id, player_name, kind, state, since, opened_at, detail, remedy, mail_group";
  await query(database, `INSERT INTO state.alerts (${columns}) ${opened}`, [hall!.id]);
  lobby!.health = hot!;
  await endDutiesOfAnother(database);
  await hasDuties(lines, 2);
  await fleet.closed("alr_01jd3v8q6m9x2k4n7r5t1w0yzh");
  expect((await fleet.alerts()).filter(({ player_id }) => player_id === lobby!.id)).toEqual([]);
  await fleet.opened(lobby!, "hot");
});

/** One node on PostgreSQL, with a clock that the test advances. */
async function startOne() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const database = await postgres.createDatabase();
  const { log, lines } = createLog();
  const clock = new FakeClock(start);
  const api = opened.use(await TestService.start(folder.path, { database, log, clock }));
  const owned = opened.move();
  return { api, clock, lines, database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function hasDuties(lines: readonly LogLine[], times = 1): Promise<void> {
  return waitUntil("it has the duties", () => lines.filter(({ msg }) => msg === "this node has the duties").length >= times);
}

/** Takes the lease from the node that has it, as after a pause that it has not noticed. */
function giveDutiesToAnother(database: string): Promise<void> {
  return query(database, "UPDATE state.leases SET node_id = 'nod_other', token = token + 1, held_until = 9e15 WHERE name = 'duties'", []);
}

function endDutiesOfAnother(database: string): Promise<void> {
  return query(database, "UPDATE state.leases SET held_until = 0 WHERE name = 'duties'", []);
}

async function query(database: string, text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  await client.query(text, values);
  await client.end();
}
