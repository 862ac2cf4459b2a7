// Reads the identity of the machine: its serial number and the MAC address of its first physical network interface.
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { MachineIdentity } from "../../player/machine.ts";

// Only root may read a PC's serial number, so the launcher copies it when the machine starts. Single-board computers have theirs
// in the device tree.
const serialFiles = ["sys/class/dmi/id/product_serial", "run/signage-launcher/serial", "sys/firmware/devicetree/base/serial-number"];
const interfacesFolder = "sys/class/net";
const ethernet = "1"; // ARPHRD_ETHER; Wi-Fi has it too
const permanent = "0"; // NET_ADDR_PERM: neither random nor set by software
const longestSerial = 128;

/** The machine's identity; null where it is unknown. @param root the folder that has `sys` and `run`. */
export async function readMachineIdentity(root: string): Promise<MachineIdentity> {
  return { serial: await serialIn(root), mac: await macIn(join(root, interfacesFolder)) };
}

async function serialIn(root: string): Promise<string | null> {
  for (const file of serialFiles) {
    // Strings of the device tree end with a NUL.
    const serial = (await textOf(join(root, file))).replaceAll("\0", "").trim();
    if (serial !== "") return serial.slice(0, longestSerial);
  }
  return null;
}

/** Wired interfaces come before Wi-Fi, and then by name, so that the choice is the same at each start. */
async function macIn(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => []);
  const candidates = await Promise.all(names.map((name) => interfaceAt(folder, name)));
  const [first] = candidates
    .filter((each) => each !== null)
    .toSorted((a, b) => Number(a.isWireless) - Number(b.isWireless) || (a.name < b.name ? -1 : 1));
  return first?.mac ?? null;
}

async function interfaceAt(folder: string, name: string): Promise<{ name: string; mac: string; isWireless: boolean } | null> {
  const path = join(folder, name);
  const [type, assignType, address] = await Promise.all(
    ["type", "addr_assign_type", "address"].map(async (file) => (await textOf(join(path, file))).trim()),
  );
  // Bridges, tunnels and containers' interfaces have no device.
  const isPhysical = await exists(join(path, "device"));
  if (!isPhysical || type !== ethernet || assignType !== permanent || !/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(address!)) return null;
  return { name, mac: address!, isWireless: await exists(join(path, "wireless")) };
}

function textOf(file: string): Promise<string> {
  // The file is missing on most machines, or only root may read it: then it is unknown.
  return readFile(file, "utf8").catch(() => "");
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
