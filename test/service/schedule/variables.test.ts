// Variables at the service: commands that set them are validated, and the variables that players report are shown.
import { expect, test } from "vitest";
import { DesiredState } from "../../../src/protocol/device/desired-state.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, heartbeat, errorPointers } from "../harness.ts";

test("[VAR6] commands set variables on one player or on all players with a tag; an invalid one is rejected with a pointer to the field", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  const path = `players/${device.playerId}`;
  await api.call("PATCH", path, { tags: ["bar"], variables: { queue: 1 } });
  const { revision } = DesiredState.parse((await device.call("GET", "state")).body);
  const send = (type: string, args: object) => api.call("POST", `${path}/commands`, { type, args });
  const set = await send("variables.set", { variables: { door_open: true, queue: 7, who: "Ada" }, duration_ms: 60_000 });
  expect([set.status, set.body]).toMatchObject([202, { type: "variables.set", status: "queued" }]);
  expect((await send("variables.clear", { names: ["queue"] })).status).toBe(202);
  expect((await send("variables.clear", {})).status).toBe(202);
  const all = await api.call("POST", "commands", { target: { tag: "bar" }, type: "variables.set", args: { variables: { queue: 2 } } });
  expect(all.body).toMatchObject({ count: 1 });
  // A command does not change the player's desired state or its revision.
  const after = DesiredState.parse((await device.call("GET", "state")).body);
  expect([after.revision, after.player.variables]).toEqual([revision, { queue: 1 }]);

  const refused: [object, string][] = [
    [{}, "/args/variables"],
    [{ variables: {} }, "/args/variables"],
    [{ variables: { "Door open": true } }, "/args/variables/Door open"],
    [{ variables: { door: null } }, "/args/variables/door"],
    [{ variables: { door: "x".repeat(201) } }, "/args/variables/door"],
    [{ variables: { door: true }, duration_ms: 1 }, "/args/duration_ms"],
    [{ variables: { door: true }, until: 1 }, "/args/until"],
    [{ variables: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`v${n}`, n])) }, "/args/variables"],
  ];
  for (const [args, pointer] of refused) {
    const answer = await send("variables.set", args);
    expect([answer.status, errorPointers(answer)]).toEqual([422, [pointer]]);
  }
  expect(errorPointers(await send("variables.clear", { names: [] }))).toEqual(["/args/names"]);
});

test("[VAR7] a player lists the variables that operators set and those set on the device, also after a restart of the service", async () => {
  await using folder = await temporaryFolder();
  let path: string;
  {
    await using api = await TestService.start(folder.path);
    const device = await api.pairDevice();
    path = `players/${device.playerId}`;
    await api.call("PATCH", path, { variables: { queue: 1 } });
    expect((await api.call("GET", path)).body).toMatchObject({ variables: { queue: 1 }, reported_variables: null });
    const reported = heartbeat({ variables: { queue: 7, door_open: true } });
    expect((await device.call("POST", "heartbeat", reported)).status).toBe(200);
    expect((await device.call("POST", "heartbeat", { ...reported, variables: { "../x": {} } })).status).toBe(422);
  }
  await using again = await TestService.start(folder.path);
  const { body } = await again.call("GET", path);
  expect([body.variables, body.reported_variables]).toEqual([{ queue: 1 }, { queue: 7, door_open: true }]);
});
