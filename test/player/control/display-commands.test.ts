// The display commands on a display in memory, with the store of what was asked for on the disk.
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import type { CommandType } from "../../../src/protocol/device/command-request.ts";
import { CommandSet } from "../../../src/player/commands/command-set.ts";
import { displayModules } from "../../../src/player/commands/modules/display.ts";
import { AskedSettingsStore } from "../../../src/player/control/asked-settings.ts";
import { type MachineControls, noControls } from "../../../src/player/machine-controls.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { fakeDisplay } from "../../support/fake-display.ts";
import { temporaryFolder } from "../../support/folder.ts";

const never = new AbortController().signal;

async function player(controls: MachineControls) {
  const folder = await temporaryFolder();
  const open = () => AskedSettingsStore.open(folder.path, new DiskHealth(silentLog));
  const store = await open();
  const commands = new CommandSet(displayModules({ controls, remember: (change) => store.change(change) }));
  const run = async (type: CommandType, args: object) =>
    commands.execute({ type, args, id: "cmd_1", issued_at: "2026-01-01T00:00:00Z" } as never, never);
  return { run, commands, stored: async () => (await open()).settings.value, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("[DSP11] a display command tells what was asked for and what was read back, and is remembered over a restart", async () => {
  const display = fakeDisplay();
  await using device = await player(display.controls);
  expect(await device.run("display.brightness", { percent: 40 })).toEqual({ is: "done", result: { asked: 40, read_back: 40 } });
  expect(await device.run("display.rotate", { degrees: 90 })).toEqual({ is: "done", result: { asked: 90, read_back: 90 } });
  const mode = { width: 1280, height: 720 };
  expect(await device.run("display.mode", { mode })).toEqual({ is: "done", result: { asked: mode, read_back: mode } });
  expect(await device.run("display.input", { input: "hdmi-2" })).toMatchObject({ result: { asked: "hdmi-2", read_back: "hdmi-2" } });
  expect(await device.stored()).toEqual({ brightness: 40, rotation: 90, mode });
  // The preferred mode is the one of a machine that was asked for nothing.
  await device.run("display.mode", { mode: null });
  expect(await device.stored()).toEqual({ brightness: 40, rotation: 90 });
});

test("[DSP11] a display that cannot tell is not claimed to have followed", async () => {
  const display = fakeDisplay();
  display.brightness.value = null;
  display.brightness.read = async () => null;
  await using device = await player(display.controls);
  expect(await device.run("display.brightness", { percent: 40 })).toEqual({ is: "done", result: { asked: 40, read_back: null } });
});

test("[DSP12] after a mode or a rotation that did not take effect or left no picture, the one before is set again, and the command fails", async () => {
  const display = fakeDisplay();
  await using device = await player(display.controls);
  const before = display.mode.value;
  const mode = { width: 3840, height: 2160 };
  for (const fault of ["dark", "lies", { reason: "wlr-randr: failed to apply configuration" }] as const) {
    display.mode.fault = fault;
    await expect(device.run("display.mode", { mode })).rejects.toMatchObject({
      code: fault === "dark" || fault === "lies" ? "not-applied" : "not-applied",
    });
    expect(display.mode.sets.slice(-2)).toEqual([mode, before]);
    display.mode.fault = null;
  }
  expect(display.mode.value).toEqual(before);
  display.rotation.fault = "dark";
  await expect(device.run("display.rotate", { degrees: 270 })).rejects.toThrow(
    "since fake-tool set 270, no display tells that it has a picture",
  );
  expect(display.rotation.sets).toEqual([270, 0]);
  display.brightness.fault = "lies";
  await expect(device.run("display.brightness", { percent: 10 })).rejects.toThrow("accepted 10, but the display still has 80");
  expect(await device.stored()).toEqual({});
});

test("[DSP13] without a tool a display command is announced as unavailable, with what it needs", async () => {
  await using device = await player(noControls());
  const { commands, unavailable } = device.commands.announce();
  expect(commands).toEqual([]);
  expect(unavailable.map(({ type }) => type)).toEqual(["display.brightness", "display.rotate", "display.mode", "display.input"]);
  expect(unavailable[0]!.reason).toContain("ddcutil");
  await expect(device.run("display.rotate", { degrees: 90 })).rejects.toMatchObject({ code: "unsupported" });
});
