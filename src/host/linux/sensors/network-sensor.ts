// The network through which the machine reaches others: the interface of the default route, its addresses and its Wi-Fi signal.
import { access, readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import type { NetworkState } from "../../../player/machine-controls.ts";
import { runTool } from "../../../base/processes/run-tool.ts";

const routeIsUp = 0x1;
const ethernet = "1"; // ARPHRD_ETHER
const maxAddresses = 16;
const longestSsid = 64;

export interface NetworkSensorOptions {
  /** The folder that has `proc` and `sys`. */
  root: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** The addresses of each interface. */
  interfaces?: typeof networkInterfaces;
}

/** Null without a default route. */
export async function readNetwork({
  root,
  env,
  signal,
  interfaces = networkInterfaces,
}: NetworkSensorOptions): Promise<NetworkState | null> {
  const name = defaultInterface(await textOf(root, "proc/net/route"), await textOf(root, "proc/net/ipv6_route"));
  if (name === null) return null;
  const kind = await kindOf(root, name);
  const addresses = (interfaces()[name] ?? [])
    .filter(({ scopeid, address }) => (scopeid ?? 0) === 0 && !address.startsWith("169.254."))
    .map(({ address }) => address)
    .slice(0, maxAddresses);
  const wifi = kind === "wifi" ? await readWifi(root, name, env, signal) : noWifi;
  return { interface: name, kind, addresses, ...wifi };
}

/** Of several routes the one with the smallest metric; IPv4 first, because more services have it. */
function defaultInterface(ipv4: string, ipv6: string): string | null {
  return best(ipv4.split("\n").slice(1).map(routeOf)) ?? best(ipv6.split("\n").map(ipv6RouteOf));
}

interface Route {
  name: string;
  metric: number;
}

function best(routes: readonly (Route | null)[]): string | null {
  const candidates = routes.filter((route) => route !== null).toSorted((a, b) => a.metric - b.metric);
  return candidates[0]?.name ?? null;
}

/** A line of /proc/net/route: interface, destination, gateway, flags, …, metric (decimal), mask. */
function routeOf(line: string): Route | null {
  const [name = "", destination, , flags = "", , , metric = "", mask] = line.trim().split(/\s+/);
  if (destination !== "00000000" || mask !== "00000000") return null;
  return (Number.parseInt(flags, 16) & routeIsUp) === 0 ? null : { name, metric: Number(metric) };
}

/** A line of /proc/net/ipv6_route: destination, its length, source, its length, gateway, metric (hex), …, flags, interface. */
function ipv6RouteOf(line: string): Route | null {
  const [destination = "", length, , , , metric = "", , , flags = "", name = ""] = line.trim().split(/\s+/);
  // The kernel lists the route of unreachable addresses at the loopback interface.
  if (!/^0{32}$/.test(destination) || length !== "00" || name === "lo") return null;
  return (Number.parseInt(flags, 16) & routeIsUp) === 0 ? null : { name, metric: Number.parseInt(metric, 16) };
}

async function kindOf(root: string, name: string): Promise<NetworkState["kind"]> {
  const folder = join(root, "sys/class/net", name);
  if ((await exists(join(folder, "phy80211"))) || (await exists(join(folder, "wireless")))) return "wifi";
  const isEthernet = (await textOf(folder, "type")).trim() === ethernet;
  // Bridges and tunnels have no device.
  return isEthernet && (await exists(join(folder, "device"))) ? "ethernet" : "other";
}

type Wifi = Pick<NetworkState, "ssid" | "signal_dbm">;
const noWifi: Wifi = { ssid: null, signal_dbm: null };

async function readWifi(root: string, name: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Wifi> {
  const run = await runTool("iw", ["dev", name, "link"], { env, signal });
  if (run.is === "ended" && run.code === 0) {
    const ssid = /^\s*SSID: (.*)$/m.exec(run.stdout)?.[1];
    const level = /^\s*signal: (-?[0-9]+) dBm/m.exec(run.stdout)?.[1];
    return {
      ssid: ssid === undefined ? null : decodeHex(ssid).slice(0, longestSsid),
      signal_dbm: level === undefined ? null : Number(level),
    };
  }
  // Older drivers report in a file: `wlan0: 0000   54.  -56.  -256 …`, the level in third place.
  const lines = (await textOf(root, "proc/net/wireless")).split("\n").map((line) => line.trim().split(/\s+/));
  const level = Number.parseFloat(lines.find(([first]) => first === `${name}:`)?.[3] ?? "");
  // Without a connection the level is 0 or -256.
  return { ssid: null, signal_dbm: Number.isFinite(level) && level < 0 && level > -200 ? level : null };
}

/** iw prints each byte that is not printable ASCII as `\xc3`. */
function decodeHex(text: string): string {
  const bytes = text.replaceAll(/\\x([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function textOf(folder: string, file: string): Promise<string> {
  // A kernel without the file, such as one without IPv6, has nothing to tell.
  return readFile(join(folder, file), "utf8").catch(() => "");
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
