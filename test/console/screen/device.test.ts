// The device of a screen: its commands, exactly those that it supports, each followed to its end; its health and its log.
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { phone } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { capabilitiesOf } from "../../support/capabilities.ts";
import { heartbeat, type Device, type DeviceSocket, type TestService } from "../../service/harness.ts";
import { commandJwsType, SignedCommand } from "../../../src/protocol/device/commands.ts";
import { verifyJws } from "../../../src/base/jws.ts";
import { eventually } from "../../support/polling.ts";
import { playing } from "../../support/console/wall.ts";
import { tabTo } from "../../support/console/keyboard.ts";

let shared: SharedConsole;
let service: TestService;
const clock = new FakeClock(Date.now());
beforeAll(async () => {
  shared = await SharedConsole.start({ clock });
  service = shared.service;
});
afterAll(() => shared[Symbol.asyncDispose]());

const capabilities = capabilitiesOf(["identify", "diagnose", "audio.volume", "reboot"], {
  unavailable: [{ type: "display.input", reason: "No display answers on a control line" }],
});

/** A connected device that has told what it can do. */
async function connect(name: string, at = service): Promise<{ device: Device; socket: DeviceSocket }> {
  const device = await at.pairDevice(name);
  const socket = await device.connect();
  socket.send({ type: "heartbeat", data: heartbeat({ capabilities }) });
  await socket.next("heartbeat.answer");
  return { device, socket };
}

async function nextCommand(device: Device, socket: DeviceSocket): Promise<SignedCommand> {
  const { data } = await socket.next("command");
  return SignedCommand.parse(await verifyJws(commandJwsType, data.command, device.access.service_key));
}

const report = (device: Device, { jti }: SignedCommand, update: object) => device.call("POST", `commands/${jti}/status`, update);

test("[CSC5] a command shows its way as the device reports it, why it failed, and what it brought", async () => {
  const { device, socket } = await connect("Lobby");
  const window = await shared.window();
  await window.signIn(service, `/screens/${device.playerId}?tab=commands`);
  const { page } = window;
  const row = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Volume" }) });
  await row.getByRole("slider", { name: "Per cent" }).focus();
  await page.keyboard.press("ArrowRight");
  await row.getByRole("button", { name: "Send: Volume" }).click();
  const first = await nextCommand(device, socket);
  expect([first.type, first.args]).toEqual(["audio.volume", { percent: 51 }]);
  // It is not done before the device says so.
  await row.getByRole("status").getByText("Delivered").waitFor();
  await report(device, first, { status: "acknowledged" });
  await row.getByRole("status").getByText("Accepted").waitFor();
  await report(device, first, { status: "running" });
  await row.getByRole("status").getByText("Running").waitFor();
  await report(device, first, { status: "failed", error: { code: "no-output", detail: "There is no sound output" } });
  await row.getByRole("status").getByText("Failed").waitFor();
  await row.getByText("There is no sound output").waitFor();

  await page.getByRole("button", { name: "Send: Diagnose" }).click();
  const second = await nextCommand(device, socket);
  const checks = [
    { name: "dns", is: "ok", detail: "The name resolves", took_ms: 3 },
    { name: "disk", is: "failed", detail: "It is <b>full</b>", took_ms: 5 },
  ];
  await report(device, second, { status: "succeeded", result: { checks } });
  await page.getByRole("row", { name: "disk Failed It is <b>full</b>" }).waitFor();
  const history = page.getByRole("list", { name: "Sent before" });
  await history.getByText("There is no sound output").waitFor();
  expect(await history.getByRole("listitem").count()).toBe(2);
  socket.socket.close();
  expect(window.errors).toEqual([]);
});

