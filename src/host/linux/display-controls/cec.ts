// A TV's power and input by CEC: the wire in the HDMI cable, over the kernel's interface with cec-ctl.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../../base/fault.ts";
import type { Control, Power } from "../../../player/machine-controls.ts";
import type { Tools } from "./tools.ts";

/** The power state that a TV reports. `changing`: it is starting or going to standby. Null: it does not respond or does not say. */
export type TvPower = Power | "changing" | null;

export interface CecControls {
  readonly by: string;
  set(power: Power, signal: AbortSignal): Promise<void>;
  read(signal: AbortSignal): Promise<TvPower>;
  /** The TV's input at which this machine is. */
  input: Control<string>;
  inputs: readonly string[];
}

const powers: Readonly<Record<string, TvPower>> = { on: "on", standby: "off", "to-on": "changing", "to-standby": "changing" };
const tv = "0";

/** The first adapter with a TV that responds; null if there is none, or no cec-ctl. */
export async function probeCec(tools: Tools, signal: AbortSignal): Promise<CecControls | null> {
  const names = await readdir(join(tools.root, "dev")).catch(() => []);
  for (const name of names.filter((each) => /^cec\d+$/.test(each)).toSorted()) {
    const device = join(tools.root, "dev", name);
    // The adapter needs an address of its own before it may say anything.
    const text = await tools.ask("cec-ctl", ["-d", device, "--playback"], signal);
    const address = /Physical Address\s*: ([0-9a-f.]+)/.exec(text ?? "")?.[1] ?? "f.f.f.f";
    // f.f.f.f: nothing is connected.
    if (address === "f.f.f.f" || (await askPower(tools, device, signal)) === "no TV") continue;
    return controlsOf(tools, device, address);
  }
  return null;
}

function controlsOf(tools: Tools, device: string, address: string): CecControls {
  const input = `hdmi-${address.split(".", 1)[0]}`;
  return {
    by: "cec-ctl",
    set: async (power, signal) => {
      // A TV that went to standby may have forgotten who is there.
      await tools.must("cec-ctl", ["-d", device, "--playback"], signal);
      const text = await tools.must("cec-ctl", ["-d", device, "--to", tv, power === "on" ? "--image-view-on" : "--standby"], signal);
      assertAcknowledged(text);
      if (power === "on") await activate(tools, device, address, signal);
    },
    read: async (signal) => {
      const state = await askPower(tools, device, signal);
      return state === "no TV" ? null : state;
    },
    input: {
      by: "cec-ctl",
      set: async (name, signal) => {
        if (name !== input) throw new Fault("unsupported", `by CEC the TV can only show this machine, which is at ${input}`);
        await activate(tools, device, address, signal);
      },
      read: async (signal) => {
        const text = await tools.ask("cec-ctl", ["-d", device, "--request-active-source"], signal);
        const active = /ACTIVE_SOURCE[^]*?phys-addr: ([0-9a-f.]+)/.exec(text ?? "")?.[1];
        return active === undefined ? null : `hdmi-${active.split(".", 1)[0]}`;
      },
    },
    inputs: [input],
  };
}

async function activate(tools: Tools, device: string, address: string, signal: AbortSignal): Promise<void> {
  await tools.must("cec-ctl", ["-d", device, "--active-source", `phys-addr=${address}`], signal);
}

async function askPower(tools: Tools, device: string, signal: AbortSignal): Promise<TvPower | "no TV"> {
  const text = await tools.ask("cec-ctl", ["-d", device, "--to", tv, "--give-device-power-status"], signal);
  if (text === null || isUnheard(text)) return "no TV";
  return powers[/pwr-state: ([a-z-]+)/.exec(text)?.[1] ?? ""] ?? null;
}

/** cec-ctl ends with 0 even if nobody heard it. */
function isUnheard(text: string): boolean {
  return /Tx, (?:Not Acknowledged|Arbitration Lost|Low Drive|Error|Aborted|Timeout)/.test(text);
}

function assertAcknowledged(text: string): void {
  if (isUnheard(text)) throw new Fault("not-applied", "cec-ctl: the TV does not respond");
}
