// Brightness and input of monitors by DDC/CI: VCP features 10 and 60 (VESA MCCS), with ddcutil.
import { Fault } from "../../../base/fault.ts";
import type { Control } from "../../../player/machine-controls.ts";
import { common, forEach, type Tools } from "./tools.ts";

export interface DdcControls {
  brightness: Control<number> | null;
  input: Control<string> | null;
  inputs: readonly string[];
}

const by = "ddcutil";
const [brightnessFeature, inputFeature] = ["10", "60"];
// It asks each bus, and repeats the requests that a slow monitor missed.
const detectLimitMs = 20_000;
const capabilitiesLimitMs = 20_000;

/** Null without a monitor that responds, or without ddcutil. */
export async function probeDdc(tools: Tools, signal: AbortSignal): Promise<DdcControls | null> {
  const text = (await tools.ask("ddcutil", ["detect", "--brief"], signal, detectLimitMs)) ?? "";
  // Those that do not respond are listed as "Invalid display".
  const displays = [...text.matchAll(/^Display (\d+)$/gm)].map(([, number]) => number!);
  if (displays.length === 0) return null;
  const bright = await able(displays, async (display) => (await readBrightness(tools, display, signal)) !== null);
  const inputs = await readInputs(tools, displays[0]!, signal);
  return {
    brightness: bright.length === 0 ? null : brightnessControl(tools, bright),
    input: inputs.size === 0 ? null : inputControl(tools, displays, inputs),
    inputs: [...inputs.keys()],
  };
}

function brightnessControl(tools: Tools, displays: readonly string[]): Control<number> {
  return {
    by,
    set: (percent, signal) =>
      forEach(displays, async (display) => {
        // The scale is the monitor's own, mostly 100.
        const { most = 100 } = (await readBrightness(tools, display, signal)) ?? {};
        await setFeature(tools, display, brightnessFeature, String(Math.round((percent / 100) * most)), signal);
      }),
    read: async (signal) => {
      const read: (number | null)[] = [];
      for (const display of displays) {
        const value = await readBrightness(tools, display, signal);
        read.push(value === null ? null : Math.round((value.now / value.most) * 100));
      }
      return common(read);
    },
  };
}

async function readBrightness(tools: Tools, display: string, signal: AbortSignal): Promise<{ now: number; most: number } | null> {
  const [, now, most] = /^VCP 10 C (\d+) (\d+)/m.exec((await getFeature(tools, display, brightnessFeature, signal)) ?? "") ?? [];
  return now === undefined || Number(most) === 0 ? null : { now: Number(now), most: Number(most) };
}

function inputControl(tools: Tools, displays: readonly string[], inputs: ReadonlyMap<string, string>): Control<string> {
  return {
    by,
    set: async (name, signal) => {
      const code = inputs.get(name);
      if (code === undefined) throw new Fault("unsupported", `the display has no input ${name}: it has ${[...inputs.keys()].join(", ")}`);
      await forEach(displays, (display) => setFeature(tools, display, inputFeature, `0x${code}`, signal));
    },
    read: async (signal) => {
      const read: (string | null)[] = [];
      for (const display of displays) {
        const code = /^VCP 60 SNC x([0-9a-f]{2})/m.exec((await getFeature(tools, display, inputFeature, signal)) ?? "")?.[1];
        read.push([...inputs].find(([, each]) => each === code)?.[0] ?? null);
      }
      return common(read);
    },
  };
}

/** The codes of a monitor's inputs by name, such as `hdmi-1` → `11`. */
async function readInputs(tools: Tools, display: string, signal: AbortSignal): Promise<Map<string, string>> {
  const text = (await tools.ask("ddcutil", ["--display", display, "capabilities"], signal, capabilitiesLimitMs)) ?? "";
  const feature = /Feature: 60 [^]*?(?=\n\s*Feature:|$)/.exec(text)?.[0] ?? "";
  const inputs = [...feature.matchAll(/^\s+([0-9a-f]{2}): (.+)$/gm)].map(([, code, name]): [string, string] => [
    slugOf(name!, code!),
    code!,
  ]);
  return new Map(inputs);
}

/** As commands name inputs. */
function slugOf(name: string, code: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[-0-9]+|-+$/g, "")
    .slice(0, 32);
  return slug === "" || slug.startsWith("unrecognized") ? `input-${code}` : slug;
}

async function able(displays: readonly string[], isAble: (display: string) => Promise<boolean>): Promise<string[]> {
  const result: string[] = [];
  for (const display of displays) if (await isAble(display)) result.push(display);
  return result;
}

function getFeature(tools: Tools, display: string, feature: string, signal: AbortSignal): Promise<string | null> {
  return tools.ask("ddcutil", ["--display", display, "getvcp", feature, "--brief"], signal);
}

function setFeature(tools: Tools, display: string, feature: string, value: string, signal: AbortSignal): Promise<string> {
  return tools.must("ddcutil", ["--display", display, "setvcp", feature, value], signal);
}
