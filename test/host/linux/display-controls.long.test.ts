// The display adapters with recorded fakes of the tools: each works, is missing, hangs, fails, or lies.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { linuxControls } from "../../support/linux-controls.ts";
import { createLinuxMachine } from "../../../src/host/linux/machine.ts";
import type { Control } from "../../../src/player/machine-controls.ts";
import { type DisplayTools, displayTools, type FakeTool } from "../../support/display-tools.ts";
import { temporaryFolder } from "../../support/folder.ts";

const never = new AbortController().signal;
const wayland = { WAYLAND_DISPLAY: "wayland-0" };
const x11 = { DISPLAY: ":0" };

async function probed({ env, root }: Pick<DisplayTools, "env" | "root">) {
  const controls = linuxControls(env, root);
  await controls.probe(never);
  return controls.display;
}

async function setAndRead<T>(control: Control<T> | null, value: T): Promise<T | null> {
  await control!.set(value, never);
  return control!.read(never);
}

test("[DSP3] on Wayland wlopm switches, wlr-randr rotates and sets the mode, and each is read back", async () => {
  await using tools = await displayTools(["wlopm", "wlr-randr"], wayland);
  const { power, rotation, mode, brightness, input, outputs } = await probed(tools);
  expect([power?.by, rotation?.by, mode?.by, brightness, input]).toEqual(["wlopm", "wlr-randr", "wlr-randr", null, null]);
  expect(outputs).toMatchObject([{ name: "HDMI-A-1", make: "Samsung Electric Company", model: "LS24" }]);
  expect(outputs[0]).toMatchObject({ mode: { width: 1920, height: 1080, refresh_hz: 60 } });
  expect(outputs[0]!.modes).toContainEqual({ width: 1920, height: 1080, refresh_hz: 59.94 });
  expect(await setAndRead(power, "off")).toBe("off");
  expect(await setAndRead(power, "on")).toBe("on");
  expect(await tools.calls("wlopm")).toContain("--off *");
  expect(await setAndRead(rotation, 90)).toBe(90);
  // wlr-randr counts counterclockwise.
  expect(await tools.get("transform")).toBe("270");
  expect(await setAndRead(rotation, 270)).toBe(270);
  expect(await setAndRead(rotation, 180)).toBe(180);
  expect(await setAndRead(rotation, 0)).toBe(0);
  expect(await setAndRead(mode, { width: 1280, height: 720 })).toEqual({ width: 1280, height: 720, refresh_hz: 60 });
  expect(await setAndRead(mode, null)).toEqual({ width: 1920, height: 1080, refresh_hz: 60 });
  expect((await tools.calls("wlr-randr")).filter((call) => call.includes("mode"))).toEqual(["--output HDMI-A-1 --mode 1280x720@60"]);
});

test("[DSP3] without wlopm, wlr-randr switches", async () => {
  await using tools = await displayTools(["wlr-randr"], wayland);
  const { power } = await probed(tools);
  expect(power?.by).toBe("wlr-randr");
  expect(await setAndRead(power, "off")).toBe("off");
  expect(await setAndRead(power, "on")).toBe("on");
});

test("[DSP3] on X11 xset switches without a timer of its own, xrandr rotates with touch and sets the mode", async () => {
  await using tools = await displayTools(["xset", "xrandr", "xinput"], x11);
  const { power, rotation, mode, outputs } = await probed(tools);
  expect([power?.by, rotation?.by, mode?.by]).toEqual(["xset", "xrandr", "xrandr"]);
  expect(outputs).toEqual([
    {
      name: "HDMI-1",
      make: "DEL",
      model: "DELL U2415",
      mode: { width: 1920, height: 1080, refresh_hz: 60 },
      modes: [
        { width: 1920, height: 1080, refresh_hz: 60 },
        { width: 1920, height: 1080, refresh_hz: 50 },
        { width: 1920, height: 1080, refresh_hz: 59.94 },
        { width: 1280, height: 720, refresh_hz: 60 },
        { width: 1280, height: 720, refresh_hz: 50 },
      ],
    },
  ]);
  expect(await setAndRead(power, "off")).toBe("off");
  expect(await tools.calls("xset")).toContain("dpms 0 0 0");
  expect(await setAndRead(power, "on")).toBe("on");
  expect(await setAndRead(rotation, 90)).toBe(90);
  expect(await tools.get("transform")).toBe("right");
  // Only the touch screen, not the touch pad.
  expect((await tools.calls("xinput")).filter((call) => call.startsWith("map"))).toEqual(["map-to-output 9 HDMI-1"]);
  expect(await setAndRead(mode, { width: 1280, height: 720 })).toEqual({ width: 1280, height: 720, refresh_hz: 60 });
  expect(await setAndRead(mode, null)).toMatchObject({ width: 1920 });
});

