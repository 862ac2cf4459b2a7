// Rotation and mode of a Wayland compositor's outputs by wlr-randr, and their power by wlopm, or else wlr-randr.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../../base/fault.ts";
import type { Control, DisplayMode, DisplayRotation, Power } from "../../../player/machine-controls.ts";
import { currentMode, findMode, type Output, outputsWithMode } from "./outputs.ts";
import type { ScreenControls } from "./screen-controls.ts";
import { common, forEach, type Tools } from "./tools.ts";

// wlr-randr counts counterclockwise. Flipped transforms are nothing that the player sets.
const rotations = { normal: 0, "270": 90, "180": 180, "90": 270 } as const;
type Transform = keyof typeof rotations;
const rotationFile = "signage-rotation";

/** The controls of the compositor that the environment names; null if there is none or none of its tools works. */
export async function probeWayland(tools: Tools, signal: AbortSignal): Promise<ScreenControls | null> {
  const { WAYLAND_DISPLAY: display, XDG_RUNTIME_DIR: folder } = tools.env;
  if (display === undefined) return null;
  const outputs = await readWaylandOutputs(tools, signal);
  const power = (await wlopm(tools, signal)) ?? (outputs === null ? null : wlrRandrPower(tools));
  if (outputs === null) return power === null ? null : { power, rotation: null, mode: null, outputs: [] };
  return { power, rotation: rotationControl(tools, folder), mode: modeControl(tools), outputs };
}

/** Null if wlr-randr is missing or fails. */
async function readWaylandOutputs(tools: Tools, signal: AbortSignal): Promise<Output[] | null> {
  const text = await tools.ask("wlr-randr", [], signal);
  return text === null ? null : parseWaylandOutputs(text);
}

/** The text has been the same in all versions; older ones have no `--json`. */
function parseWaylandOutputs(text: string): Output[] {
  const outputs: Output[] = [];
  for (const line of text.split("\n")) {
    const name = /^(\S+)/.exec(line)?.[1];
    if (name !== undefined) {
      outputs.push({ name, make: null, model: null, isEnabled: false, rotation: null, modes: [] });
      continue;
    }
    const output = outputs.at(-1);
    if (output !== undefined) readLine(output, line.trim());
  }
  return outputs;
}

function readLine(output: Output, line: string): void {
  const [, width, height, refresh, marks = ""] = /^(\d+)x(\d+) px(?:, ([\d.]+) Hz)?(?: \((.*)\))?$/.exec(line) ?? [];
  if (width !== undefined) {
    const flags = { isPreferred: marks.includes("preferred"), isCurrent: marks.includes("current") };
    output.modes.push({ width: Number(width), height: Number(height), refreshHz: Number(refresh ?? 0), ...flags });
  }
  const [, key, value = ""] = /^(Make|Model|Enabled|Transform): (.*)$/.exec(line) ?? [];
  const text = value === "" || value === "(null)" || value === "Unknown" ? null : value;
  if (key === "Make") output.make = text;
  if (key === "Model") output.model = text;
  if (key === "Enabled") output.isEnabled = value === "yes";
  if (key === "Transform") output.rotation = rotations[value as Transform] ?? null;
}

async function wlopm(tools: Tools, signal: AbortSignal): Promise<Control<Power> | null> {
  const states = async (end: AbortSignal): Promise<Power[] | null> => {
    const text = await tools.ask("wlopm", [], end);
    if (text === null) return null;
    return [...text.matchAll(/^\S+ (on|off)$/gm)].map(([, state]) => state as Power);
  };
  // It fails on a compositor that does not know its protocol.
  if ((await states(signal)) === null) return null;
  return {
    by: "wlopm",
    set: async (power, end) => void (await tools.must("wlopm", [`--${power}`, "*"], end)),
    read: async (end) => anyOn((await states(end)) ?? []),
  };
}

function wlrRandrPower(tools: Tools): Control<Power> {
  return {
    by: "wlr-randr",
    set: async (power, signal) => {
      const outputs = (await readWaylandOutputs(tools, signal)) ?? [];
      await forEach(outputs, ({ name }) => tools.must("wlr-randr", ["--output", name, `--${power}`], signal));
    },
    read: async (signal) => {
      const outputs = (await readWaylandOutputs(tools, signal)) ?? [];
      return anyOn(outputs.map(({ isEnabled }) => (isEnabled ? "on" : "off")));
    },
  };
}

/** Null without any display: nothing can be on or off. */
function anyOn(states: readonly Power[]): Power | null {
  return states.length === 0 ? null : states.includes("on") ? "on" : "off";
}

function rotationControl(tools: Tools, folder: string | undefined): Control<DisplayRotation> {
  return {
    by: "wlr-randr",
    set: async (rotation, signal) => {
      const transform = Object.entries(rotations).find(([, degrees]) => degrees === rotation)![0];
      const outputs = (await readWaylandOutputs(tools, signal)) ?? [];
      await forEach(outputs, ({ name }) => tools.must("wlr-randr", ["--output", name, "--transform", transform], signal));
      // The session rotates displays that are connected later, see packaging/player/session/rotate.sh.
      if (folder === undefined) return;
      await writeFile(join(folder, rotationFile), `${rotation}\n`).catch((error: unknown) => {
        throw new Fault("not-applied", "the rotation cannot be kept for displays that are connected later", { cause: error });
      });
    },
    read: async (signal) => {
      const outputs = (await readWaylandOutputs(tools, signal)) ?? [];
      return common(outputs.filter(({ isEnabled }) => isEnabled).map(({ rotation }) => rotation));
    },
  };
}

function modeControl(tools: Tools): Control<DisplayMode | null> {
  return {
    by: "wlr-randr",
    set: async (mode, signal) => {
      const outputs = (await readWaylandOutputs(tools, signal)) ?? [];
      const able = mode === null ? outputs : outputsWithMode(outputs, mode);
      await forEach(able, (output) => tools.must("wlr-randr", ["--output", output.name, ...modeFlags(output, mode)], signal));
    },
    read: async (signal) => {
      const outputs = (await readWaylandOutputs(tools, signal)) ?? [];
      return common(outputs.filter(({ isEnabled }) => isEnabled).map(currentMode));
    },
  };
}

function modeFlags(output: Output, mode: DisplayMode | null): string[] {
  if (mode === null) return ["--preferred"];
  const own = findMode(output, mode);
  const [flag, refreshHz] = own === null ? ["--custom-mode", mode.refresh_hz ?? 0] : ["--mode", own.refreshHz];
  return [flag, `${mode.width}x${mode.height}${refreshHz > 0 ? `@${refreshHz}` : ""}`];
}
