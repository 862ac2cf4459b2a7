// The player's flags, the same on every engine. Checked by hand: zod is loaded while the browser is already starting.
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { badFlags, readFlags, defineUsage } from "../base/config.ts";
import { dataFolder } from "./folders.ts";
import { parseLocalExceptions, formatLocalExceptions, type LocalException } from "./local-exceptions.ts";

const usage = defineUsage({
  command: "npm run player --",
  summary: "The player: shows a pairing code, then plays what the service gives it, fullscreen and for ever.",
  flags: {
    server: { value: "URL", help: "The service, such as http://127.0.0.1:8080. Not needed once the player was paired" },
    data: { value: "DIR", help: `Where content, identity and settings are kept (default ${join(dataFolder(), "player")})` },
    engine: { value: "NAME", help: "What draws: electron or chromium (default: Electron where it can run, else the system's Chromium)" },
    headless: { help: "Draw without a display; the screenshot command shows the picture" },
    window: { value: "WxH", help: "A window of this size, such as 1280x720, in place of the whole display" },
    ntp: { value: "HOST[,HOST]", help: "Time servers to ask while the service is silent, with a port behind a colon where it is not 123" },
    "allow-local": {
      value: "HOST:PORT[,…]",
      help: "Services of this machine that shown pages may reach, such as localhost:3000; they reach no other",
    },
    triggers: { help: "Let sensors and buttons set variables over the Unix socket DIR/triggers/socket" },
  },
  notes: [
    "Switches of Chromium for Electron, such as --ozone-platform=wayland or --proxy-server=URL: see README.md.",
    "Exit codes: 0 stopped as asked, 1 failed, 2 bad flags.",
  ],
});

interface TimeServer {
  host: string;
  port: number;
}

// Of NTP.
const timePort = 123;

/** What a player is started with. */
export interface PlayerConfig {
  /** The service's address; absent when that of the last start is to be used. */
  server: string | undefined;
  /** The data folder. */
  data: string;
  engine: "electron" | "chromium" | undefined;
  headless: boolean;
  /** In pixels; null for the whole display. */
  window: { width: number; height: number } | null;
  /** Time servers for when the service is silent. */
  ntp: TimeServer[];
  /** Whether sensors and buttons may set variables over a socket in the data folder. */
  triggers: boolean;
  /** Services of this machine that content may reach. */
  allowLocal: LocalException[];
}

// Switches of Chromium that a player on Electron may be given, with what their value has to be; null where they take none.
// None of them weakens the sandbox or the same-origin policy, moves the profile, loads code or opens a port.
const browserSwitches: Readonly<Record<string, RegExp | null>> = {
  "ozone-platform": /./, // X11 or Wayland, where Chromium guesses wrong
  "ozone-platform-hint": /./, // the same in older instructions; Chromium has ignored it since version 140
  lang: /./, // the language that sites are asked for
  "disable-gpu": null, // for a driver that draws wrongly or crashes
  "ignore-gpu-blocklist": null, // for a GPU that works although Chromium has it on its list
  "enable-gpu-rasterization": null, // off by default on small boards
  "use-gl": /./, // which OpenGL, where the default is slow or broken
  "use-angle": /./, // which backend ANGLE draws with, for the same reason
  "enable-features": /./, // decoding video in hardware is behind such names
  "force-color-profile": /./, // for a panel that reports a wrong profile
  "alsa-output-device": /./, // sound by HDMI or by the jack
  "disable-dev-shm-usage": null, // for containers, whose /dev/shm is small
  "proxy-server": /^(?!.*(socks|https:|quic:))./, // networks that reach the web by a proxy only, which has to speak HTTP
  // The special rule <-loopback> would send the player's own page to the proxy.
  "proxy-bypass-list": /^(?!.*<-loopback>)./,
  "no-proxy-server": null, // for a machine whose desktop settings name a proxy that the player must not use
};

/**
 * Whether this word of the command line is a harmless switch of Chromium, which Electron reads by itself.
 * @throws Fault `bad-config` for such a switch with a value that it cannot have.
 */
