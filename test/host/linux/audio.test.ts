// The sound tools are recorded fakes on PATH: test machines have no sound card. scripts/package-test/controls.ts runs the real PipeWire.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LinuxAudio } from "../../../src/host/linux/audio-controls/linux-audio.ts";
import { watchSoundCards } from "../../../src/host/linux/audio-controls/sound-cards.ts";
import { createLinuxMachine } from "../../../src/host/linux/machine.ts";
import type { AudioControls } from "../../../src/player/machine-controls.ts";
import { createFakeTools, fails, type FakeTools, hangs } from "../../support/fake-tools.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { amixer, hdmi, noPipeWire, pactl, usb, wpctl } from "./sound-fakes.ts";

const { signal } = new AbortController();

async function audioOf(tools: FakeTools): Promise<AudioControls> {
  const audio = new LinuxAudio(tools.env);
  await audio.probe(signal);
  return audio.controls;
}

/** Sets volume and mute, and reads them back. */
async function setAndRead({ volume, muted }: AudioControls): Promise<unknown[]> {
  await volume!.set(37, signal);
  await muted!.set(true, signal);
  const first = [await volume!.read(signal), await muted!.read(signal)];
  await muted!.set(false, signal);
  return [...first, await muted!.read(signal)];
}

test("[AUO1] volume and mute of the present output are set and read back by wpctl, else pactl, else amixer: the first that works", async () => {
  for (const [by, scripts] of [
    ["wpctl", { wpctl, pactl, amixer }],
    ["pactl", { wpctl: noPipeWire, pactl, amixer }],
    ["pactl", { pactl }],
    ["amixer", { wpctl: noPipeWire, pactl: fails("Connection failure: Connection refused"), amixer }],
    ["amixer", { amixer }],
  ] as const) {
    await using folder = await temporaryFolder();
    const audio = await audioOf(await createFakeTools(folder.path, scripts));
    expect([audio.volume?.by, audio.muted?.by]).toEqual([by, by]);
    expect(await setAndRead(audio)).toEqual([37, true, false]);
  }
});

test("[AUO2] outputs have the names that stay the same and descriptions for people; stand-ins and inputs are not among them", async () => {
  for (const scripts of [{ wpctl }, { pactl }]) {
    await using folder = await temporaryFolder();
    const audio = await audioOf(await createFakeTools(folder.path, scripts));
    expect(audio.outputs).toHaveLength(2);
    expect(audio.outputs).toEqual(expect.arrayContaining([hdmi, usb]));
  }
});

test("[AUO3] an output is chosen by its name, whatever its number is now; null returns to the system's default", async () => {
  for (const scripts of [{ wpctl }, { pactl }]) {
    await using folder = await temporaryFolder();
    const tools = await createFakeTools(folder.path, scripts);
    const { output } = await audioOf(tools);
    expect(await output!.read(signal)).toBe(hdmi.name);
    // PipeWire has been restarted: all its numbers are others.
    await writeFile(join(tools.folder, "renumbered"), "");
    await output!.set(usb.name, signal);
    expect(await output!.read(signal)).toBe(usb.name);
    await output!.set(null, signal);
    expect(await output!.read(signal)).toBe(hdmi.name);
  }
});

test("[AUO4] an output that is not there is refused, and the refusal names the outputs", async () => {
  for (const scripts of [{ wpctl }, { pactl }]) {
    await using folder = await temporaryFolder();
    const { output } = await audioOf(await createFakeTools(folder.path, scripts));
    const refusal = { code: "unsupported", message: expect.stringContaining(usb.name) };
    await expect(output!.set("bluez_output.gone", signal)).rejects.toMatchObject(refusal);
    expect(await output!.read(signal)).toBe(hdmi.name);
  }
});

test("[AUO5] without a tool, a sound server or an output there are no controls; with ALSA alone no output can be chosen", async () => {
  const emptied = wpctl.replaceAll(/^ │ +\*? +4[17]\. .*\n/gm, "");
  const none = { volume: null, muted: null, output: null, outputs: [] };
  for (const scripts of [
    {},
    { wpctl: emptied, amixer },
    { wpctl: noPipeWire, pactl: "echo not json", amixer: fails("no card") },
  ] as const) {
    await using folder = await temporaryFolder();
    expect(await audioOf(await createFakeTools(folder.path, scripts as Record<string, string>))).toEqual(none);
  }
  await using folder = await temporaryFolder();
  const audio = await audioOf(await createFakeTools(folder.path, { amixer }));
  expect(audio).toMatchObject({ output: null, outputs: [] });
});

test("[AUO6] a tool that fails is a fault with its reason, one that has disappeared reads as unknown, and one that lies is read as it is", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { wpctl });
  const { volume, muted, output } = await audioOf(tools);
  await tools.write("wpctl", fails("Error: translate ID error"));
  await expect(volume!.set(10, signal)).rejects.toMatchObject({ code: "not-applied", message: "wpctl: Error: translate ID error" });
  await rm(join(tools.folder, "wpctl"));
  expect([await volume!.read(signal), await muted!.read(signal), await output!.read(signal)]).toEqual([null, null, null]);
  // It accepts the value and keeps its own, as WirePlumber does for an output that nothing has played on yet.
  await tools.write("wpctl", wpctl.replace('echo "$3" > "$STATE/volume"', "true"));
  await volume!.set(10, signal);
  expect(await volume!.read(signal)).toBe(40);
});

test("[AUO7] a tool that hangs is passed over", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { wpctl: hangs, pactl });
  expect((await audioOf(tools)).volume?.by).toBe("pactl");
});

test("[AUO8] a sound card that is connected or removed is told, also the first one", async () => {
  await using folder = await temporaryFolder();
  const stop = new AbortController();
  const told = Promise.withResolvers<void>();
  let again = Promise.withResolvers<void>();
  watchSoundCards(() => (told.resolve(), again.resolve()), stop.signal, { devices: folder.path, settleMs: [20] });
  await mkdir(join(folder.path, "snd"));
  await told.promise;
  again = Promise.withResolvers<void>();
  // A second card changes only the folder of the first.
  await writeFile(join(folder.path, "snd/pcmC1D0p"), "");
  await again.promise;
  stop.abort();
});

test("[AUO9] outputs are probed when the machine is followed, and again after a change, until the signal aborts", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { wpctl });
  const { controls } = createLinuxMachine(tools.env);
  expect(controls.audio.outputs).toEqual([]);
  const stop = new AbortController();
  const probed = Promise.withResolvers<void>();
  const following = controls.follow(() => probed.resolve(), stop.signal);
  await probed.promise;
  expect(controls.audio.outputs).toHaveLength(2);
  stop.abort();
  await expect(following).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
});
