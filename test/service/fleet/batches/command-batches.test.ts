// Commands in waves, over REST, with devices that report as a test says.
import { expect, test } from "vitest";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { eventually } from "../../../support/polling.ts";
import { type Device, TestService } from "../../harness.ts";
import { createOtherTeam, owner } from "../../people/people.ts";
import { useService } from "../../shared-service.ts";

const shared = useService();

interface Sent {
  batch_id: string;
  count: number;
}

async function devicesOf(api: TestService, count: number): Promise<Device[]> {
  const devices: Device[] = [];
  for (let place = 0; place < count; place += 1) devices.push(await api.pairDevice(`Screen ${place}`));
  return devices;
}

async function sendInWaves(api: TestService, devices: readonly Device[], waves: object, more: object = {}): Promise<Sent> {
  const target = { player_ids: devices.map(({ playerId }) => playerId) };
  const answer = await api.call("POST", "commands", { target, type: "reload", waves, ...more });
  expect(answer.status).toBe(202);
  return answer.body as Sent;
}

async function batchOf(api: TestService, { batch_id }: Sent) {
  return (await api.call("GET", `command-batches/${batch_id}`)).body;
}

async function openCommands(api: TestService, { batch_id }: Sent): Promise<{ id: string; player_id: string }[]> {
  return (await api.call("GET", `commands?batch_id=${batch_id}&status=queued`)).body.data;
}

/** Each device of the current wave reports the end of its command. */
async function endWave(api: TestService, devices: readonly Device[], sent: Sent, status = "succeeded"): Promise<void> {
  for (const { id, player_id } of await openCommands(api, sent)) {
    const device = devices.find(({ playerId }) => playerId === player_id)!;
    const error = status === "failed" ? { code: "failed", detail: "broken" } : null;
    expect((await device.call("POST", `commands/${id}/status`, { status, error })).status).toBeLessThan(300);
  }
}

async function untilState(api: TestService, sent: Sent, state: string): Promise<void> {
  await eventually(async () => (await batchOf(api, sent)).state === state);
}

test("[WAV1] a command in waves reaches some players first, and the next ones when the wave before has ended well; then it is finished", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const devices = await devicesOf(api, 5);
  const sent = await sendInWaves(api, devices, { percent: 40 });
  expect(sent.count).toBe(2);
  expect(await batchOf(api, sent)).toMatchObject({
    state: "running",
    wave: 1,
    wave_count: 3,
    players: 5,
    progress: { waiting: 3, queued: 2, succeeded: 0 },
  });
  for (const [wave, queued] of [
    [2, 2],
    [3, 1],
  ] as const) {
    await endWave(api, devices, sent);
    await eventually(async () => (await batchOf(api, sent)).wave === wave);
    expect((await batchOf(api, sent)).progress.queued).toBe(queued);
  }
  await endWave(api, devices, sent);
  await untilState(api, sent, "finished");
  expect(await batchOf(api, sent)).toMatchObject({ progress: { waiting: 0, succeeded: 5 }, reason: null });
});

test("[WAV2] a command in waves halts when too many players of a wave have failed, and goes on when it is resumed", async () => {
  const api = await shared.newTeam();
  const devices = await devicesOf(api, 3);
  const sent = await sendInWaves(api, devices, { size: 1, halt_above_failed_percent: 50 });
  await endWave(api, devices, sent, "failed");
  await untilState(api, sent, "halted");
  const halted = await batchOf(api, sent);
  expect(halted).toMatchObject({
    wave: 1,
    reason: expect.stringContaining("1 of the 1 screens of wave 1 failed"),
    progress: { waiting: 2, failed: 1 },
  });
  expect(await openCommands(api, sent)).toEqual([]);
  const resumed = await api.call("POST", `command-batches/${sent.batch_id}/resume`);
  expect([resumed.status, resumed.body.state]).toEqual([200, "running"]);
  for (const wave of [2, 3]) {
    await eventually(async () => (await batchOf(api, sent)).wave === wave);
    await endWave(api, devices, sent);
  }
  await untilState(api, sent, "finished");
  expect((await api.call("POST", `command-batches/${sent.batch_id}/resume`)).status).toBe(409);
});

test("[WAV2] players below the limit may fail without a halt", async () => {
  const api = await shared.newTeam();
  const devices = await devicesOf(api, 3);
  const sent = await sendInWaves(api, devices, { size: 2, halt_above_failed_percent: 50 });
  const [first, second] = await openCommands(api, sent);
  for (const [command, status] of [
    [first!, "failed"],
    [second!, "succeeded"],
  ] as const) {
    const device = devices.find(({ playerId }) => playerId === command.player_id)!;
    await device.call("POST", `commands/${command.id}/status`, { status });
  }
  await eventually(async () => (await batchOf(api, sent)).wave === 2);
});

