// The player's flags, the same for every engine. Checked without zod, which is loaded later, while the browser is starting.
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { badFlags, readFlags, defineUsage } from "../../base/config.ts";
import { routeThrough } from "../../base/http/proxy-route.ts";
import { commandName, dataFolder } from "../folders.ts";
import type { NtpServer } from "../../player/link/ntp.ts";
import type { PlayerConfig } from "../../player/player-config.ts";
import { parseLocalExceptions, formatLocalExceptions, type LocalException } from "./local-exceptions.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("npm run player --", "start"),
  summary: "The player: shows a pairing code, then plays the service's content fullscreen, permanently.",
  flags: {
    server: { value: "URL", help: "The service, such as http://127.0.0.1:8080. Not needed once the player has been paired" },
    data: { value: "PLAYER_DIR", help: `Folder for content, identity and settings (default ${join(dataFolder(), "player")})` },
    engine: { value: "NAME", help: "Browser engine: electron or chromium (default: Electron if it can run, else the system's Chromium)" },
    headless: { help: "Render without a display; take a screenshot to see the picture" },
    window: { value: "WxH", help: "A window of this size, such as 1280x720, instead of the whole display" },
    ntp: { value: "HOST[,HOST]", help: "Time servers to use while the service is unreachable; HOST:PORT for a port other than 123" },
    "allow-local": {
      value: "HOST:PORT[,…]",
      help: "Services of this machine that web content may connect to, such as localhost:3000; it may connect to no others",
    },
    proxy: {
      value: "URL",
      help: "HTTP proxy of the network, such as http://user:password@proxy:3128, instead of http_proxy, https_proxy and all_proxy",
    },
    ca: { value: "FILE", help: "Certificate authorities (PEM) to trust besides those of the system" },
    preload: { value: "FOLDER", help: "A folder or USB stick to take content files from, under any name, instead of downloading them" },
    quota: {
      value: "SIZE",
      help: "What content may take on the disk, such as 500MB or 8GB (default: all but 256 MB, or an eighth of a disk below 2 GB)",
    },
    "allow-scripts": { help: "Allow the command run to start the scripts in /etc/signage-player/scripts, which belong to root" },
    triggers: { help: "Allow sensors and buttons to set variables over the Unix socket PLAYER_DIR/triggers/socket" },
  },
  notes: [
    "Switches of Chromium for Electron, such as --ozone-platform=wayland or --proxy-server=URL: see README.md.",
    "Exit codes: 0 stopped as asked, 1 failed, 2 bad flags.",
  ],
});

const megabyte = 1_000_000;
const gigabyte = 1_000_000_000;

// The port of NTP.
const timePort = 123;

/** The player's flags, as far as they are right. */
export interface PlayerFlags extends Pick<PlayerConfig, "folder" | "ntp" | "triggers" | "preload" | "quota"> {
  /** The service's address; undefined to use that of the last pairing. */
  server: string | undefined;
  engine: "electron" | "chromium" | undefined;
  headless: boolean;
  /** In pixels; null for the whole display. */
  window: { width: number; height: number } | null;
  /** True if commands may run the scripts that the machine's root user has installed. */
  allowScripts: boolean;
  /** Services of this machine that content may connect to. */
  allowLocal: LocalException[];
  /** The network's HTTP proxy; undefined to use the environment's. */
  proxy: string | undefined;
  /** A file with certificates to trust. */
  ca: string | undefined;
}

// Chromium switches that a player on Electron accepts, with a pattern for their value; null if they have none.
// None of them weakens the sandbox or the same-origin policy, moves the profile, loads code or opens a port.
const browserSwitches: Readonly<Record<string, RegExp | null>> = {
  "ozone-platform": /./, // X11 or Wayland, if Chromium detects the wrong one
  "ozone-platform-hint": /./, // the same in older instructions; Chromium has ignored it since version 140
  lang: /./, // the language requested from sites
  "disable-gpu": null, // for a driver that renders incorrectly or crashes
  "ignore-gpu-blocklist": null, // for a GPU that works although Chromium blocks it
  "enable-gpu-rasterization": null, // off by default on small boards
  "use-gl": /./, // another OpenGL implementation, if the default is slow or broken
  "use-angle": /./, // another ANGLE backend, for the same reason
  "enable-features": /./, // for hardware video decoding
  "force-color-profile": /./, // for a panel that reports a wrong profile
  "alsa-output-device": /./, // sound by HDMI or by the headphone jack
  "disable-dev-shm-usage": null, // for containers, whose /dev/shm is small
  "proxy-server": /^(?!.*(socks|https:|quic:))./, // for networks with an HTTP proxy
  // The special rule <-loopback> would send the player's own page to the proxy.
  "proxy-bypass-list": /^(?!.*<-loopback>)./,
  "no-proxy-server": null, // for a machine whose desktop settings name a proxy that the player must not use
};

/**
 * True if this argument is an accepted Chromium switch, which Electron reads itself.
 * @throws Fault `bad-config` for an accepted switch with an invalid value.
 */
export function isBrowserSwitch(argument: string): boolean {
  const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? [];
  if (name === undefined || !Object.hasOwn(browserSwitches, name)) return false;
  const rule = browserSwitches[name] ?? null;
  if (rule === null && value !== undefined) throw badFlags(`--${name}: takes no value`, usage);
  if (rule !== null && value === undefined) throw badFlags(`--${name}: needs a value after “=”`, usage);
  if (rule !== null && !rule.test(value!)) throw badFlags(`--${name}: cannot be “${value}”`, usage);
  return true;
}

