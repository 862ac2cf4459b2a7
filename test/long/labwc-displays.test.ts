// The display adapters with the real wlopm and wlr-randr on a headless labwc. Needs Debian 13's labwc, see docs/testing.md.
import { expect, test } from "vitest";
import { linuxControls } from "../support/linux-controls.ts";
import { createLinuxMachine } from "../../src/host/linux/machine.ts";
import { hasLabwc, startLabwc } from "../support/browser/labwc.ts";
import { eventually, waitUntil } from "../support/polling.ts";

const never = new AbortController().signal;

test.skipIf(!hasLabwc)("[DSP3] on labwc power, rotation and mode are set and read back", async () => {
  await using labwc = await startLabwc();
  const controls = linuxControls(labwc.env, "/nowhere");
  expect(controls.display).toMatchObject({ power: null, outputs: [] });
  await controls.probe(never);
  const { power, rotation, mode, outputs } = controls.display;
  expect(outputs).toMatchObject([{ name: "HEADLESS-1", mode: { width: 1280, height: 720 } }]);
  expect([power?.by, rotation?.by, mode?.by]).toEqual(["wlopm", "wlr-randr", "wlr-randr"]);

  expect(await power!.read(never)).toBe("on");
  await power!.set("off", never);
  expect(await power!.read(never)).toBe("off");
  await power!.set("on", never);
  expect(await power!.read(never)).toBe("on");

  for (const degrees of [90, 180, 270, 0] as const) {
    await rotation!.set(degrees, never);
    expect(await rotation!.read(never)).toBe(degrees);
  }
  await mode!.set({ width: 1920, height: 1080 }, never);
  expect(await mode!.read(never)).toMatchObject({ width: 1920, height: 1080 });
  await rotation!.set(90, never);
  const { width, height } = await labwc.picture();
  expect([width, height]).toEqual([1080, 1920]);
});

test.skipIf(!hasLabwc)("[DSP9] on labwc an output that wlopm switched off counts as off, and stays off when it is rotated", async () => {
  await using labwc = await startLabwc();
  const machine = createLinuxMachine(labwc.env, "/nowhere");
  await machine.controls.probe(never);
  expect(await machine.displayPower()).toBe("on");
  const { power, rotation, mode } = machine.controls.display;
  await power!.set("off", never);
  expect(await machine.displayPower()).toBe("off");
  await rotation!.set(90, never);
  await mode!.set({ width: 800, height: 600 }, never);
  expect(await machine.displayPower()).toBe("off");
  await power!.set("on", never);
  expect(await machine.displayPower()).toBe("on");
});

test.skipIf(!hasLabwc)("[DSP8] on labwc a display that is connected or disconnected is found by the compositor's event", async () => {
  await using labwc = await startLabwc();
  const controls = linuxControls(labwc.env, "/nowhere");
  const stop = new AbortController();
  let found = 0;
  const following = controls.follow(() => (found += 1), stop.signal);
  const ended = expect(following).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  await eventually(() => found === 1);
  const names = () => controls.display.outputs.map(({ name }) => name).toSorted();
  expect(names()).toEqual(["HEADLESS-1"]);
  // The slow check comes only after a minute, so this is the event.
  await labwc.plug(true);
  await waitUntil("the new display is found", () => names().length === 2, 10_000);
  expect(names()).toEqual(["HEADLESS-1", "TV"]);
  await controls.display.rotation!.set(90, never);
  expect(await controls.display.rotation!.read(never)).toBe(90);
  await labwc.plug(false);
  await waitUntil("it is gone", () => names().length === 1, 10_000);
  expect(found).toBeGreaterThanOrEqual(3);
  stop.abort();
  await ended;
});
