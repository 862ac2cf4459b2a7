// The measurements in heartbeats, collected from a fake machine whose sensors may be slow, hang or fail.
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { noBrowserMemory } from "../../../src/player/host.ts";
import { noControls, type Control, type MachineControls } from "../../../src/player/machine-controls.ts";
import { LastFaults } from "../../../src/player/proof/last-faults.ts";
import { sensorLimitMs } from "../../../src/player/proof/slow-reading.ts";
import { TelemetryCollector, type TelemetryDependencies } from "../../../src/player/proof/telemetry.ts";
import type { PlayerProblem } from "../../../src/protocol/device/player-problems.ts";
import { type NetworkState, Telemetry, type Throttling } from "../../../src/protocol/device/telemetry.ts";
import { FakeClock } from "../../support/clock.ts";

const measured = { browserMemory: { browser: 1, page: 2, gpu: 3, other: 4 }, power: null, model: "Raspberry Pi 5" };

function control<T>(by: string, read: () => Promise<T | null>): Control<T> {
  return { by, read, set: async () => undefined };
}

function collector(clock: FakeClock, controls: MachineControls, more: Partial<TelemetryDependencies> = {}): TelemetryCollector {
  const machine = { controls, identity: async () => ({ serial: "10000000abcdef", mac: null }) };
  const { signal } = new AbortController();
  return new TelemetryCollector({ machine, folder: "/", displayPower: () => null, clock, log: silentLog, signal, ...more });
}

test("[TEL6] a heartbeat has frames, memory by process, network, display, sound, processor, disk, model and serial number", async () => {
  const network: NetworkState = { interface: "wlan0", kind: "wifi", addresses: ["192.0.2.7"], ssid: "Lobby", signal_dbm: -61 };
  const throttling: Throttling = { now: [], since_start: ["under-voltage"] };
  const storage = { device: "mmcblk0", total_bytes: 1e10, file_system_errors: 0, wear_percent: 10, smart: null, read_only: false };
  const mode = { width: 1_920, height: 1_080, refresh_hz: 60 };
  const controls: MachineControls = {
    ...noControls(),
    display: {
      ...noControls().display,
      power: control("wlopm", async () => "on" as const),
      brightness: control("ddcutil", async () => 70),
      mode: control("wlr-randr", async () => mode),
    },
    audio: { ...noControls().audio, volume: control("wpctl", async () => 40), muted: control("wpctl", async () => false) },
    sensors: { network: async () => network, throttling: async () => throttling, storage: async () => storage },
  };
  const clock = new FakeClock();
  const telemetry = collector(clock, controls);
  const beat = { type: "beat", at: 0 } as const;
  telemetry.handleMessage({ ...beat, frames: 5, late: 1, video_frames: 80, dropped: 2 });
  telemetry.handleMessage({ ...beat, frames: 1 });
  clock.advance(30_000);
  const first = await telemetry.collect(measured);
  expect(Telemetry.parse(first)).toEqual(first);
  expect(first).toEqual({
    frames: { presented: 86, dropped: 2, late: 1, interval_ms: 30_000 },
    memory: { player: expect.any(Number), browser: 1, page: 2, gpu: 3, other: 4 },
    network,
    display: {
      asked: null,
      reason: null,
      until: null,
      power: "on",
      by: "wlopm",
      brightness_percent: 70,
      rotation: null,
      mode,
      input: null,
    },
    audio: { output: null, volume_percent: 40, muted: false },
    throttling,
    storage,
    model: "Raspberry Pi 5",
    serial: "10000000abcdef",
  });
  clock.advance(20_000);
  expect((await telemetry.collect(measured)).frames).toEqual({ presented: 0, dropped: 0, late: 0, interval_ms: 20_000 });
});

test("[TEL6] a machine that tells nothing of its display and sound has neither", async () => {
  const clock = new FakeClock();
  const { display, audio, network } = await collector(clock, noControls()).collect({ ...measured, browserMemory: noBrowserMemory });
  expect([display, audio, network]).toEqual([null, null, null]);
  expect((await collector(clock, noControls()).collect({ ...measured, power: "off" })).display).toMatchObject({ power: "off", by: null });
});

