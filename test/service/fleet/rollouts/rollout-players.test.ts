// What becomes of a rollout's players that are added, deleted, restored, replaced or given another version; events, teams, retention.
import { expect, test } from "vitest";
import { checkRelease } from "../../../../src/service/fleet/rollouts/release-catalog.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { eventually } from "../../../support/polling.ts";
import { errorPointers, TestService } from "../../harness.ts";
import { createOtherTeam } from "../../people/people.ts";
import { minute, pairPlayers, reaches, start, startRollout } from "./simulated-player.ts";
import { openTables } from "../../tables-of.ts";

test("[ROL13] players that are paired, restored or get a tag later join the rings that have begun", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [first, untagged, deleted] = await pairPlayers(api, clock, 3);
  for (const player of [first!, deleted!]) await api.call("PATCH", `players/${player.id}`, { tags: ["test"] });
  await api.call("DELETE", `players/${deleted!.id}`);
  const { id } = await startRollout(api, { rings: [{ tags: ["test"] }] });
  await api.call("PATCH", `players/${untagged!.id}`, { tags: ["test"] });
  await api.call("POST", `players/${deleted!.id}/restore`);
  const [later] = await pairPlayers(api, clock, 1, ["test"]);
  clock.advance(minute);
  await eventually(async () => {
    clock.advance(1_000);
    return (await api.call("GET", `rollouts/${id}`)).body.rings[0].players === 4;
  });
  for (const player of [first!, untagged!, deleted!, later!]) expect(await player.wanted()).toBe("1.4.0");
});

test("[ROL14] a deleted player does not count, and gets what it missed when it is restored", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [kept, failed, aborted] = await pairPlayers(api, clock, 3);
  const { id } = await startRollout(api, { min_players_for_halt: 1, max_failure_percent: 40 });
  await kept!.obey();
  failed!.fate = "rolled-back";
  await api.call("DELETE", `players/${aborted!.id}`);
  expect((await api.call("GET", `rollouts/${id}`)).body.rings[0]).toMatchObject({ players: 2, progress: { kept: 1, waiting: 1 } });
  await api.call("POST", `players/${aborted!.id}/restore`);
  expect((await api.call("GET", `rollouts/${id}`)).body.rings[0].players).toBe(3);
  await aborted!.obey();
  await failed!.obey();
  expect((await reaches(api, clock, id, { status: "running" })).progress).toMatchObject({ kept: 2, failed: 1 });
  await api.call("DELETE", `players/${aborted!.id}`);
  await reaches(api, clock, id, { status: "halted" });
  await api.call("POST", `rollouts/${id}/abort`, {});
  const restored = await api.call("POST", `players/${aborted!.id}/restore`);
  expect(restored.body.release).toMatchObject({ version: "1.3.0" });
});

test("[ROL15] a version that an operator sets for one player takes it out of its rollout; a replaced device begins again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const [own, replaced] = await pairPlayers(api, clock, 2);
  const { id } = await startRollout(api);
  const set = (release: unknown) => api.call("PATCH", `players/${own!.id}`, { release });
  expect((await set({ version: "1.2.0" })).body.release).toEqual({ version: "1.2.0", install: "in-window" });
  expect(await own!.wanted()).toBe("1.2.0");
  await replaced!.obey();
  const waiting = await api.newDevice();
  expect((await api.call("POST", `players/${replaced!.id}/replace`, { code: waiting.grant.user_code })).status).toBe(200);
  const shown = (await api.call("GET", `rollouts/${id}`)).body;
  expect(shown.rings[0]).toMatchObject({ players: 1, progress: { kept: 0, offline: 1 } });
  expect((await api.call("GET", `rollouts/${id}/players?state=left`)).body.data).toMatchObject([{ player_id: own!.id, state: "left" }]);
  clock.advance(2 * minute);
  await api.call("POST", `rollouts/${id}/abort`, {});
  expect(await own!.wanted()).toBe("1.2.0");
  expect((await set(null)).body.release).toBeNull();
  expect(await own!.wanted()).toBeNull();
  for (const [release, pointer] of [
    [{ version: "x" }, "/release/version"],
    [{ version: "1.2.0", windows: [] }, "/release/windows"],
    [{ version: "1.2.0", windows: [{ from: "01:00", until: "01:00" }] }, "/release/windows/0/until"],
  ] as const) {
    const refused = await set(release);
    expect([refused.status, errorPointers(refused)]).toEqual([422, [pointer]]);
  }
});

