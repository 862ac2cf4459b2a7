// Commands at the service: their history, their cancellation, and what players support, over REST and the device's socket.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { capabilitiesOf } from "../../support/capabilities.ts";
import { type Device, heartbeat, TestService } from "../harness.ts";
import { useService } from "../shared-service.ts";

const shared = useService();

function commandIdIn(jws: string): string {
  return (JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString()) as { jti: string }).jti;
}

const capabilities = capabilitiesOf(["reload", "restart"], {
  unavailable: [{ type: "reboot", reason: "logind is not reachable" }],
});

async function report(device: Device, id: string, status: string, error: object | null = null): Promise<void> {
  const answer = await device.call("POST", `commands/${id}/status`, { status, error });
  expect(answer.status).toBeLessThan(300);
}

async function send(api: TestService, device: Device, body: object) {
  const answer = await api.call("POST", `players/${device.playerId}/commands`, body);
  expect(answer.status).toBe(202);
  return answer.body;
}

const statusesOf = ({ history }: { history: { status: string }[] }): string[] => history.map(({ status }) => status);

test("[CTL12] a command shows every status with its time and reason, in responses and in events", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { clock });
  const device = await api.pairDevice();
  const { id } = await send(api, device, { type: "reload" });
  const path = `players/${device.playerId}/commands/${id}`;
  const link = await device.connect();
  await eventually(async () => (await api.call("GET", path)).body.status === "delivered");
  clock.advance(1_000);
  await report(device, id, "running");
  clock.advance(1_000);
  await report(device, id, "failed", { code: "timeout", detail: "it did not end in time" });
  const { body } = await api.call("GET", path);
  expect(statusesOf(body)).toEqual(["queued", "delivered", "running", "failed"]);
  expect(body.history.map(({ detail }: { detail: string | null }) => detail)).toEqual([null, null, null, "it did not end in time"]);
  expect(Date.parse(body.history[3].at) - Date.parse(body.history[2].at)).toBe(1_000);
  const events = (await api.call("GET", "events?types=command.failed")).body.data;
  expect(events[0].data).toEqual(body);
  const late = await send(api, device, { type: "reload", ttl_s: 10 });
  link.socket.close();
  clock.advance(20_000);
  const expired = (await api.call("GET", `players/${device.playerId}/commands/${late.id}`)).body;
  expect(expired.history.at(-1)).toMatchObject({ status: "expired", detail: expect.stringContaining("in time") });
});

test("[CTL13] a command that was not sent is cancelled at once, and its device never gets it", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const first = await device.connect();
  first.socket.close();
  await first.closed;
  const { id } = await send(api, device, { type: "reload" });
  const kept = await send(api, device, { type: "restart" });
  const answer = await api.call("POST", `players/${device.playerId}/commands/${id}/cancel`);
  expect([answer.status, answer.body.status, answer.body.error.code]).toEqual([202, "cancelled", "cancelled"]);
  const polled = await device.call("POST", "heartbeat", heartbeat());
  expect(polled.body.commands.map(commandIdIn)).toEqual([kept.id]);
  const socket = device.socket();
  socket.hello(null, 0);
  const welcome = await socket.next("welcome");
  expect(welcome.data.answer.commands.map(commandIdIn)).toEqual([kept.id]);
  socket.socket.close();
});

test("[CTL13] a device that resumes gets no command that was cancelled while it was away", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const before = device.socket();
  before.hello();
  const { data } = await before.next("welcome");
  const known = await send(api, device, { type: "reload" });
  const { seq } = await before.next("command");
  await report(device, known.id, "succeeded");
  before.socket.close();
  await before.closed;
  const { id } = await send(api, device, { type: "reload" });
  await api.call("POST", `players/${device.playerId}/commands/${id}/cancel`);
  const after = device.socket();
  after.hello(data.epoch, seq);
  expect((await after.next("welcome")).data).toMatchObject({ resumed: true, answer: { commands: [] } });
  expect(await after.receivesNo("command")).toBe(true);
  after.socket.close();
});

