// Video walls: the settings of a player, its desired state, and the drift in heartbeats.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { Player } from "../../../src/protocol/operator/resources.ts";
import { heartbeat, errorPointers } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

const part = { wall_width: 3_940, wall_height: 1_080, left: 2_020, top: 0, width: 1_920, height: 1_080 };

test("[WAL5] a player's part of a wall is stored, reaches the player as a new revision, and is removed by null", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  await api.showPicture(device);
  const path = `players/${device.playerId}`;
  const before = Player.parse((await api.call("GET", path)).body);
  expect(before.wall).toBeNull();
  const set = Player.parse((await api.call("PATCH", path, { wall: part })).body);
  expect(set.wall).toEqual(part);
  expect(set.desired_revision).not.toBe(before.desired_revision);
  expect(DesiredState.parse((await device.call("GET", "state")).body).player.wall).toEqual(part);
  // A change without `wall` keeps it, and setting the same value again is no change.
  await api.call("PATCH", path, { name: "left of two" });
  const again = Player.parse((await api.call("PATCH", path, { wall: { ...part } })).body);
  expect(again.wall).toEqual(part);
  const gone = Player.parse((await api.call("PATCH", path, { wall: null, name: before.name })).body);
  expect(gone.wall).toBeNull();
  expect(gone.desired_revision).toBe(before.desired_revision);
  expect(DesiredState.parse((await device.call("GET", "state")).body).player.wall).toBeUndefined();
});

test.each([
  ["beyond its right edge", { left: 2_021 }, ["/wall/width"]],
  ["beyond its lower edge", { top: 1 }, ["/wall/height"]],
  ["beyond its left edge", { left: -1 }, ["/wall/left"]],
  ["without a size", { width: 0 }, ["/wall/width"]],
  ["with an unknown field", { bezel: 5 }, ["/wall"]],
])("[WAL6] a part of a wall %s is rejected with a pointer to the field", async (_, wrong, expected) => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const answer = await api.call("PATCH", `players/${device.playerId}`, { wall: { ...part, ...wrong } });
  expect(answer.status).toBe(422);
  expect(errorPointers(answer).map((pointer) => pointer.replace(/\/bezel$/, ""))).toEqual(expected);
});

test("[SYN6] the drift that a player reports is in its current state and, the worst of each minute, in the history of its heartbeats", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const now = async () => (await api.call("GET", `players/${device.playerId}/now`)).body;
  expect(await now()).toMatchObject({ drift_ms: null });
  // A player of an earlier version does not report it.
  expect((await device.call("POST", "heartbeat", heartbeat())).status).toBe(200);
  for (const drift_ms of [31, null, 12]) await device.call("POST", "heartbeat", heartbeat({ drift_ms, drift_mean_ms: drift_ms }));
  expect(await now()).toMatchObject({ drift_ms: 12 });
  const { body } = await api.call("GET", `players/${device.playerId}/heartbeats`);
  const worst = body.data.map((minute: { drift_ms_max: number | null }) => minute.drift_ms_max ?? 0);
  expect(Math.max(...worst)).toBe(31);
});
