// Rollouts: rings, progress by heartbeats, the health gate, halts, and what operators may do.
import { expect, test } from "vitest";
import { ringOf } from "../../../../src/service/fleet/rollouts/ring-members.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { eventually } from "../../../support/polling.ts";
import { newId } from "../../../support/states.ts";
import { errorPointers, TestService } from "../../harness.ts";
import { writePlayers } from "./many-players.ts";
import { minute, pairPlayers, reaches, SimulatedPlayer, start, startRollout } from "./simulated-player.ts";

test("[ROL1] a rollout gives its version to the players of the first ring only, with a new revision", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [first] = await pairPlayers(api, clock, 1, ["test"]);
  const [second] = await pairPlayers(api, clock, 1);
  const before = (await first!.device.call("GET", "state")).body.revision;
  const windows = [{ from: "03:00", until: "04:00" }];
  const rollout = await startRollout(api, { rings: [{ tags: ["test"] }, {}], windows });
  expect(rollout).toMatchObject({ status: "running", ring: 1, selected_players: 2, warnings: [], name: "Version 1.4.0" });
  expect(rollout.rings.map(({ players, status }: { players: number; status: string }) => [players, status])).toEqual([
    [1, "running"],
    [0, "planned"],
  ]);
  const state = (await first!.device.call("GET", "state")).body;
  expect(state.player.release).toEqual({ version: "1.4.0", install: "in-window", windows });
  expect(state.revision).not.toBe(before);
  expect(await second!.wanted()).toBeNull();
  expect((await api.call("GET", `players/${first!.id}`)).body).toMatchObject({
    release: { version: "1.4.0" },
    desired_revision: state.revision,
  });
});

test("[ROL1] a player's place in the shares of a rollout never changes, and a larger share includes every smaller one", () => {
  const rollout = newId("rol");
  const ids = Array.from({ length: 4_000 }, () => newId("plr"));
  const selected = (percent: number, of = rollout) =>
    new Set(ids.filter((id) => ringOf(of, [{ percent, wait_minutes: 0 }], { id, tags: "[]" }) === 0));
  const shares = [1, 10, 50, 99].map((percent) => selected(percent));
  for (const [index, share] of shares.entries()) {
    expect(share.size / ids.length).toBeCloseTo([0.01, 0.1, 0.5, 0.99][index]!, 1);
    if (index > 0) expect(shares[index - 1]!.isSubsetOf(share)).toBe(true);
  }
  expect(selected(10)).toEqual(shares[1]);
  expect(selected(10, newId("rol"))).not.toEqual(shares[1]);
  const rings = [
    { tags: ["test"], percent: 100, wait_minutes: 0 },
    { tags: ["lobby", "hall"], percent: 100, wait_minutes: 0 },
  ];
  const ringWith = (tags: string[]) => ringOf(rollout, rings, { id: ids[0]!, tags: JSON.stringify(tags) });
  expect([ringWith(["hall", "test"]), ringWith(["hall"]), ringWith([])]).toEqual([0, 1, null]);
});

test.each([
  [{ rings: [] }, ["/rings"]],
  [{ rings: [{ percent: 0 }] }, ["/rings/0/percent"]],
  [{ rings: [{ percent: 10 }, { tags: ["x"], percent: 5 }, { percent: 10 }] }, ["/rings/2/percent"]],
  [{ version: "1.4" }, ["/version"]],
  [{ windows: [{ from: "01:00", until: "01:00" }] }, ["/windows/0/until"]],
  [{ max_failure_percent: 101 }, ["/max_failure_percent"]],
])("[ROL2] an invalid rollout, also one whose rings select nobody, is rejected with its pointer: %j", async (fault, pointers) => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const refused = await api.call("POST", "rollouts", { version: "1.4.0", rings: [{}], ...fault });
  expect([refused.status, errorPointers(refused)]).toEqual([422, pointers]);
});