export function isBrowserSwitch(word: string): boolean {
  const [, name, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (name === undefined || !Object.hasOwn(browserSwitches, name)) return false;
  const rule = browserSwitches[name] ?? null;
  if (rule === null && value !== undefined) throw badFlags(`--${name}: takes no value`, usage);
  if (rule !== null && value === undefined) throw badFlags(`--${name}: needs its value behind “=”`, usage);
  if (rule !== null && !rule.test(value!)) throw badFlags(`--${name}: cannot be “${value}”`, usage);
  return true;
}

/**
 * The command line without the harmless switches of Chromium, for `readPlayerConfig`, which refuses all others.
 * @throws Fault `bad-config` for such a switch with a value that it cannot have.
 */
export function withoutBrowserSwitches(argv: readonly string[]): string[] {
  return argv.filter((word) => !isBrowserSwitch(word));
}

/**
 * The flags that `readPlayerConfig` reads as `config`, each in one word: on Windows Electron refuses to start when
 * anything follows a word that is an address (CVE-2018-1000006).
 */
export function playerFlags({ server, data, engine, headless, window, ntp, triggers, allowLocal }: PlayerConfig): string[] {
  const servers = ntp.map(({ host, port }) => (isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`));
  return [
    ...(server === undefined ? [] : [`--server=${server}`]),
    `--data=${data}`,
    ...(engine === undefined ? [] : [`--engine=${engine}`]),
    ...(headless ? ["--headless"] : []),
    ...(window === null ? [] : [`--window=${window.width}x${window.height}`]),
    ...(servers.length === 0 ? [] : [`--ntp=${servers.join(",")}`]),
    ...(triggers ? ["--triggers"] : []),
    ...(allowLocal.length === 0 ? [] : [`--allow-local=${formatLocalExceptions(allowLocal)}`]),
  ];
}

/** @throws Fault `bad-config` in one line that names every flag that is wrong. */
export function readPlayerConfig(argv: readonly string[]): PlayerConfig {
  const { server, data, engine, headless, window, ntp, triggers, "allow-local": local } = readFlags(argv, usage);
  const faults: string[] = [];
  if (server !== undefined && !isWebAddress(server)) faults.push("--server: must be an http:// or https:// address");
  if (data === "") faults.push("--data: must name a folder");
  if (engine !== undefined && engine !== "electron" && engine !== "chromium") faults.push("--engine: must be electron or chromium");
  const size = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(window ?? "");
  if (window !== undefined && size === null) faults.push("--window: must be a size such as 1920x1080");
  const servers = ntp === undefined ? [] : timeServersOf(ntp);
  if (servers === null) faults.push("--ntp: must be hosts such as time.example.org, with a port behind a colon where it is not 123");
  const allowLocal = local === undefined ? [] : parseLocalExceptions(local);
  if (allowLocal === null) faults.push("--allow-local: must be services of this machine such as 127.0.0.1:3000, localhost:* or [::1]:3000");
  if (faults.length > 0) throw badFlags(faults.join("; "), usage);
  return {
    server,
    data: data ?? join(dataFolder(), "player"),
    engine: engine as PlayerConfig["engine"],
    headless: headless ?? false,
    ntp: servers ?? [],
    triggers: triggers ?? false,
    allowLocal: allowLocal ?? [],
    window: size === null ? null : { width: Number(size[1]), height: Number(size[2]) },
  };
}

function isWebAddress(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text);
}

/** Reads `HOST[:PORT][,…]`; an IPv6 address with a port stands in brackets. Null when it is no such list. */
function timeServersOf(text: string): TimeServer[] | null {
  const servers = text.split(",").flatMap((part): TimeServer[] => {
    if (isIPv6(part)) return [{ host: part, port: timePort }];
    const [, bracketed, plain, port = String(timePort)] = /^(?:\[([^\]]+)\]|([A-Za-z0-9.-]{1,253}))(?::(\d{1,5}))?$/.exec(part) ?? [];
    const host = bracketed ?? plain;
    const isWhole = host !== undefined && (bracketed === undefined || isIPv6(bracketed)) && Number(port) > 0 && Number(port) <= 65_535;
    return isWhole ? [{ host, port: Number(port) }] : [];
  });
  return servers.length === text.split(",").length ? servers : null;
}