/**
 * The arguments without accepted Chromium switches, for `readPlayerFlags`, which rejects all others.
 * @throws Fault `bad-config` for an accepted switch with an invalid value.
 */
export function withoutBrowserSwitches(argv: readonly string[]): string[] {
  return argv.filter((argument) => !isBrowserSwitch(argument));
}

/**
 * The flags that `readPlayerFlags` reads as `flags`, each as one argument: on Windows Electron does not start when an
 * argument that is a URL is followed by others (CVE-2018-1000006).
 */
export function formatPlayerFlags(flags: PlayerFlags): string[] {
  const { server, folder, engine, headless, window, ntp, triggers, allowScripts, allowLocal, proxy, ca, preload, quota } = flags;
  const servers = ntp.map(({ host, port }) => (isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`));
  return [
    ...(server === undefined ? [] : [`--server=${server}`]),
    `--data=${folder}`,
    ...(engine === undefined ? [] : [`--engine=${engine}`]),
    ...(headless ? ["--headless"] : []),
    ...(window === null ? [] : [`--window=${window.width}x${window.height}`]),
    ...(servers.length === 0 ? [] : [`--ntp=${servers.join(",")}`]),
    ...(triggers ? ["--triggers"] : []),
    ...(allowScripts ? ["--allow-scripts"] : []),
    ...(allowLocal.length === 0 ? [] : [`--allow-local=${formatLocalExceptions(allowLocal)}`]),
    ...(proxy === undefined ? [] : [`--proxy=${proxy}`]),
    ...(ca === undefined ? [] : [`--ca=${ca}`]),
    ...(preload === null ? [] : [`--preload=${preload}`]),
    ...(quota === null ? [] : [`--quota=${sizeText(quota)}`]),
  ];
}

/** @throws Fault `bad-config` in one line that names every invalid flag. */
export function readPlayerFlags(argv: readonly string[]): PlayerFlags {
  const flags = readFlags(argv, usage);
  const { server, data, engine, headless, window, ntp, triggers, "allow-local": local, proxy, ca, preload, quota } = flags;
  const faults: string[] = [];
  if (server !== undefined && !isWebAddress(server)) faults.push("--server: must be an http:// or https:// address");
  if (data === "") faults.push("--data: must name a folder");
  if (engine !== undefined && engine !== "electron" && engine !== "chromium") faults.push("--engine: must be electron or chromium");
  const size = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(window ?? "");
  if (window !== undefined && size === null) faults.push("--window: must be a size such as 1920x1080");
  const servers = ntp === undefined ? [] : timeServersOf(ntp);
  if (servers === null) faults.push("--ntp: must be hosts such as time.example.org, or HOST:PORT for a port other than 123");
  const allowLocal = local === undefined ? [] : parseLocalExceptions(local);
  if (allowLocal === null) faults.push("--allow-local: must be services of this machine such as 127.0.0.1:3000, localhost:* or [::1]:3000");
  if (proxy !== undefined && routeThrough(proxy).is === "unusable") faults.push("--proxy: must be an HTTP proxy such as http://HOST:PORT");
  if (ca === "") faults.push("--ca: must name a file");
  if (preload === "") faults.push("--preload: must name a folder");
  const [, quotaSize, quotaUnit] = /^([1-9]\d{0,8})(MB|GB)$/.exec(quota ?? "") ?? [];
  if (quota !== undefined && quotaSize === undefined) faults.push("--quota: must be a size such as 500MB or 8GB");
  if (faults.length > 0) throw badFlags(faults.join("; "), usage);
  return {
    server,
    folder: data ?? join(dataFolder(), "player"),
    engine: engine as PlayerFlags["engine"],
    headless: headless ?? false,
    ntp: servers ?? [],
    triggers: triggers ?? false,
    allowScripts: flags["allow-scripts"] ?? false,
    allowLocal: allowLocal ?? [],
    proxy,
    ca,
    preload: preload ?? null,
    quota: quotaSize === undefined ? null : Number(quotaSize) * (quotaUnit === "GB" ? gigabyte : megabyte),
    window: size === null ? null : { width: Number(size[1]), height: Number(size[2]) },
  };
}

function sizeText(bytes: number): string {
  return bytes % gigabyte === 0 ? `${bytes / gigabyte}GB` : `${bytes / megabyte}MB`;
}

function isWebAddress(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text);
}

/** Parses `HOST[:PORT][,…]`; an IPv6 address with a port is in brackets. Null when the text is invalid. */
function timeServersOf(text: string): NtpServer[] | null {
  const servers = text.split(",").flatMap((part): NtpServer[] => {
    if (isIPv6(part)) return [{ host: part, port: timePort }];
    const [, bracketed, plain, port = String(timePort)] = /^(?:\[([^\]]+)\]|([A-Za-z0-9.-]{1,253}))(?::(\d{1,5}))?$/.exec(part) ?? [];
    const host = bracketed ?? plain;
    const isWhole = host !== undefined && (bracketed === undefined || isIPv6(bracketed)) && Number(port) > 0 && Number(port) <= 65_535;
    return isWhole ? [{ host, port: Number(port) }] : [];
  });
  return servers.length === text.split(",").length ? servers : null;
}
