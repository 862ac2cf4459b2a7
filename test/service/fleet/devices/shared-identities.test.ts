// Two devices with one identity, as clones of one disk have, at a real service.
import { expect, test } from "vitest";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { EventSubscriber } from "../../events/event-subscriber.ts";
import { type Device, heartbeat, TestService } from "../../harness.ts";

const second = 1_000;
const minute = 60 * second;

/** A real service on a fake clock, a device, and what operators and the device see. */
async function createSetup(folder: string) {
  const clock = new FakeClock();
  const api = await TestService.start(folder, { clock });
  const device = await api.pairDevice();
  const problems = async (): Promise<{ code: string; since: string; remedy: string }[]> =>
    (await api.call("GET", `players/${device.playerId}`)).body.problems;
  return { clock, api, device, problems, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

/** Opens the socket of a run of the player's program, and greets. */
function open(device: Device, instance: string) {
  const socket = device.socket(undefined, instance);
  socket.hello(null, 0, { instance_id: instance });
  return socket;
}

/** Sends the heartbeat of a run by polling. Resolves to whether the device is told that its identity is shared. */
async function poll(device: Device, instance: string): Promise<boolean> {
  const { body } = await device.call("POST", "heartbeat", heartbeat({ instance_id: instance }));
  return body.identity_shared ?? false;
}

test("[DEV13] two devices that connect in turn are recognized: the connected one stays, both are told, and an event reports it", async () => {
  await using folder = await temporaryFolder();
  await using setup = await createSetup(folder.path);
  const { api, clock, device, problems } = setup;
  using listener = new EventSubscriber(api.service.url, api.token);
  await listener.subscribe(["problems"]);
  const first = open(device, "a");
  expect((await first.next("welcome")).data.answer.identity_shared).toBeUndefined();
  clock.advance(8 * second);
  // The player may have been restarted: the new socket replaces the old one.
  const other = open(device, "b");
  await other.next("welcome");
  expect(await first.closed).toBe(4409);
  expect(await problems()).toEqual([]);
  clock.advance(8 * second);
  const again = open(device, "a");
  expect(await again.closed).toBe(4410);
  const since = new Date(clock.now()).toISOString();
  expect(await poll(device, "a")).toBe(true);
  expect(await problems()).toMatchObject([
    { code: "identity-shared", since, remedy: expect.stringContaining("Pair every clone again") as string },
  ]);
  expect(await listener.event("problem.opened")).toMatchObject({
    data: { data: { code: "identity-shared", player_id: device.playerId } },
  });
  other.send({ type: "heartbeat", data: heartbeat({ instance_id: "b" }) });
  expect((await other.next("heartbeat.answer")).data.identity_shared).toBe(true);
  // A change still reaches the connected one. The run "a" stays rejected, also after its restart.
  await api.showPicture(device);
  await other.next("state.changed");
  expect(await open(device, "a").closed).toBe(4410);
  expect(await open(device, "a2").closed).toBe(4410);
  // Its own new connection replaces the old one.
  const renewed = open(device, "b");
  await renewed.next("welcome");
  expect(await other.closed).toBe(4409);
  // When it leaves, the other one may connect.
  renewed.socket.close();
  await renewed.closed;
  await expect.poll(async () => (await api.call("GET", `players/${device.playerId}`)).body.status).toBe("offline");
  const successor = open(device, "a");
  await successor.next("welcome");
  successor.socket.close();
});

test("[DEV13] two devices that poll are recognized, and the problem ends five minutes after one of them has left", async () => {
  await using folder = await temporaryFolder();
  await using setup = await createSetup(folder.path);
  const { clock, device, problems } = setup;
  const told: boolean[] = [];
  for (const instance of ["a", "b", "a", "b"]) {
    told.push(await poll(device, instance));
    clock.advance(15 * second);
  }
  expect(told).toEqual([false, false, true, true]);
  const codes = async () => (await problems()).map(({ code }) => code);
  for (let sent = 0; sent < 9; sent += 1) {
    clock.advance(30 * second);
    expect(await poll(device, "b")).toBe(true);
    expect(await codes()).toEqual(["identity-shared"]);
  }
  clock.advance(minute);
  expect(await poll(device, "b")).toBe(false);
  expect(await codes()).toEqual([]);
});

test("[DEV13] restarts, late messages and older players are no second device", async () => {
  await using folder = await temporaryFolder();
  await using setup = await createSetup(folder.path);
  const { clock, device, problems } = setup;
  for (let start = 0; start < 30; start += 1) {
    const socket = open(device, `run-${start}`);
    await socket.next("welcome");
    socket.socket.terminate();
    // The last message of the run before is handled late.
    if (start > 0) expect(await poll(device, `run-${start - 1}`)).toBe(false);
    clock.advance(5 * second);
  }
  for (let sent = 0; sent < 5; sent += 1) {
    const { body } = await device.call("POST", "heartbeat", heartbeat());
    expect(body.identity_shared).toBeUndefined();
    clock.advance(15 * second);
  }
  // An instance of excessive length is ignored.
  const long = device.socket(undefined, "x".repeat(65));
  long.hello();
  await long.next("welcome");
  expect(await problems()).toEqual([]);
  long.socket.close();
});