test("[CTL13] the device of a command that was sent is asked, once, and the status changes when it reports", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const link = await device.connect();
  const { id } = await send(api, device, { type: "reload" });
  await link.next("command");
  await report(device, id, "running");
  const path = `players/${device.playerId}/commands/${id}`;
  const asked = await api.call("POST", `${path}/cancel`);
  expect([asked.status, asked.body.status]).toEqual([202, "running"]);
  expect(asked.body.history.at(-1)).toMatchObject({ status: "running", detail: "Its cancellation was requested" });
  await api.call("POST", `${path}/cancel`);
  const cancels = (await api.call("GET", `players/${device.playerId}/commands?type=cancel`)).body.data;
  expect(cancels.map(({ args }: { args: object }) => args)).toEqual([{ command_id: id }]);
  const { command } = (await link.next("command")).data;
  expect(commandIdIn(command)).toBe(cancels[0].id);
  await report(device, id, "cancelled", { code: "cancelled", detail: "it was cancelled while it was running" });
  const { body } = await api.call("GET", path);
  expect(statusesOf(body).at(-1)).toBe("cancelled");
  expect(body.error.detail).toContain("while it was running");
  link.socket.close();
});

test("[CTL13] a device that had received the command at the instant of its cancellation is believed", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { id } = await send(api, device, { type: "reload" });
  const path = `players/${device.playerId}/commands/${id}`;
  await api.call("POST", `${path}/cancel`);
  await report(device, id, "succeeded");
  expect((await api.call("GET", path)).body.status).toBe("succeeded");
});

test("[CTL14] a command that has ended cannot be cancelled: the request is rejected with its status", async () => {
  const api = await shared.newTeam();
  const device = await api.pairDevice();
  const { id } = await send(api, device, { type: "reload" });
  await report(device, id, "succeeded");
  const answer = await api.call("POST", `players/${device.playerId}/commands/${id}/cancel`);
  expect([answer.status, answer.body.type]).toEqual([409, "/problems/wrong-status"]);
  expect(answer.body.detail).toContain("succeeded");
});

test("[CTL15] a command that the player has reported not to support is rejected with what it lacks; a silent player gets it", async () => {
  const api = await shared.newTeam();
  const [device, silent] = [await api.pairDevice("A"), await api.pairDevice("B")];
  await device.call("POST", "heartbeat", heartbeat({ capabilities }));
  await silent.call("POST", "heartbeat", heartbeat());
  const path = `players/${device.playerId}/commands`;
  const lacking = await api.call("POST", path, { type: "reboot" });
  expect([lacking.status, lacking.body.errors[0].pointer]).toEqual([422, "/type"]);
  expect(lacking.body.detail).toMatch(/logind is not reachable.*reload, restart/);
  const unknown = await api.call("POST", path, { type: "ping" });
  expect(unknown.body.detail).toContain("its version does not know the command");
  expect((await api.call("POST", path, { type: "reload" })).status).toBe(202);
  expect((await api.call("POST", `players/${silent.playerId}/commands`, { type: "reboot" })).status).toBe(202);
});

test("[CTL16] a command for many players skips those that do not support it, and lists each with the reason", async () => {
  const api = await shared.newTeam();
  const [device, silent] = [await api.pairDevice("A"), await api.pairDevice("B")];
  await device.call("POST", "heartbeat", heartbeat({ capabilities }));
  const target = { player_ids: [device.playerId, silent.playerId] };
  const { body } = await api.call("POST", "commands", { target, type: "reboot" });
  expect(body.commands.map(({ player_id }: { player_id: string }) => player_id)).toEqual([silent.playerId]);
  expect(body.skipped).toEqual([{ player_id: device.playerId, reason: expect.stringContaining("logind is not reachable") }]);
  expect(body.warnings).toMatchObject([{ code: "unsupported", field: "/type" }]);
});
