// Brings the machine to the wanted settings: files first, each replaced in one step, then the commands that make them effective.
import { mkdir, chown, readFile, stat } from "node:fs/promises";
import { join, relative, dirname } from "node:path";
import { closestName } from "../../base/closest-name.ts";
import { Fault, hasErrorCode } from "../../base/fault.ts";
import type { SetupFile } from "../../protocol/device/setup-file.ts";
import { readPlayerFlags, withoutBrowserSwitches } from "../player/player-flags.ts";
import type { RunCommand } from "./commands.ts";
import { changedVariables, readVariables } from "./env-file.ts";
import type { Places } from "./places.ts";
import { isSameServer, type PresentSettings } from "./present.ts";
import { type FileRights, replaceFile, replaceLink } from "./replace-file.ts";
import { profileName, profileOf } from "./wifi.ts";

/** The changes that were made, for people, and the parts of the machine to update for them. */
export interface Applied {
  changes: string[];
  /** Things that did not work but keep nothing from working later. */
  warnings: string[];
  /** The parts that {@link makeEffective} updates. */
  effects: Set<"wifi" | "rotation" | "player">;
}

const userOfPlayer = "signage";
/** The arguments of systemctl that start the player again if it runs. */
export const restartPlayer = ["try-restart", "signage-player.service"];

/**
 * Checks the rules that no schema can: the time zone is on this disk, there is NetworkManager for Wi-Fi, the player accepts the flags,
 * and an enrolment key has a service.
 * @throws Fault `bad-config` that names the setting and the remedy.
 */
export async function checkSettings(wanted: SetupFile, present: PresentSettings, places: Places): Promise<void> {
  const { timezone, flags, wifi, enrolment_key: key } = wanted;
  const faults: string[] = [];
  if (timezone !== undefined && (await hasZone(places, timezone)) === false) {
    const meant = closestName(timezone, Intl.supportedValuesOf("timeZone"));
    const remedy = meant === undefined ? "install the package tzdata or name another" : `did you mean “${meant}”?`;
    faults.push(`timezone: this machine has no time zone “${timezone}”: ${remedy}`);
  }
  if (wifi !== undefined && !present.hasNetworkManager) {
    faults.push("wifi: NetworkManager is not installed here: run “apt install network-manager”, or leave out wifi");
  }
  if (key !== undefined && (wanted.server ?? present.server) === null) faults.push("enrolment_key: name the service too, as server");
  if (flags !== undefined) faults.push(...flagFaults(flags));
  if (faults.length > 0) throw new Fault("bad-config", faults.join("; "));
}

/** Writes the settings that differ. After a power cut at any moment, the same call finishes the rest. */
export async function applySettings(wanted: SetupFile, present: PresentSettings, places: Places): Promise<Applied> {
  const applied: Applied = { changes: [], warnings: [], effects: new Set() };
  const change = (text: string, effect: "wifi" | "rotation" | "player"): void => {
    applied.changes.push(text);
    applied.effects.add(effect);
  };
  const { server, enrolment_key: key, rotation, timezone, proxy, flags, wifi } = wanted;
  if (timezone !== undefined && timezone !== present.timezone) {
    const target = relative(dirname(places.localtime), join(places.zones, timezone));
    await replaceLink(places.localtime, target);
    change(`time zone ${timezone}`, "player");
  }
  if (wifi !== undefined && !(wifi.ssid === present.wifi && wifi.password === undefined)) {
    if (await replaceIfChanged(places.wifiProfile, profileOf(wifi), { mode: 0o600 })) change(`Wi-Fi “${wifi.ssid}”`, "wifi");
  }
  if (rotation !== undefined && String(rotation) !== present.rotation) {
    const text = await changedVariables(places.sessionEnv, new Map([["SIGNAGE_ROTATION", String(rotation)]]));
    await replaceFile(places.sessionEnv, text, { mode: 0o644 });
    change(`rotation ${rotation}°`, "rotation");
  }
  // The key comes before the server: a player that knows only the server would show a pairing code.
  if (key !== undefined) {
    const text = `${JSON.stringify({ key, server: server ?? present.server })}\n`;
    const owner = await ownerOf(places);
    if (owner === null) applied.warnings.push(`there is no user “${userOfPlayer}” yet: the enrolment key belongs to this user`);
    await makeDataFolder(places.data, owner);
    await replaceFile(join(places.data, "enrolment.json"), text, { mode: 0o600, ...(owner === null ? {} : { owner }) });
    change("enrolment key", "player");
  }
  const variables = new Map<string, string | null>();
  if (server !== undefined) variables.set("SIGNAGE_SERVER", server);
  if (flags !== undefined) variables.set("SIGNAGE_FLAGS", flags.join(" ") || null);
  // As variables, because a proxy's password in a flag would be in the process list.
  if (proxy !== undefined) for (const name of ["http_proxy", "https_proxy"]) variables.set(name, proxy || null);
  const before = await readVariables(places.playerEnv);
  const different = [...variables].filter(([name, value]) => (before.get(name) ?? null) !== value).map(([name]) => name);
  if (different.length > 0) {
    await replaceFile(places.playerEnv, await changedVariables(places.playerEnv, variables), { mode: 0o600 });
    if (different.includes("SIGNAGE_SERVER")) change(`service ${server}`, "player");
    if (different.includes("http_proxy")) change(proxy === "" ? "no proxy" : "proxy", "player");
    if (different.includes("SIGNAGE_FLAGS")) change(flags?.length === 0 ? "no flags" : `flags ${flags!.join(" ")}`, "player");
  }
  const { paired } = present;
  if (server !== undefined && paired !== null && !isSameServer(server, paired)) {
    applied.warnings.push(`the player was paired with ${paired}: pair it at ${server}`);
  }
  return applied;
}

