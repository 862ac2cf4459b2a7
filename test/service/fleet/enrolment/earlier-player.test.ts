// Boxes that were enrolled before: which player they get again, and when they get a new one.
import { expect, test } from "vitest";
import { quietMs } from "../../../../src/service/fleet/enrolment/earlier-player.ts";
import { isSameMachine, machineIdentityOf } from "../../../../src/service/fleet/enrolment/machine-identity.ts";
import { FakeClock } from "../../../support/clock.ts";
import { createKey, enrol, enrolNew, machine } from "../../../support/enrolling-device.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { eventually } from "../../../support/polling.ts";
import { heartbeat, TestService } from "../../harness.ts";

test("[ENR9] a device's key gets the same player again, also by a key that was used up, revoked or has expired meanwhile", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const key = await createKey(api, { max_count: 1 });
  const { device, answer } = await enrolNew(api, key.secret, machine(1));
  const again = async () => {
    const { status, body } = await enrol(device, key.secret, machine(1));
    return [status, body.player_id, body.outcome];
  };
  const same = [200, answer.body.player_id, "same-device"];
  expect(await again()).toEqual(same);
  await api.call("POST", `enrolment-keys/${key.id}/revoke`);
  expect(await again()).toEqual(same);
  clock.advance(100 * 86_400_000);
  expect(await again()).toEqual(same);
  expect((await api.call("GET", `enrolment-keys/${key.id}`)).body).toMatchObject({ used_count: 1, returned_count: 0, refused_count: 0 });
  expect((await api.call("GET", "players")).body.data).toHaveLength(1);
});

test("[ENR10] a reinstalled machine takes its silent player again, with name, tags and layout, and the device before is revoked", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const key = await createKey(api, { max_count: 1, tags: ["shop"] });
  const { device: before } = await enrolNew(api, key.secret, machine(1));
  await api.call("PATCH", `players/${before.playerId}`, { name: "Shop window" });
  clock.advance(quietMs + 1);
  const { next } = (await api.call("GET", "events?after=now")).body;
  const { device, answer } = await enrolNew(api, key.secret, machine(1));
  expect(answer.body).toMatchObject({ outcome: "same-machine", player_id: before.playerId, player_name: "Shop window", warnings: [] });
  expect((await api.call("GET", `players/${device.playerId}`)).body).toMatchObject({ name: "Shop window", tags: ["shop"] });
  expect((await before.renew()).body).toMatchObject({ error: "access_denied", revocation: expect.any(String) });
  expect((await device.renew()).status).toBe(200);
  const { data } = (await api.call("GET", `events?after=${next}`)).body;
  expect(data).toMatchObject([{ type: "player.replaced", data: { player_id: before.playerId, enrolment_key_id: key.id } }]);
  expect((await api.call("GET", `enrolment-keys/${key.id}`)).body).toMatchObject({ used_count: 1, returned_count: 1, left_count: 0 });
});

test("[ENR11] a machine whose player was alive a moment ago has to wait; if that player is online, it is another machine and gets a new one", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const key = await createKey(api);
  const { device: first } = await enrolNew(api, key.secret, machine(1));
  const { answer: early } = await enrolNew(api, key.secret, machine(1));
  expect([early.status, early.body.type, early.headers.get("retry-after")]).toEqual([409, "/problems/enrolment-undecided", "180"]);
  clock.advance(quietMs + 1);
  await first.connect();
  await eventually(async () => (await api.call("GET", `players/${first.playerId}`)).body.status === "online");
  const { answer } = await enrolNew(api, key.secret, machine(1));
  expect(answer.body).toMatchObject({
    outcome: "new",
    warnings: [{ code: "machine-in-use", message: expect.stringContaining(first.playerId) }],
  });
  expect(answer.body.player_id).not.toBe(first.playerId);
  expect((await first.renew()).status).toBe(200);
});