test("[ROL3] the progress of each player is what its heartbeats report; failed players are listed with the reason", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const players = await pairPlayers(api, clock, 10);
  const { id } = await startRollout(api, { min_players_for_halt: 100 });
  const wanted = { wanted_version: "1.4.0" };
  await players[0]!.report({ is: "waiting", ...wanted, detail: "The window opens at 02:00" });
  await players[1]!.report({ is: "downloading", ...wanted, ready_bytes: 5 });
  await players[2]!.report({ is: "installing", ...wanted });
  await players[3]!.begin();
  await players[4]!.obey();
  players[5]!.fate = "rolled-back";
  await players[5]!.obey();
  players[6]!.fate = "control-failed";
  await players[6]!.obey();
  await players[7]!.report({ is: "blocked", ...wanted, detail: "The release metadata has expired" });
  await players[8]!.reportWithoutLauncher();
  const one = (state: string) => [state, 1];
  const states = ["downloading", "installing", "probation", "kept", "failed", "control_failed", "blocked", "unsupported"];
  const { progress, rings } = (await api.call("GET", `rollouts/${id}`)).body;
  expect(progress).toEqual({ ...Object.fromEntries(states.map(one)), waiting: 2, offline: 0 });
  expect(rings[0].failure_percent).toBe(33.3);
  const list = async (query: string) => (await api.call("GET", `rollouts/${id}/players?${query}`)).body;
  expect((await list("state=failed")).data).toEqual([
    {
      player_id: players[5]!.id,
      name: "Screen 5",
      ring: 1,
      state: "failed",
      detail: "No frames for 30 s",
      previous_version: "1.3.0",
      changed_at: new Date(start).toISOString(),
    },
  ]);
  expect((await list("state=blocked")).data).toMatchObject([{ name: "Screen 7", detail: "The release metadata has expired" }]);
  const page = await list("limit=9");
  expect(page.data).toHaveLength(9);
  expect((await list(`limit=9&cursor=${page.next_cursor}`)).data).toHaveLength(1);
  expect((await list("ring=2")).data).toEqual([]);
  // Screens that do not answer any more are shown as offline, unless they had finished.
  clock.advance(5 * minute);
  expect((await api.call("GET", `rollouts/${id}`)).body.progress).toMatchObject({ offline: 6, waiting: 0, kept: 1, failed: 1 });
  expect((await list("state=offline")).data).toHaveLength(6);
});

test("[ROL4] the next ring begins when enough players have finished and the wait is over; the last one finishes the rollout", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [one, two] = await pairPlayers(api, clock, 2, ["test"]);
  const [other] = await pairPlayers(api, clock, 1);
  const { id } = await startRollout(api, { rings: [{ tags: ["test"], wait_minutes: 30 }, { wait_minutes: 0 }], offline_after_minutes: 60 });
  await one!.obey();
  clock.advance(20_000);
  expect((await reaches(api, clock, id, { status: "running" })).waits_for).toBe("1 of 2 screens have finished");
  await two!.obey();
  const watched = await eventually(async () => {
    clock.advance(1_000);
    const { body } = await api.call("GET", `rollouts/${id}`);
    return body.watched_until !== null && body;
  });
  expect(watched.rings[0]).toMatchObject({ status: "watched", failure_percent: 0 });
  expect(await other!.wanted()).toBeNull();
  clock.advance(30 * minute);
  await reaches(api, clock, id, { ring: 2 });
  await eventually(async () => (await other!.wanted()) === "1.4.0");
  await other!.obey();
  const finished = await reaches(api, clock, id, { status: "finished" });
  expect(finished).toMatchObject({ waits_for: null, progress: { kept: 3 }, ended_at: expect.any(String) });
  // The version stays the desired one.
  expect(await other!.wanted()).toBe("1.4.0");
});

test("[ROL5] players without a launcher never delay a ring, and offline players only for a time", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [kept, offline, unsupported] = await pairPlayers(api, clock, 3);
  const { id } = await startRollout(api, { rings: [{ wait_minutes: 0 }], offline_after_minutes: 60 });
  await kept!.obey();
  await unsupported!.reportWithoutLauncher();
  clock.advance(59 * minute);
  expect((await reaches(api, clock, id, { status: "running" })).waits_for).toBe("1 of 2 screens have finished");
  clock.advance(minute);
  await reaches(api, clock, id, { status: "finished" });
  // Its players are released in the next transaction.
  const progress = await eventually(async () => {
    const { body } = await api.call("GET", `rollouts/${id}`);
    return body.progress.waiting === 0 && body.progress;
  });
  expect(progress).toMatchObject({ kept: 1, offline: 1, unsupported: 1 });
  // It gets the version when it is back.
  expect(await offline!.wanted()).toBe("1.4.0");
});

test("[ROL5] a ring without any result waits until an operator begins the next one", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  await pairPlayers(api, clock, 1, ["test"]);
  const [other] = await pairPlayers(api, clock, 1);
  const { id } = await startRollout(api, { rings: [{ tags: ["test"], wait_minutes: 0 }, {}], offline_after_minutes: 5 });
  clock.advance(120 * minute);
  expect((await reaches(api, clock, id, { ring: 1 })).waits_for).toContain("none of 1 screens has kept or failed");
  expect((await api.call("POST", `rollouts/${id}/resume`, { next_ring: true })).body).toMatchObject({ status: "running", ring: 2 });
  await eventually(async () => (await other!.wanted()) === "1.4.0");
  expect((await api.call("POST", `rollouts/${id}/resume`, { next_ring: true })).body.detail).toContain("Ring 2 is the last one");
});