/** Connects to the Wi-Fi, turns the picture and restarts the player, as far as that is necessary. Returns the failures, for people. */
export async function makeEffective({ effects }: Applied, places: Places, run: RunCommand): Promise<string[]> {
  const warnings: string[] = [];
  const attempt = async (command: string, argv: string[], remedy: string): Promise<boolean> => {
    const result = await run(command, argv);
    if (result.is === "failed") warnings.push(`${command} ${argv.join(" ")}: ${result.reason}. ${remedy}`);
    if (result.is === "missing") warnings.push(`${command} is not installed. ${remedy}`);
    return result.is === "done";
  };
  if (effects.has("wifi")) {
    const remedy = "The Wi-Fi is stored, and NetworkManager tries it again by itself; check name and password";
    const steps = [
      ["connection", "load", places.wifiProfile],
      ["radio", "wifi", "on"],
      ["--wait", "30", "connection", "up", profileName],
    ];
    // Each needs the one before it.
    for (const step of steps) if (!(await attempt("nmcli", step, remedy))) break;
  }
  const later = "The settings are stored, and take effect when the player starts again";
  if (effects.has("rotation")) await attempt("systemctl", ["start", "signage-rotation.service"], later);
  if (effects.has("player")) await attempt("systemctl", restartPlayer, later);
  return warnings;
}

/** The errors of the player's own check of these flags. Server, data folder and proxy have settings of their own. */
function flagFaults(flags: readonly string[]): string[] {
  const own = flags.find((flag) => /^--(server|data|proxy|engine)(=|$)/.test(flag));
  if (own !== undefined) return [`flags: “${own}” cannot be set here: server and proxy are settings of their own, the rest is fixed`];
  try {
    readPlayerFlags(withoutBrowserSwitches(flags));
    return [];
  } catch (error) {
    if (error instanceof Fault) return [`flags: ${error.message}`];
    throw error;
  }
}

async function hasZone({ zones }: Places, zone: string): Promise<boolean> {
  try {
    return (await stat(join(zones, zone))).isFile();
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

async function replaceIfChanged(path: string, text: string, rights: FileRights): Promise<boolean> {
  const before = await readFile(path, "utf8").catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return null;
    throw error;
  });
  if (before === text) return false;
  await replaceFile(path, text, rights);
  return true;
}

async function ownerOf({ passwd }: Places): Promise<{ uid: number; gid: number } | null> {
  const text = await readFile(passwd, "utf8").catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) return "";
    throw error;
  });
  const fields = text
    .split("\n")
    .map((line) => line.split(":"))
    .find(([name]) => name === userOfPlayer);
  return fields === undefined ? null : { uid: Number(fields[2]), gid: Number(fields[3]) };
}

async function makeDataFolder(folder: string, owner: { uid: number; gid: number } | null): Promise<void> {
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (created !== undefined && owner !== null) await chown(folder, owner.uid, owner.gid);
}