test("[ENR12] two boxes with one copied identity get one player, which reports that its identity is shared", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const key = await createKey(api);
  const { device } = await enrolNew(api, key.secret, machine(1));
  expect((await enrol(device, key.secret, machine(2))).body.outcome).toBe("same-device");
  const beat = async (instance: string) => {
    await device.call("POST", "heartbeat", heartbeat({ instance_id: instance }));
    clock.advance(20_000);
  };
  for (const instance of ["a", "b", "a", "b"]) await beat(instance);
  const { problems } = (await api.call("GET", `players/${device.playerId}`)).body;
  expect(problems.map(({ code }: { code: string }) => code)).toContain("identity-shared");
});

test("[ENR13] a deleted player is not taken again: its device gets a new one, and is told of the deletion", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const key = await createKey(api);
  const { device } = await enrolNew(api, key.secret, machine(1));
  const before = device.playerId;
  await api.call("DELETE", `players/${before}`);
  const { body } = await enrol(device, key.secret, machine(1));
  expect(body).toMatchObject({ outcome: "new", warnings: [{ code: "earlier-player-deleted", message: expect.stringContaining(before) }] });
  expect(body.player_id).not.toBe(before);
  clock.advance(quietMs + 1);
  await api.call("DELETE", `players/${body.player_id}?permanent=true`);
  const { answer } = await enrolNew(api, key.secret, machine(1));
  expect(answer.body).toMatchObject({ outcome: "new", warnings: [] });
});

test("[ENR14] placeholder serials and made-up MAC addresses identify no machine, and a serial with another MAC address is another machine", async () => {
  const of = (serial: string | null, mac: string | null) => machineIdentityOf({ serial, mac });
  for (const serial of [
    "To be filled by O.E.M.",
    "0",
    "Default string",
    "System Serial Number",
    "0000000000",
    "N/A",
    " ",
    "XXXXXXXX",
    null,
  ]) {
    expect([serial, of(serial, null).serial]).toEqual([serial, null]);
  }
  expect(of(" 5CG1234abc ", null).serial).toBe("5CG1234ABC");
  for (const mac of ["00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "02:42:ac:11:00:02", "01:00:5e:00:00:01"]) {
    expect([mac, of(null, mac).mac]).toEqual([mac, null]);
  }
  const [one, two] = ["00:11:22:33:44:55", "00:11:22:33:44:66"];
  expect(isSameMachine(of("SN-1001", one), of("sn-1001", one.toUpperCase()))).toBe(true);
  expect(isSameMachine(of("SN-1001", one), of("SN-1001", null))).toBe(true);
  expect(isSameMachine(of("0", one), of("Default string", one))).toBe(true);
  expect(isSameMachine(of("SN-1001", one), of("SN-1001", two))).toBe(false);
  expect(isSameMachine(of("SN-1001", one), of("SN-1002", one))).toBe(false);
  expect(isSameMachine(of("0", null), of("0", null))).toBe(false);
});

test("[ENR15] a machine gets a new player if its key does not return players, if several match, or if only the serial is the same", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const outcomeOf = async (key: { secret: string }, on: { serial: string | null; mac: string | null }) => {
    const { outcome, warnings } = (await enrolNew(api, key.secret, on)).answer.body;
    clock.advance(quietMs + 1);
    return [outcome, ...warnings.map(({ code }: { code: string }) => code)];
  };
  const strict = await createKey(api, { replace_by_serial: false });
  expect(await outcomeOf(strict, machine(1))).toEqual(["new"]);
  expect(await outcomeOf(strict, machine(1))).toEqual(["new"]);
  await api.call("PATCH", `enrolment-keys/${strict.id}`, { replace_by_serial: true });
  expect(await outcomeOf(strict, machine(1))).toEqual(["new", "machine-ambiguous"]);
  const key = await createKey(api);
  expect(await outcomeOf(key, machine(1))).toEqual(["new"]);
  expect(await outcomeOf(key, { ...machine(2), serial: machine(1).serial })).toEqual(["new", "serial-shared"]);
  const nameless = { serial: "To be filled by O.E.M.", mac: machine(3).mac };
  expect(await outcomeOf(key, nameless)).toEqual(["new"]);
  expect(await outcomeOf(key, nameless)).toEqual(["same-machine"]);
});
