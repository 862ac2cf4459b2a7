// The Machine on Linux: reads hardware, load, temperature and displays from /proc, /sys and system calls.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { readdir, readFile, statfs } from "node:fs/promises";
import { loadavg, networkInterfaces, uptime } from "node:os";
import { join } from "node:path";
import type { Machine, MachineReadings, MachineRun } from "../../player/machine.ts";
import { createLinuxControls, type LinuxControls } from "./controls.ts";
import { readMachineIdentity } from "./machine-identity.ts";
import { MachinePower } from "./machine-power.ts";
import { readDisplayPower } from "./display-power.ts";
import { hasWaylandOutput } from "./wayland-outputs.ts";

// Single-board computers have their name in the device tree, PCs in DMI.
const nameFiles = ["/proc/device-tree/model", "/sys/class/dmi/id/product_name"];
// Placeholders of manufacturers that did not fill in the field.
const placeholderNames = new Set(["", "To Be Filled By O.E.M.", "System Product Name", "Default string"]);
const thermalFolder = "/sys/class/thermal";
// The processor's thermal zones: Raspberry Pi, Intel, AMD, and the generic one.
const processorZones = ["cpu-thermal", "x86_pkg_temp", "k10temp", "acpitz"];

export interface LinuxMachineOptions {
  /** True if the machine belongs to the player, so that the player may restart it and switch it off. Default: false. */
  mayControlPower?: boolean;
  /** A folder for data that must outlive this program; null, the default: there is none. */
  stateFolder?: string | null;
}

/**
 * The machine this program runs on. Unknown values are null; `read` never rejects.
 * @param env names the compositor or X server, the sound server, and by PATH the tools
 * @param root the folder from whose `proc`, `sys`, `dev` and `run` identity, displays and sensors are read
 */
export function createLinuxMachine(
  env: NodeJS.ProcessEnv = {},
  root = "/",
  { mayControlPower = false, stateFolder = null }: LinuxMachineOptions = {},
): Machine {
  const power = new MachinePower(env, mayControlPower);
  const run = presentRun();
  const controls = createLinuxControls({ env, root, power, run: run?.id ?? null, stateFolder });
  return {
    bootId: randomUUID(),
    addresses,
    identity: () => readMachineIdentity(root),
    readings: read,
    run,
    displayPower: () => displayPower(env, controls),
    get restart() {
      return power.restart;
    },
    controls,
  };
}

/**
 * A virtual output is unknown to the kernel, but its compositor tells its power. A display that drops its connection when it is switched
 * off is unknown to both, and the compositor has no output then.
 */
async function displayPower(env: NodeJS.ProcessEnv, controls: LinuxControls): Promise<"on" | "off" | null> {
  const power = (await readDisplayPower()) ?? (await controls.outputPower());
  return power ?? ((await hasWaylandOutput(env)) === false ? "off" : null);
}

function presentRun(): MachineRun | null {
  try {
    return { id: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), ageMs: () => uptime() * 1_000 };
  } catch {
    return null; // not Linux, or a sandbox without it
  }
}

async function read(folder: string): Promise<MachineReadings> {
  const [hardware, temperatureC, diskFreeBytes] = await Promise.all([hardwareName(), processorTemperature(), freeBytes(folder)]);
  return {
    hardware,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    cpuLoad: loadavg()[0] ?? 0,
    temperatureC,
    diskFreeBytes,
  };
}

function addresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, scopeid, address }) => !internal && (scopeid ?? 0) === 0 && !address.startsWith("169.254."))
    .map(({ address }) => address);
}

async function hardwareName(): Promise<string | null> {
  for (const file of nameFiles) {
    // Strings of the device tree end with a NUL.
    const name = (await textOf(file)).replaceAll("\0", "").trim();
    if (!placeholderNames.has(name)) return name;
  }
  return null;
}

async function processorTemperature(): Promise<number | null> {
  const zones = (await readdir(thermalFolder).catch(() => [])).filter((name) => name.startsWith("thermal_zone"));
  const types = await Promise.all(zones.map(async (zone) => (await textOf(join(thermalFolder, zone, "type"))).trim()));
  const index = processorZones.map((type) => types.indexOf(type)).find((at) => at >= 0);
  const zone = zones[index ?? 0];
  if (zone === undefined) return null;
  const millidegrees = Number.parseInt(await textOf(join(thermalFolder, zone, "temp")), 10);
  return Number.isNaN(millidegrees) ? null : millidegrees / 1_000;
}

async function freeBytes(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  // bavail, because bfree includes blocks that are reserved for root.
  return disk === null ? null : disk.bavail * disk.bsize;
}

function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
