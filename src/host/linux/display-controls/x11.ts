// Rotation and mode of an X server's outputs by xrandr, and their power by xset.
import type { Control, DisplayMode, DisplayRotation, Power } from "../../../player/machine-controls.ts";
import { readEdid } from "./edid.ts";
import { currentMode, findMode, type Output, outputsWithMode } from "./outputs.ts";
import type { ScreenControls } from "./screen-controls.ts";
import { common, forEach, type Tools } from "./tools.ts";
import { mapTouch } from "./touch.ts";

const rotations = { normal: 0, right: 90, inverted: 180, left: 270 } as const;
type XRotation = keyof typeof rotations;

/** The controls of the X server that the environment names; null if there is none or none of its tools works. */
export async function probeX11(tools: Tools, signal: AbortSignal): Promise<ScreenControls | null> {
  if (tools.env["DISPLAY"] === undefined) return null;
  const outputs = await readXOutputs(tools, signal);
  const power = await xsetPower(tools, signal);
  if (outputs === null) return power === null ? null : { power, rotation: null, mode: null, outputs: [] };
  return { power, rotation: rotationControl(tools), mode: modeControl(tools), outputs };
}

/** The outputs with a display; null if xrandr is missing or fails. */
async function readXOutputs(tools: Tools, signal: AbortSignal): Promise<Output[] | null> {
  const text = await tools.ask("xrandr", ["--props"], signal);
  return text === null ? null : parseXOutputs(text);
}

/** @param text of `xrandr --props`. */
function parseXOutputs(text: string): Output[] {
  return text
    .split(/^(?=\S)/m)
    .filter((part) => /^\S+ connected/.test(part))
    .map(parseOutput);
}

function parseOutput(part: string): Output {
  const [head = "", ...lines] = part.split("\n");
  const name = head.split(" ", 1)[0]!;
  // Its size and place, then the rotation unless it is the normal one, then its abilities in parentheses.
  const [, isOn, rotation] = /connected (?:primary )?(\d+x\d+\+\d+\+\d+)?\s*(left|right|inverted)?/.exec(head) ?? [];
  const hex = /EDID:\s*\n((?:\s+[0-9a-f]{32}\n)+)/.exec(part)?.[1]?.replaceAll(/\s/g, "") ?? "";
  return {
    name,
    ...readEdid(Buffer.from(hex, "hex")),
    isEnabled: isOn !== undefined,
    rotation: rotations[(rotation ?? "normal") as XRotation],
    modes: lines.flatMap(parseModes),
  };
}

/** A line has one size and its rates, such as `   1920x1080     60.00*+  50.00`. Interlaced modes (`1920x1080i`) are left out. */
function parseModes(line: string): Output["modes"] {
  const [, width, height, rates] = /^ {3}(\d+)x(\d+)\s+([\d.*+ ]+)$/.exec(line) ?? [];
  if (rates === undefined) return [];
  return [...rates.matchAll(/([\d.]+)([* ]?)([+ ]?)/g)].map(([, rate, star, plus]) => ({
    width: Number(width),
    height: Number(height),
    refreshHz: Number(rate),
    isPreferred: plus === "+",
    isCurrent: star === "*",
  }));
}

async function xsetPower(tools: Tools, signal: AbortSignal): Promise<Control<Power> | null> {
  const read = async (end: AbortSignal): Promise<Power | "unknown" | null> => {
    const text = (await tools.ask("xset", ["q"], end)) ?? "";
    // Without the extension of the server this part is missing.
    if (!/DPMS is (?:Enabled|Disabled)/.test(text)) return null;
    const state = /Monitor is (?:in )?(\w+)/.exec(text)?.[1];
    // While it is disabled, xset says nothing about the monitor: it is on.
    if (state === undefined) return text.includes("DPMS is Disabled") ? "on" : "unknown";
    return state === "On" ? "on" : "off";
  };
  if ((await read(signal)) === null) return null;
  return {
    by: "xset",
    set: async (power, end) => {
      // `force` needs DPMS to be enabled. Without these zeros, it would switch the display off by itself after ten minutes.
      await tools.must("xset", ["dpms", "0", "0", "0"], end);
      await tools.must("xset", ["+dpms"], end);
      await tools.must("xset", ["dpms", "force", power], end);
    },
    read: async (end) => {
      const state = await read(end);
      return state === "unknown" ? null : state;
    },
  };
}

function rotationControl(tools: Tools): Control<DisplayRotation> {
  return {
    by: "xrandr",
    set: async (rotation, signal) => {
      const name = Object.entries(rotations).find(([, degrees]) => degrees === rotation)![0];
      const outputs = (await readXOutputs(tools, signal)) ?? [];
      await forEach(outputs, (output) => tools.must("xrandr", ["--output", output.name, "--rotate", name], signal));
      if (outputs[0] !== undefined) await mapTouch(tools, outputs[0].name, signal);
    },
    read: async (signal) => {
      const outputs = (await readXOutputs(tools, signal)) ?? [];
      return common(outputs.filter(({ isEnabled }) => isEnabled).map(({ rotation }) => rotation));
    },
  };
}

function modeControl(tools: Tools): Control<DisplayMode | null> {
  return {
    by: "xrandr",
    set: async (mode, signal) => {
      const outputs = (await readXOutputs(tools, signal)) ?? [];
      // Unlike a compositor's virtual output, an X server's takes only modes that it lists.
      const candidates = outputs.map((output) => ({ ...output, modes: output.modes.map((each) => ({ ...each, isCurrent: false })) }));
      const able =
        mode === null
          ? outputs
          : outputsWithMode(
              candidates.filter(({ modes }) => modes.length > 0),
              mode,
            );
      await forEach(able, (output) => tools.must("xrandr", ["--output", output.name, ...modeFlags(output, mode)], signal));
    },
    read: async (signal) => {
      const outputs = (await readXOutputs(tools, signal)) ?? [];
      return common(outputs.filter(({ isEnabled }) => isEnabled).map(currentMode));
    },
  };
}

function modeFlags(output: Output, mode: DisplayMode | null): string[] {
  // `--preferred` does not switch an output on that is off.
  if (mode === null) return ["--auto"];
  const own = findMode(output, mode)!;
  const size = ["--mode", `${mode.width}x${mode.height}`];
  return own.refreshHz > 0 ? [...size, "--rate", String(own.refreshHz)] : size;
}
