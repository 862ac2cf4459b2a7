// The flags of `signage-player setup`.
import { readFileSync } from "node:fs";
import { badFlags, defineUsage, readFlags } from "../../base/config.ts";
import { SetupFile } from "../../protocol/device/setup-file.ts";
import { listFaults } from "../../protocol/refusal.ts";
import { parseSetupToml } from "./file/toml.ts";

/** Its flags. */
export const usage = defineUsage({
  command: "signage-player setup",
  summary: "Sets up this machine as a player: service, rotation, time zone, Wi-Fi, enrolment key and proxy. Without flags it asks.",
  flags: {
    server: { value: "URL", help: "The service, such as https://signage.example.org" },
    rotation: { value: "DEGREES", help: "0, 90, 180 or 270: how the picture is turned, clockwise" },
    timezone: { value: "ZONE", help: "IANA time zone, such as Europe/Berlin" },
    "wifi-ssid": { value: "NAME", help: "The Wi-Fi network" },
    "wifi-password-file": { value: "FILE", help: "A file with its password; without one the network is open" },
    "wifi-hidden": { help: "The network does not announce its name" },
    "enrolment-key-file": { value: "FILE", help: "A file with an enrolment key, which claims the player without a pairing code" },
    proxy: { value: "URL", help: "HTTP proxy of the network; empty for none" },
    flags: { value: "FLAGS", help: "Further flags of the player, such as --flags=--quota=8GB; replaces those before" },
    config: { value: "FILE", help: "Take settings from a signage.toml; flags take precedence" },
    yes: { help: "Do not ask, also not before a paired player changes its service" },
    data: { value: "PLAYER_DIR", help: "The player's data folder (default /var/lib/signage-player)" },
    boot: { help: "Apply the signage.toml of the boot partition, if it is new (signage-setup.service)" },
    usb: { value: "DEVICE", help: "Apply the signage.toml of a USB stick, if it is new (signage-usb@.service)" },
  },
  notes: ["Needs root. Exit codes: 0 done, 1 failed, 2 bad flags or a wrong signage.toml: nothing was changed."],
});

/** The flags of setup: the mode, and the settings to apply. */
export interface SetupConfig {
  data: string | undefined;
  mode:
    | { is: "ask" }
    /** `isSure`: no question before a paired player changes its service. */
    | { is: "apply"; settings: SetupFile; isSure: boolean }
    | { is: "boot" }
    | { is: "usb"; device: string };
}

/** @throws Fault `bad-config` in one line that names every invalid flag, or every wrong line of the file. */
export function readSetupConfig(argv: readonly string[]): SetupConfig {
  const { positionals: _, data, boot, usb, yes, config, ...flags } = readFlags(argv, usage);
  const isEmpty = Object.keys(flags).length === 0 && config === undefined;
  if (data === "") throw badFlags("--data: must name a folder", usage);
  if ((boot === true || usb !== undefined) && !(isEmpty && yes === undefined && (boot === undefined || usb === undefined)))
    throw badFlags("--boot and --usb: cannot be combined with other settings", usage);
  if (boot === true) return { data, mode: { is: "boot" } };
  if (usb !== undefined) {
    if (!/^\/dev\/[\w/.-]+$/.test(usb)) throw badFlags("--usb: must be a device such as /dev/sda1", usage);
    return { data, mode: { is: "usb", device: usb } };
  }
  if (isEmpty) {
    if (yes === true) throw badFlags("--yes: name the settings too, such as --server URL", usage);
    return { data, mode: { is: "ask" } };
  }
  const fromFile = config === undefined ? {} : parseSetupToml(readText("config", config), config);
  return { data, mode: { is: "apply", settings: { ...fromFile, ...settingsOf(flags) }, isSure: yes ?? false } };
}

type Given = Omit<ReturnType<typeof readFlags<typeof usage.flags>>, "positionals" | "data" | "boot" | "usb" | "yes" | "config">;

/** The flag for each setting, for errors. */
const flagOf: Readonly<Record<string, string>> = {
  "wifi.ssid": "wifi-ssid",
  "wifi.password": "wifi-password-file",
  wifi: "wifi-ssid",
  enrolment_key: "enrolment-key-file",
};

function settingsOf(given: Given): SetupFile {
  const { server, rotation, timezone, proxy, flags, "wifi-ssid": ssid, "wifi-hidden": hidden } = given;
  const { "wifi-password-file": passwordFile, "enrolment-key-file": keyFile } = given;
  if (ssid === undefined && (passwordFile !== undefined || hidden === true)) throw badFlags("--wifi-ssid: name the network too", usage);
  const wifi = { ssid, password: readOptional("wifi-password-file", passwordFile), hidden };
  const settings = {
    server,
    rotation: rotation === undefined ? undefined : Number(rotation || "NaN"),
    timezone,
    proxy,
    flags: flags?.split(/\s+/).filter((flag) => flag !== ""),
    wifi: ssid === undefined ? undefined : withoutUndefined(wifi),
    enrolment_key: readOptional("enrolment-key-file", keyFile),
  };
  const parsed = SetupFile.safeParse(withoutUndefined(settings));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => {
    const name = path.filter((part) => typeof part === "string").join(".");
    return `--${flagOf[name] ?? name}: ${message}`;
  });
  throw badFlags(listFaults(faults), usage);
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function readOptional(flag: string, file: string | undefined): string | undefined {
  return file === undefined ? undefined : readText(flag, file).replace(/\r?\n$/, "");
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw badFlags(`--${flag}: ${file} cannot be read`, usage, { cause: error });
  }
}
