// The commands for sound on a fake machine that takes values late, keeps its own, or fails.
import { expect, test } from "vitest";
import { Fault } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { CommandSet } from "../../../src/player/commands/command-set.ts";
import { audioModules } from "../../../src/player/commands/modules/audio.ts";
import { AskedSettingsStore } from "../../../src/player/control/asked-settings.ts";
import type { AudioControls, Control } from "../../../src/player/machine-controls.ts";
import { DiskHealth } from "../../../src/player/storage/disk-health.ts";
import { CommandRequest } from "../../../src/protocol/device/command-request.ts";
import { createSystemClock } from "../../../src/base/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const { signal } = new AbortController();
const clock = createSystemClock();

/** A control whose value follows what is set after `lateBy` readings; never, if that is Infinity. */
function fakeControl<T>(value: T | null, { lateBy = 0 } = {}): Control<T> & { sets: T[]; refused: T | null } {
  const sets: T[] = [];
  let [present, wait] = [value, 0];
  return {
    by: "fake",
    sets,
    refused: null,
    async set(asked) {
      if (this.refused !== null && asked === this.refused) throw new Fault("unsupported", "there is no such output");
      sets.push(asked);
      wait = lateBy;
    },
    async read() {
      if (sets.length > 0 && wait === 0) present = value === null ? null : sets.at(-1)!;
      wait -= 1;
      return present;
    },
  };
}

async function commandsFor(audio: Partial<AudioControls>, folder: string) {
  const asked = await AskedSettingsStore.open(folder, new DiskHealth(silentLog));
  const controls = { volume: null, muted: null, output: null, outputs: [], ...audio };
  const set = new CommandSet(audioModules({ audio: () => controls, asked, clock }));
  const run = (type: string, args: object) => set.execute({ ...CommandRequest.parse({ type, args }), id: newId("cmd") }, signal);
  return { set, run, asked };
}

test("[AUO10] a sound command answers what was asked and read back, null if unknown; volume and mute hold for a later output", async () => {
  await using folder = await temporaryFolder();
  const audio = { volume: fakeControl(80, { lateBy: 2 }), muted: fakeControl<boolean>(null), output: fakeControl<string | null>("hdmi") };
  const { run, asked } = await commandsFor(audio, folder.path);
  expect(await run("audio.volume", { percent: 37.4 })).toEqual({ is: "done", result: { asked: 37, read_back: 37 } });
  expect(await run("audio.mute", { muted: true })).toEqual({ is: "done", result: { asked: true, read_back: null } });
  expect(await run("audio.output", { output: "usb" })).toEqual({ is: "done", result: { asked: "usb", read_back: "usb" } });
  expect(asked.settings.value).toEqual({ volume: 37, muted: true, audioOutput: "usb" });
  // The values that were asked for hold for the new output too.
  expect([audio.volume.sets, audio.muted.sets]).toEqual([
    [37, 37],
    [true, true],
  ]);
});

test("[AUO11] a machine that keeps another value is reported as it is, and what was asked for survives a restart", async () => {
  await using folder = await temporaryFolder();
  const { run, asked } = await commandsFor({ volume: fakeControl(80, { lateBy: Number.POSITIVE_INFINITY }) }, folder.path);
  expect(await run("audio.volume", { percent: 10 })).toEqual({ is: "done", result: { asked: 10, read_back: 80 } });
  const reopened = await AskedSettingsStore.open(folder.path, new DiskHealth(silentLog));
  expect(reopened.settings.value).toEqual(asked.settings.value);
  expect(reopened.settings.value).toEqual({ volume: 10 });
});

test("[AUO12] a value that the machine refuses is not kept; null as output forgets the one that was asked for", async () => {
  await using folder = await temporaryFolder();
  const output = fakeControl<string | null>("hdmi");
  const { run, asked } = await commandsFor({ output }, folder.path);
  await run("audio.output", { output: "usb" });
  output.refused = "gone";
  await expect(run("audio.output", { output: "gone" })).rejects.toMatchObject({ code: "unsupported" });
  expect(asked.settings.value).toEqual({ audioOutput: "usb" });
  expect(await run("audio.output", { output: null })).toMatchObject({ result: { asked: null } });
  expect(asked.settings.value).toEqual({});
});

test("[AUO13] a machine without sound announces the commands as unavailable, with what it lacks", async () => {
  await using folder = await temporaryFolder();
  const { set, run } = await commandsFor({ volume: fakeControl(80) }, folder.path);
  const { commands, unavailable } = set.announce();
  expect(commands).toEqual(["audio.volume"]);
  expect(unavailable.map(({ type }) => type)).toEqual(["audio.mute", "audio.output"]);
  expect(unavailable[1]!.reason).toContain("PipeWire (wpctl) or PulseAudio (pactl)");
  await expect(run("audio.mute", { muted: true })).rejects.toMatchObject({ code: "unsupported" });
});