test("[WAV3] an offline player fails only when its command expires", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const devices = await devicesOf(api, 2);
  const sent = await sendInWaves(api, devices, { size: 1 }, { ttl_s: 60 });
  clock.advance(59_000);
  expect((await batchOf(api, sent)).state).toBe("running");
  clock.advance(10_000);
  await eventually(async () => {
    // The service looks for expired commands regularly.
    clock.advance(5_000);
    return (await batchOf(api, sent)).state === "halted";
  });
  expect(await batchOf(api, sent)).toMatchObject({ wave: 1, progress: { expired: 1, waiting: 1 } });
});

test("[WAV3] a wave that does not end in time halts the batch", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const devices = await devicesOf(api, 2);
  const sent = await sendInWaves(api, devices, { size: 1, wave_timeout_s: 30 });
  clock.advance(31_000);
  await untilState(api, sent, "halted");
  expect((await batchOf(api, sent)).reason).toContain("did not end within 30 s");
});

test("[WAV4] a cancelled batch begins no further wave and cancels the commands that were not sent", async () => {
  const api = await shared.newTeam();
  const devices = await devicesOf(api, 3);
  const link = await devices[0]!.connect();
  const sent = await sendInWaves(api, devices, { size: 2 });
  await link.next("command");
  await eventually(async () => (await batchOf(api, sent)).progress.delivered === 1);
  const { status, body } = await api.call("POST", `command-batches/${sent.batch_id}/cancel`);
  expect([status, body.state, body.progress]).toMatchObject([200, "cancelled", { waiting: 1, delivered: 1, cancelled: 1 }]);
  expect((await api.call("POST", `command-batches/${sent.batch_id}/cancel`)).status).toBe(409);
  link.socket.close();
});

test("[WAV5] a service that restarts in the middle of a batch continues it after the pause between the waves", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  let devices: Device[] = [];
  let sent!: Sent;
  {
    await using api = await TestService.start(folder.path, { clock });
    devices = await devicesOf(api, 2);
    sent = await sendInWaves(api, devices, { size: 1, pause_between_s: 60 });
    await endWave(api, devices, sent);
    await eventually(async () => (await batchOf(api, sent)).next_wave_at !== null);
    expect((await batchOf(api, sent)).wave).toBe(1);
  }
  await using api = await TestService.start(folder.path, { clock });
  clock.advance(30_000);
  expect((await batchOf(api, sent)).wave).toBe(1);
  await eventually(async () => {
    clock.advance(10_000);
    return (await batchOf(api, sent)).wave === 2;
  });
  for (const device of devices) Object.assign(device, { url: api.service.url });
  await endWave(api, devices, sent);
  await untilState(api, sent, "finished");
});

test("[WAV6] each step of a batch is an event of its team; other teams neither see nor reach it", async () => {
  const api = await shared.newTeam();
  const devices = await devicesOf(api, 2);
  const sent = await sendInWaves(api, devices, { size: 1 });
  await endWave(api, devices, sent);
  await eventually(async () => (await batchOf(api, sent)).wave === 2);
  await endWave(api, devices, sent, "failed");
  await untilState(api, sent, "halted");
  await api.call("POST", `command-batches/${sent.batch_id}/cancel`);
  const types = "batch.started,batch.wave_started,batch.halted,batch.cancelled";
  const events = (await api.call("GET", `events?types=${types}`)).body.data;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(types.split(","));
  expect(events[2].data).toMatchObject({
    batch_id: sent.batch_id,
    command_type: "reload",
    wave: 2,
    reason: expect.stringContaining("failed"),
  });
  await owner(api);
  const other = await createOtherTeam(api);
  expect((await other.call("GET", "command-batches")).body.data).toEqual([]);
  for (const [method, path] of [
    ["GET", ""],
    ["POST", "/resume"],
    ["POST", "/cancel"],
  ] as const) {
    expect((await other.call(method, `command-batches/${sent.batch_id}${path}`)).status).toBe(404);
  }
});

test("[WAV7] a batch is kept for 90 days after its end", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const devices = await devicesOf(api, 1);
  const sent = await sendInWaves(api, devices, { size: 1 });
  await endWave(api, devices, sent);
  await untilState(api, sent, "finished");
  clock.advance(89 * 86_400_000);
  expect((await api.call("GET", "command-batches")).body.data).toHaveLength(1);
  await eventually(async () => {
    clock.advance(2 * 86_400_000);
    return (await api.call("GET", "command-batches")).body.data.length === 0;
  });
});