test("[CSC6] only commands that the device supports are offered, with the reason for the others; one that interrupts the screen is confirmed", async () => {
  const { device, socket } = await connect("Bar");
  const window = await shared.window(phone);
  await window.signIn(service, `/screens/${device.playerId}?tab=commands`);
  const { page } = window;
  await page.getByRole("button", { name: "Send: Identify" }).waitFor();
  expect(await page.getByRole("button", { name: /^Send: / }).count()).toBe(capabilities.commands.length);
  await page.getByText("What this device cannot do, and why").click();
  await page.getByText("No display answers on a control line").waitFor();
  await tabTo(page, page.getByRole("button", { name: "Send: Restart the machine" }));
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("alertdialog", { name: "Restart the machine" });
  await dialog.getByText("“Bar” shows nothing for a minute or two", { exact: false }).waitFor();
  await tabTo(page, dialog.getByRole("button", { name: "Restart the machine" }));
  await page.keyboard.press("Enter");
  expect((await nextCommand(device, socket)).type).toBe("reboot");
  socket.socket.close();
  expect(window.errors).toEqual([]);
});

test("[CSC10] measurements are shown as graphs, in words and as a table; the log grows while it is read", async () => {
  const device = await service.pairDevice("Hot");
  const socket = await device.connect();
  const beat = async (temperature_c: number): Promise<void> => {
    socket.send({ type: "heartbeat", data: heartbeat({ temperature_c, memory_bytes: 5e8 }) });
    await socket.next("heartbeat.answer");
  };
  await beat(48);
  const window = await shared.window();
  await window.signIn(service, `/screens/${device.playerId}?tab=health`);
  const { page } = window;
  const temperature = page.getByRole("region", { name: "Temperature" });
  await temperature.getByText("Latest 48°C, lowest 48°C, highest 48°C.").waitFor();
  await temperature.locator("canvas").waitFor();
  await beat(61);
  await temperature.getByText("highest 61°C", { exact: false }).waitFor();
  await temperature.getByText("As a table").click();
  await temperature.getByRole("cell", { name: "61°C" }).first().waitFor();
  await page.getByRole("tab", { name: "Log" }).click();
  const events = page.getByRole("list", { name: "The last 24 hours" });
  await events.getByText("It came online").waitFor();
  await service.call("PATCH", `players/${device.playerId}`, { tags: ["Hot"] });
  await events.getByText("Its settings were changed").first().waitFor();
  const problem = {
    id: "prb_01jd3v8q6m9x2k4n7r5t1w0yzh",
    code: "item-load",
    zone_id: null,
    item_id: null,
    detail: "An item could not be loaded.",
    remedy: "Check its address.",
  };
  const times = { started_at: new Date(Date.now() - 60_000).toISOString(), ended_at: null, times: 3 };
  expect((await device.call("PUT", "problems/prb_01jd3v8q6m9x2k4n7r5t1w0yzh", { ...problem, ...times })).status).toBe(204);
  await page.reload();
  await page.getByRole("list", { name: "Problems that it has recorded" }).getByText("3 times").waitFor();
  socket.socket.close();
  expect(window.errors).toEqual([]);
});

test("[CSC7] an offline screen says so, with the remedy, and not before the wall does; a command waits for it and can be cancelled", async () => {
  const service = await shared.newTeam();
  const { device, socket } = await connect("Attic", service);
  const { playerId } = device;
  socket.send({ type: "heartbeat", data: heartbeat({ ...playing(null), capabilities }) });
  await socket.next("heartbeat.answer");
  socket.socket.close();
  await eventually(async () => (await service.call("GET", `players/${playerId}`)).body.status === "offline");
  const window = await shared.window();
  await window.signIn(service);
  const { page } = window;
  await page.getByRole("button", { name: "Playing 1", exact: true }).waitFor();
  await page.getByRole("link", { name: "Attic" }).first().click();
  await page.getByRole("heading", { name: "Playing" }).waitFor();
  await page.getByText("It is not connected for the moment", { exact: false }).waitFor();
  clock.advance(125_000);
  await page.getByRole("heading", { name: "Offline" }).waitFor();
  await page.getByText("Check the device's power and network", { exact: false }).waitFor();
  expect(await page.getByRole("button", { name: "Watch live" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Identify" }).click();
  await page.getByRole("tab", { name: "Commands" }).click();
  const history = page.getByRole("list", { name: "Sent before" });
  await history.getByText("Waiting").waitFor();
  await history.getByRole("button", { name: "Cancel Identify" }).click();
  await history.getByText("Cancelled", { exact: true }).waitFor();
  expect(window.errors).toEqual([]);
});
