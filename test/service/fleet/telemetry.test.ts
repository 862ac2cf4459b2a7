// Where the measurements of a player's heartbeat can be read: its resource, what is on its screen, and the metrics.
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder.ts";
import { capabilitiesOf } from "../../support/capabilities.ts";
import { heartbeat, TestService } from "../harness.ts";
import { withoutNode } from "../http/without-node.ts";

const display = { asked: null, reason: null, until: null, by: null, brightness_percent: null, rotation: null, mode: null, input: null };
const frames = { presented: 900, dropped: 4, late: 2, interval_ms: 30_000 };
const capabilities = capabilitiesOf(["reload", "reboot"]);

test("[TEL16] a player's resource has its capabilities and measurements, what is on its screen has display and frames, and lists have neither", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const device = await api.pairDevice();
  const path = `players/${device.playerId}`;
  expect((await api.call("GET", path)).body).toMatchObject({ capabilities: null, telemetry: null });
  expect((await api.call("GET", `${path}/now`)).body).toMatchObject({ display: null, frames: null });
  const telemetry = { frames, display: { ...display, power: "off" as const }, model: "Raspberry Pi 5", last_faults: [] };
  await device.call("POST", "heartbeat", heartbeat({ capabilities, telemetry }));
  expect((await api.call("GET", path)).body).toMatchObject({ capabilities, telemetry });
  expect((await api.call("GET", `${path}/now`)).body).toMatchObject({ display: telemetry.display, frames });
  const [listed] = (await api.call("GET", "players")).body.data;
  expect(listed).toMatchObject({ id: device.playerId, hardware: "Test box" });
  expect(Object.keys(listed)).not.toEqual(expect.arrayContaining(["telemetry"]));
  expect(Object.keys(listed)).not.toEqual(expect.arrayContaining(["capabilities"]));
});

test("[TEL17] metrics count online players by the state of their display and those that are throttled, and the frames that all players have lost", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const [first, second, third] = [await api.pairDevice(), await api.pairDevice(), await api.pairDevice()];
  const throttling = { now: ["throttled" as const], since_start: ["throttled" as const] };
  await first.call("POST", "heartbeat", heartbeat({ telemetry: { frames, throttling, display: { ...display, power: "on" } } }));
  await first.call("POST", "heartbeat", heartbeat({ telemetry: { frames, throttling, display: { ...display, power: "off" } } }));
  await second.call("POST", "heartbeat", heartbeat({ telemetry: { frames } }));
  await third.call("POST", "heartbeat", heartbeat({ telemetry: { display: { ...display, power: "off" } } }));
  const metrics = async (): Promise<string> => withoutNode((await api.call("GET", "/metrics")).body.toString());
  const text = await metrics();
  for (const line of [
    'signage_players_by_display{state="on"} 0',
    'signage_players_by_display{state="off"} 2',
    'signage_players_by_display{state="unknown"} 1',
    "signage_players_throttled 1",
    "signage_frames_dropped_total 12",
    "signage_frames_late_total 6",
  ])
    expect(text.split("\n")).toContain(line);
  await api.call("DELETE", `players/${third.playerId}`);
  expect(await metrics()).toContain('signage_players_by_display{state="off"} 1');
});