test("[TEL7] the display's state has what the player asks of it and what it read back; its power is asked for only if unknown", async () => {
  const reads: string[] = [];
  const power = control("cec-ctl", async () => {
    reads.push("power");
    return "on" as const;
  });
  const controls = { ...noControls(), display: { ...noControls().display, power } };
  const asked = { asked: "off", reason: "hours", until: "2026-11-22T06:00:00.000Z", power: "off", by: "cec-ctl" } as const;
  const telemetry = collector(new FakeClock(), controls, { displayPower: () => asked });
  expect((await telemetry.collect(measured)).display).toMatchObject(asked);
  expect(reads).toEqual([]);
  const unknown = collector(new FakeClock(), controls, { displayPower: () => ({ asked: "off", power: null }) });
  expect((await unknown.collect(measured)).display).toMatchObject({ asked: "off", power: "on" });
});

test("[TEL8] slow sensors are read rarely; in between, a heartbeat has the last value", async () => {
  let reads = 0;
  const count = async () => ({
    device: "sda",
    total_bytes: ++reads,
    file_system_errors: null,
    wear_percent: null,
    smart: null,
    read_only: null,
  });
  const controls = { ...noControls(), sensors: { ...noControls().sensors, storage: count } };
  const clock = new FakeClock();
  const telemetry = collector(clock, controls);
  for (let heartbeats = 0; heartbeats < 60; heartbeats += 1) {
    expect((await telemetry.collect(measured)).storage?.total_bytes).toBe(1);
    clock.advance(29_000);
  }
  clock.advance(60_000);
  expect((await telemetry.collect(measured)).storage?.total_bytes).toBe(2);
});

test("[TEL9] a sensor that hangs delays one heartbeat by half a second and no other; its value comes when it answers; one that fails is null", async () => {
  const hanging = Promise.withResolvers<null | { now: []; since_start: [] }>();
  const failing = () => Promise.reject(new Error("no such tool"));
  const controls = { ...noControls(), sensors: { ...noControls().sensors, throttling: () => hanging.promise, network: failing } };
  const clock = new FakeClock();
  const telemetry = collector(clock, controls);
  const first = telemetry.collect(measured);
  let isDone = false;
  void first.then(() => (isDone = true));
  while (clock.pendingWaits === 0) await Promise.resolve();
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  expect(isDone).toBe(false);
  clock.advance(sensorLimitMs);
  expect(await first).toMatchObject({ throttling: null, network: null, serial: "10000000abcdef" });
  clock.advance(30_000);
  // Resolves although nothing advances the clock.
  expect((await telemetry.collect(measured)).throttling).toBeNull();
  hanging.resolve({ now: [], since_start: [] });
  await hanging.promise;
  expect((await telemetry.collect(measured)).throttling).toEqual({ now: [], since_start: [] });
  expect(clock.pendingWaits).toBe(0);
});

test("[TEL10] a heartbeat has the newest five problems of this run, also those that have ended", () => {
  const faults = new LastFaults();
  const problem = (code: string, second: number): PlayerProblem => ({
    code,
    since: new Date(Date.UTC(2026, 10, 21, 12, 0, second)).toISOString(),
    zone_id: null,
    item_id: null,
    detail: `${code} `.repeat(100),
    remedy: "",
  });
  faults.note([problem("a", 1), problem("b", 2)]);
  faults.note([problem("a", 1), problem("b", 2)]);
  expect(faults.list.map(({ code }) => code)).toEqual(["b", "a"]);
  for (let second = 3; second < 9; second += 1) faults.note([problem("c", second)]);
  faults.note([]);
  expect(faults.list.map(({ at }) => new Date(at).getUTCSeconds())).toEqual([8, 7, 6, 5, 4]);
  expect(faults.list[0]!.detail).toHaveLength(200);
  expect(Telemetry.parse({ last_faults: faults.list }).last_faults).toEqual(faults.list);
});
