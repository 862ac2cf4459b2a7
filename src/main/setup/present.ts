// The machine's present settings: the defaults of the questions, and the values that setup compares with the wanted ones.
import { access, readlink } from "node:fs/promises";
import { hasErrorCode } from "../../base/fault.ts";
import { Identity } from "../../player/pairing/identity.ts";
import { readVariables } from "./env-file.ts";
import type { Places } from "./places.ts";
import { readWifiName } from "./wifi.ts";

/** The present settings; null or empty where none is set. */
export interface PresentSettings {
  server: string | null;
  rotation: string | null;
  timezone: string | null;
  proxy: string | null;
  flags: string[];
  wifi: string | null;
  /** True if NetworkManager is installed. */
  hasNetworkManager: boolean;
  /** The service that the player is paired with. */
  paired: string | null;
}

/** Reads all settings. */
export async function readPresent(places: Places): Promise<PresentSettings> {
  const player = await readVariables(places.playerEnv);
  const session = await readVariables(places.sessionEnv);
  const valueOf = (name: string): string | null => player.get(name) || null;
  return {
    server: valueOf("SIGNAGE_SERVER"),
    rotation: session.get("SIGNAGE_ROTATION") || null,
    timezone: await readTimeZone(places),
    proxy: valueOf("http_proxy"),
    flags: (player.get("SIGNAGE_FLAGS") ?? "").split(/\s+/).filter((flag) => flag !== ""),
    wifi: await readWifiName(places.wifiProfile),
    hasNetworkManager: await isThere(places.networkManager),
    paired: await Identity.pairedServer(places.data),
  };
}

/** True if two addresses are the same service. */
export function isSameServer(a: string, b: string): boolean {
  return new URL(a).href === new URL(b).href;
}

async function readTimeZone({ localtime }: Places): Promise<string | null> {
  try {
    return /\/zoneinfo\/(.+)$/.exec(await readlink(localtime))?.[1] ?? null;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "EINVAL")) return null;
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}