test("[DSP4] a mode that no display has is refused with the modes that there are", async () => {
  await using tools = await displayTools(["wlr-randr"], wayland);
  await using onX = await displayTools(["xrandr"], x11);
  const names = /no display has the mode 800x600: it has .*1920x1080@60, .*1280x720@60/;
  for (const each of [tools, onX]) {
    const { mode } = await probed(each);
    await expect(mode!.set({ width: 800, height: 600 }, never)).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(names),
    });
    await expect(mode!.set({ width: 1920, height: 1080, refresh_hz: 75 }, never)).rejects.toMatchObject({ code: "unsupported" });
    await mode!.set({ width: 1920, height: 1080, refresh_hz: 50 }, never);
  }
  expect(await tools.calls("wlr-randr")).toContain("--output HDMI-A-1 --mode 1920x1080@50");
  expect(await onX.calls("xrandr")).toContain("--output HDMI-1 --mode 1920x1080 --rate 50");
});

test("[DSP5] by CEC the TV is switched along, and its own status is read back", async () => {
  await using tools = await displayTools(["wlopm", "wlr-randr", "cec-ctl"], wayland);
  const { power, input, inputs } = await probed(tools);
  expect(power?.by).toBe("wlopm and cec-ctl");
  expect(await setAndRead(power, "off")).toBe("off");
  expect([await tools.get("power"), await tools.get("tv")]).toEqual(["off", "standby"]);
  expect(await setAndRead(power, "on")).toBe("on");
  expect([await tools.get("power"), await tools.get("tv")]).toEqual(["on", "on"]);
  await tools.set("tv", "standby");
  expect(await power!.read(never)).toBe("off");
  // A TV that is starting, and one that does not tell.
  await tools.set("tv", "to-on");
  expect(await power!.read(never)).toBeNull();
  await tools.set("tv", "silent");
  expect(await power!.read(never)).toBe("on");
  expect(inputs).toEqual(["hdmi-1"]);
  await tools.set("active", "2.0.0.0");
  expect(await input!.read(never)).toBe("hdmi-2");
  expect(await setAndRead(input, "hdmi-1")).toBe("hdmi-1");
  await expect(input!.set("hdmi-3", never)).rejects.toMatchObject({ code: "unsupported" });
  // Somebody pulled the plug: the compositor still switches, and the command says what did not work.
  await tools.set("tv", "gone");
  await expect(power!.set("off", never)).rejects.toMatchObject({ code: "not-applied", message: "cec-ctl: the TV does not respond" });
  expect(await tools.get("power")).toBe("off");
});

test("[DSP5] without compositor the TV alone is switched; without TV there is no control", async () => {
  await using tools = await displayTools(["cec-ctl"]);
  const { power } = await probed(tools);
  expect(power?.by).toBe("cec-ctl");
  expect(await setAndRead(power, "off")).toBe("off");
  await tools.set("tv", "silent");
  expect(await power!.read(never)).toBeNull();
  await tools.set("tv", "gone");
  expect(await probed(tools)).toMatchObject({ power: null, input: null, inputs: [] });
});

test("[DSP6] the brightness is that of a backlight that the player may change, else of the monitor", async () => {
  await using tools = await displayTools(["ddcutil"]);
  const ofMonitor = (await probed(tools)).brightness;
  expect(ofMonitor?.by).toBe("ddcutil");
  expect(await ofMonitor!.read(never)).toBe(80);
  expect(await setAndRead(ofMonitor, 35)).toBe(35);
  const panel = join(tools.root, "sys/class/backlight/intel_backlight");
  await mkdir(panel, { recursive: true });
  await writeFile(join(panel, "max_brightness"), "255\n");
  await writeFile(join(panel, "brightness"), "255\n");
  const ofPanel = (await probed(tools)).brightness;
  expect(ofPanel?.by).toBe("backlight");
  expect(await setAndRead(ofPanel, 20)).toBe(20);
  expect(await readFile(join(panel, "brightness"), "utf8")).toBe("51");
  // The hardware did not follow.
  await writeFile(join(panel, "actual_brightness"), "255\n");
  expect(await setAndRead(ofPanel, 50)).toBe(100);
});