test("[ROL16] each step of a rollout is an event of its team; other teams neither see nor reach it", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  await using api = await TestService.start(folder.path, { clock });
  const other = await createOtherTeam(api);
  const [one] = await pairPlayers(api, clock, 1);
  const { id } = await startRollout(api, { rings: [{ wait_minutes: 0 }], min_players_for_halt: 1 });
  await api.call("POST", `rollouts/${id}/pause`);
  await api.call("POST", `rollouts/${id}/resume`, {});
  one!.fate = "rolled-back";
  await one!.obey();
  await reaches(api, clock, id, { status: "halted" });
  await api.call("POST", `rollouts/${id}/resume`, { max_failure_percent: 100 });
  await eventually(async () => (await one!.wanted()) === "1.4.0");
  clock.advance(minute);
  await one!.obey();
  await reaches(api, clock, id, { status: "finished" });
  const second = await startRollout(api, { version: "1.4.1" });
  await api.call("POST", `rollouts/${second.id}/abort`, {});
  const types = ["started", "ring_started", "halted", "paused", "resumed", "aborted", "finished"].map((type) => `rollout.${type}`).join();
  const { data } = (await api.call("GET", `events?types=${types}`)).body;
  expect(data.map(({ type }: { type: string }) => type.slice("rollout.".length))).toEqual(
    "started ring_started paused resumed halted resumed finished started ring_started aborted".split(" "),
  );
  expect(data[4].data).toEqual({
    rollout_id: id,
    name: "Version 1.4.0",
    version: "1.4.0",
    ring: 1,
    reason: expect.stringContaining("Ring 1: 1 of the 1"),
  });
  expect((await other.call("GET", "rollouts")).body.data).toEqual([]);
  for (const path of [`rollouts/${id}`, `rollouts/${id}/players`]) expect((await other.call("GET", path)).status).toBe(404);
  expect((await other.call("POST", `rollouts/${second.id}/abort`, {})).status).toBe(404);
});

test("[ROL17] a rollout is kept for 90 days after its end, one in progress for as long as it lasts", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock(start);
  let going: string;
  {
    await using api = await TestService.start(folder.path, { clock });
    await pairPlayers(api, clock, 2);
    const ended = await startRollout(api);
    await api.call("POST", `rollouts/${ended.id}/abort`, {});
    ({ id: going } = await startRollout(api));
  }
  clock.advance(91 * 24 * 60 * minute);
  await using api = await TestService.start(folder.path, { clock });
  const ids = async () => (await api.call("GET", "rollouts")).body.data.map(({ id }: { id: string }) => id);
  await eventually(async () => (await ids()).length === 1);
  expect(await ids()).toEqual([going]);
  using state = openTables(folder.path);
  expect(state.prepare("select distinct rollout_id from rollout_players").all()).toEqual([{ rollout_id: going }]);
});

test("[ROL18] a version that the service's mirror does not have is rejected; without a mirror any version is accepted", async () => {
  const hasRelease = async (version: string) => version === "1.4.0";
  const catalog = { isInUse: async () => true, hasRelease };
  await checkRelease({ ...catalog, isInUse: async () => false }, "1.4.1", "/version");
  await checkRelease(catalog, "1.4.0", "/version");
  await expect(checkRelease(catalog, "1.4.1", "/version")).rejects.toMatchObject({ kind: "invalid", errors: [{ pointer: "/version" }] });
});