test("[ROL6] a rollout over 200 players of which 10 % fail halts by itself, and takes the version back where it has not run", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  const devices = await writePlayers(folder.path, clock, 200);
  await using api = await TestService.start(folder.path, { clock });
  const players = devices.map((device) => new SimulatedPlayer(Object.assign(device, { url: api.service.url }), clock));
  for (const [index, player] of players.entries()) if (index % 10 === 3) player.fate = "rolled-back";
  for (const player of players) await player.report();
  const rings = [
    { percent: 20, wait_minutes: 0 },
    { percent: 100, wait_minutes: 0 },
  ];
  const { id } = await startRollout(api, { rings, max_failure_percent: 5, min_players_for_halt: 10, done_percent: 100 });
  const read = async () => (await api.call("GET", `rollouts/${id}`)).body;
  // Those that were given the version begin it together, and then finish one after the other.
  const reached = new Set<SimulatedPlayer>();
  let rollout = await read();
  while (rollout.status === "running") {
    // A player that has not reported for a while is offline.
    const waiting = (await playersIn(api, id, "waiting")).union(await playersIn(api, id, "offline"));
    const begin = players.filter((player) => waiting.has(player.id));
    for (const player of begin) await player.begin();
    for (const player of begin) {
      await player.obey();
      reached.add(player);
    }
    clock.advance(10_000);
    rollout = await read();
  }
  expect(rollout).toMatchObject({
    status: "halted",
    reason: expect.stringMatching(/^Ring [12]: \d+ of the \d+ screens that ran the version failed/),
  });
  const failing = await playersIn(api, id, "failed");
  expect(failing.size).toBeGreaterThan(0);
  for (const player of players) if (failing.has(player.id)) expect(player.fate).toBe("rolled-back");
  // Only those that run it still want it.
  await eventually(async () => {
    clock.advance(1_000);
    for (const player of reached) if (((await player.wanted()) === "1.4.0") !== (player.version === "1.4.0")) return false;
    return true;
  });
  expect(players.filter(({ version }) => version === "1.4.0")).toHaveLength((await read()).progress.kept);
  // Nothing goes on by itself.
  clock.advance(30 * minute);
  const { status, rings: after } = await read();
  expect([status, after.map(({ players: count }: { players: number }) => count)]).toEqual([
    "halted",
    rollout.rings.map(({ players: count }: { players: number }) => count),
  ]);
});

test("[ROL7] a failure counts against players in probation too, and not if the version before fails the same test", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const players = await pairPlayers(api, clock, 20);
  const { id } = await startRollout(api, { max_failure_percent: 11, min_players_for_halt: 1 });
  for (const player of players.slice(2)) await player.begin();
  // Of 20 players that ran it, two may fail.
  for (const player of players.slice(0, 2)) {
    player.fate = "rolled-back";
    await player.obey();
  }
  players[2]!.fate = "control-failed";
  await players[2]!.obey();
  clock.advance(20_000);
  expect((await reaches(api, clock, id, { status: "running" })).rings[0]).toMatchObject({
    progress: { failed: 2, control_failed: 1, probation: 17 },
  });
  players[3]!.fate = "refused";
  await players[3]!.obey();
  const halted = await reaches(api, clock, id, { status: "halted" });
  expect(halted.reason).toBe("Ring 1: 3 of the 19 screens that ran the version failed (15.8 %)");
});

test("[ROL8] a resumed rollout gives the version again to those from whom it was taken back; earlier failures no longer count", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [failing, waiting] = await pairPlayers(api, clock, 2);
  const { id } = await startRollout(api, { rings: [{ wait_minutes: 0 }], min_players_for_halt: 1 });
  failing!.fate = "rolled-back";
  await failing!.obey();
  await reaches(api, clock, id, { status: "halted" });
  await eventually(async () => (await waiting!.wanted()) === null && (await failing!.wanted()) === null);
  const paused = await api.call("POST", `rollouts/${id}/pause`);
  expect([paused.status, paused.body.detail]).toEqual([409, expect.stringContaining("resume or abort it")]);
  expect((await api.call("POST", `rollouts/${id}/resume`, {})).body).toMatchObject({ status: "running", reason: null });
  await eventually(async () => (await waiting!.wanted()) === "1.4.0" && (await failing!.wanted()) === "1.4.0");
  // The report of the old attempt comes again.
  await failing!.report();
  await waiting!.obey();
  expect((await reaches(api, clock, id, { status: "running" })).progress).toMatchObject({ failed: 0, kept: 1, waiting: 1 });
  clock.advance(minute);
  failing!.fate = "kept";
  await waiting!.report();
  await failing!.obey();
  expect((await reaches(api, clock, id, { status: "finished" })).progress).toMatchObject({ kept: 2 });
});