test("[DSP6] the inputs of a monitor are named as it names them, and selected by name", async () => {
  await using tools = await displayTools(["ddcutil"]);
  const { input, inputs } = await probed(tools);
  expect(inputs).toEqual(["displayport-1", "hdmi-1", "hdmi-2"]);
  expect(await input!.read(never)).toBe("hdmi-1");
  expect(await setAndRead(input, "displayport-1")).toBe("displayport-1");
  await expect(input!.set("vga-1", never)).rejects.toMatchObject({ code: "unsupported", message: expect.stringContaining("hdmi-2") });
});

const sessions: [NodeJS.ProcessEnv, FakeTool[]][] = [
  [wayland, ["wlopm", "wlr-randr"]],
  [x11, ["xset", "xrandr", "xinput"]],
  [{}, ["cec-ctl"]],
  [{}, ["ddcutil"]],
];

test("[DSP7] a tool that is missing, hangs or fails is a control that is absent, never an error", async () => {
  const absent = { power: null, brightness: null, rotation: null, mode: null, input: null, inputs: [], outputs: [] };
  await using nothing = await displayTools([]);
  for (const session of [wayland, x11, {}]) {
    expect(await probed({ ...nothing, env: { ...nothing.env, ...session } })).toEqual(absent);
  }
  const each = sessions.map(async ([session, installed]) => {
    await using tools = await displayTools(installed, session);
    for (const tool of installed) await tools.behave(tool, "fails");
    expect(await probed(tools)).toEqual(absent);
    for (const tool of installed) await tools.behave(tool, "hangs");
    expect(await probed(tools)).toEqual(absent);
  });
  await Promise.all(each);
}, 120_000);

test("[DSP7] a tool that breaks later fails the command with its reason, and nothing is claimed", async () => {
  for (const [session, tool, by] of [
    [wayland, "wlopm", "wlopm"],
    [x11, "xset", "xset"],
    [{}, "cec-ctl", "cec-ctl"],
  ] as const) {
    await using tools = await displayTools([tool], session);
    const { power } = await probed(tools);
    expect(power?.by).toBe(by);
    await tools.behave(tool, "fails");
    await expect(power!.set("off", never)).rejects.toMatchObject({ code: "not-applied", message: `${tool}: cannot open display` });
    expect(await power!.read(never)).toBeNull();
    await tools.uninstall(tool);
    await expect(power!.set("off", never)).rejects.toMatchObject({ code: "not-applied", message: `${tool} is not installed` });
    expect(await power!.read(never)).toBeNull();
  }
});

test("[DSP7] a tool that accepts everything and changes nothing is found out by what is read back", async () => {
  for (const [session, tool] of [
    [wayland, "wlopm"],
    [x11, "xset"],
    [{}, "cec-ctl"],
  ] as const) {
    await using tools = await displayTools([tool], session);
    await tools.behave(tool, "lies");
    expect(await setAndRead((await probed(tools)).power, "off")).toBe("on");
  }
  await using tools = await displayTools(["ddcutil", "wlr-randr"], wayland);
  for (const tool of ["ddcutil", "wlr-randr"] as const) await tools.behave(tool, "lies");
  const { brightness, input, rotation, mode } = await probed(tools);
  expect(await setAndRead(brightness, 10)).toBe(80);
  expect(await setAndRead(input, "hdmi-2")).toBe("hdmi-1");
  expect(await setAndRead(rotation, 90)).toBe(0);
  expect(await setAndRead(mode, { width: 1280, height: 720 })).toMatchObject({ width: 1920 });
});

test("[DSP9] an output that the compositor has switched off counts as off, and a rotation or a mode does not wake it", async () => {
  await using tools = await displayTools(["wlopm", "wlr-randr"], wayland);
  const machine = createLinuxMachine(tools.env, tools.root);
  await machine.controls.probe(never);
  expect(await machine.displayPower()).toBe("on");
  const { power, rotation } = machine.controls.display;
  await power!.set("off", never);
  await rotation!.set(90, never);
  expect((await tools.calls("wlopm")).filter((call) => call === "--off *")).toHaveLength(2);
  expect(await machine.displayPower()).toBe("off");
});

test("[DSP10] the rotation of a display that is connected later is that which the player has set", async () => {
  await using folder = await temporaryFolder();
  await using tools = await displayTools(["wlr-randr"], { ...wayland, XDG_RUNTIME_DIR: folder.path });
  await (await probed(tools)).rotation!.set(270, never);
  expect(await readFile(join(folder.path, "signage-rotation"), "utf8")).toBe("270\n");
});
