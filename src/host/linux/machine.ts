// Machine by Linux: reads the box from /proc, /sys and the kernel's calls. Acts come when commands for them do.
import { randomUUID } from "node:crypto";
import { readdir, readFile, statfs } from "node:fs/promises";
import { loadavg, networkInterfaces } from "node:os";
import { join } from "node:path";
import type { Machine, MachineReadings } from "../../player/machine.ts";

// The Raspberry Pi and its kin name themselves in the device tree, PCs in DMI.
const nameFiles = ["/proc/device-tree/model", "/sys/class/dmi/id/product_name"];
// What boards answer whose maker did not fill the field in.
const namelessNames = new Set(["", "To Be Filled By O.E.M.", "System Product Name", "Default string"]);
const thermalFolder = "/sys/class/thermal";
// Of several thermal zones the processor's is meant: the Pi's, then Intel's and AMD's.
const processorZones = ["cpu-thermal", "x86_pkg_temp", "k10temp", "acpitz"];

/** The box this program runs on. What it cannot tell reads as null; `read` does not reject. */
export function createLinuxMachine(): Machine {
  return { bootId: randomUUID(), addresses, readings: read };
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
    // The device tree ends its strings with a NUL.
    const name = (await textOf(file)).replaceAll("\0", "").trim();
    if (!namelessNames.has(name)) return name;
  }
  return null;
}

async function processorTemperature(): Promise<number | null> {
  const zones = (await readdir(thermalFolder).catch(() => [])).filter((name) => name.startsWith("thermal_zone"));
  const types = await Promise.all(zones.map(async (zone) => (await textOf(join(thermalFolder, zone, "type"))).trim()));
  const known = processorZones.map((type) => types.indexOf(type)).find((at) => at >= 0);
  const zone = zones[known ?? 0];
  if (zone === undefined) return null;
  const millidegrees = Number.parseInt(await textOf(join(thermalFolder, zone, "temp")), 10);
  return Number.isNaN(millidegrees) ? null : millidegrees / 1_000;
}

async function freeBytes(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  // bavail: what is free for us; the rest is root's reserve.
  return disk === null ? null : disk.bavail * disk.bsize;
}

function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