test("[ROL9] a paused rollout gives the version to no further players until it is resumed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [first] = await pairPlayers(api, clock, 1, ["test"]);
  const [second] = await pairPlayers(api, clock, 1);
  const { id } = await startRollout(api, { rings: [{ tags: ["test"], wait_minutes: 0 }, {}] });
  for (const status of ["paused", "paused"]) expect((await api.call("POST", `rollouts/${id}/pause`)).body.status).toBe(status);
  await first!.obey();
  clock.advance(10 * minute);
  expect(await reaches(api, clock, id, { ring: 1 })).toMatchObject({
    status: "paused",
    waits_for: "It is resumed or aborted",
    progress: { kept: 1 },
  });
  await api.call("POST", `rollouts/${id}/resume`, {});
  await reaches(api, clock, id, { ring: 2 });
  await eventually(async () => (await second!.wanted()) === "1.4.0");
});

test("[ROL10] an aborted rollout returns the players that it reached to the version that they ran before; others keep theirs", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [kept, waiting, own] = await pairPlayers(api, clock, 3, ["test"]);
  const [other] = await pairPlayers(api, clock, 1);
  await api.call("PATCH", `players/${own!.id}`, { release: { version: "1.3.0", install: "now" } });
  const { id } = await startRollout(api, { rings: [{ tags: ["test"] }, {}] });
  await kept!.obey();
  const aborted = await api.call("POST", `rollouts/${id}/abort`, { install: "now" });
  expect(aborted.body).toMatchObject({ status: "aborted", reason: "An operator aborted it" });
  const release = async ({ id: playerId }: SimulatedPlayer) => (await api.call("GET", `players/${playerId}`)).body.release;
  for (const player of [kept!, waiting!, own!]) expect(await release(player)).toEqual({ version: "1.3.0", install: "now" });
  expect(await release(other!)).toBeNull();
  expect((await kept!.device.call("GET", "state")).body.player.release.version).toBe("1.3.0");
  for (const action of ["pause", "resume", "abort"]) {
    const refused = await api.call("POST", `rollouts/${id}/${action}`, action === "pause" ? undefined : {});
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("It has ended (aborted): start another one")]);
  }
});

test("[ROL11] a player is in one rollout in progress; another one for the same players is rejected with the remedy, or replaces the first", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [kept, waiting] = await pairPlayers(api, clock, 2);
  const { id } = await startRollout(api);
  await kept!.obey();
  const second = { version: "1.4.1", rings: [{ percent: 100 }] };
  const refused = await api.call("POST", "rollouts", second);
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringContaining(
      `The rollout ${id} (“Version 1.4.0”, running) also selects 2 of these screens, such as “Screen 0”: wait until it has finished, abort it, or send "replace": true`,
    ),
  ]);
  // Another rollout for other players is no conflict.
  const apart = await startRollout(api, { rings: [{ tags: ["nobody"] }] });
  expect(apart.warnings).toMatchObject([{ code: "no-players", field: "/rings/0" }]);
  const next = await startRollout(api, { ...second, replace: true });
  expect((await api.call("GET", `rollouts/${id}`)).body).toMatchObject({ status: "replaced", reason: expect.stringContaining(next.id) });
  expect([await kept!.wanted(), await waiting!.wanted()]).toEqual(["1.4.1", "1.4.1"]);
  await api.call("POST", `rollouts/${next.id}/abort`, {});
  expect([await kept!.wanted(), await waiting!.wanted()]).toEqual(["1.4.0", "1.3.0"]);
});

test("[ROL12] a service that restarts in the middle continues: rings, halts and what it had to take back", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  let players: SimulatedPlayer[];
  let id: string;
  {
    await using api = await TestService.start(folder.path, { clock });
    players = await pairPlayers(api, clock, 3);
    ({ id } = await startRollout(api, { rings: [{ wait_minutes: 10 }], min_players_for_halt: 3, max_failure_percent: 0 }));
    await players[0]!.obey();
    await players[1]!.begin();
  }
  await using api = await TestService.start(folder.path, { clock });
  for (const player of players) Object.assign(player.device, { url: api.service.url });
  expect((await api.call("GET", `rollouts/${id}`)).body).toMatchObject({ status: "running", progress: { kept: 1 } });
  players[1]!.fate = "rolled-back";
  await players[1]!.obey();
  await players[0]!.report();
  await players[2]!.begin();
  await reaches(api, clock, id, { status: "halted" });
  await eventually(async () => (await players[1]!.wanted()) === null);
});

/** The ids of the players of a rollout in a state. */
async function playersIn(api: TestService, rolloutId: string, state: string): Promise<ReadonlySet<string>> {
  const ids: string[] = [];
  for (let cursor = ""; ;) {
    const { body } = await api.call("GET", `rollouts/${rolloutId}/players?state=${state}&limit=100${cursor}`);
    ids.push(...body.data.map(({ player_id }: { player_id: string }) => player_id));
    if (body.next_cursor === null) return new Set(ids);
    cursor = `&cursor=${body.next_cursor}`;
  }
}
