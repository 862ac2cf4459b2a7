// Stores the player's service and similar settings between starts.
import { reasonOf } from "../../base/fault.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import type { PlayerSettings } from "../../player/player-config.ts";

/** The stored settings by name. */
export interface StoredSettings {
  /** The service that the player was last paired with. */
  server?: string;
  /** The port at which an embedded service last listened. */
  servicePort?: number;
}

/** A settings store: electron-store inside Electron, else conf, because electron-store only runs inside Electron. */
export interface SettingsStore {
  get<K extends keyof StoredSettings>(name: K): StoredSettings[K];
  set<K extends keyof StoredSettings>(name: K, value: NonNullable<StoredSettings[K]>): void;
}

/**
 * The service's address: the configured one, else that of the last pairing, from the settings or, if these are damaged, from the
 * pairing itself. Null when there is none: no service is used that nobody chose.
 * @throws the system's error when the disk fails to read a file that may name one.
 */
export async function resolveServer(
  configured: string | undefined,
  open: () => Promise<SettingsStore>,
  paired: () => Promise<string | null>,
  log: Log,
): Promise<string | null> {
  if (configured !== undefined) return configured;
  const stored = await storedServer(open, log);
  const server = stored.server ?? (await paired());
  // The settings may name one.
  if (server === null && stored.unread !== null) throw stored.unread;
  return server;
}

async function storedServer(open: () => Promise<SettingsStore>, log: Log): Promise<{ server: string | null; unread: unknown }> {
  try {
    return { server: (await open()).get("server") ?? null, unread: null };
  } catch (error) {
    const isUnread = isReadFailure(error);
    log.error({ reason: reasonOf(error) }, isUnread ? "the player's settings cannot be read" : "the player's settings are damaged");
    return { server: null, unread: isUnread ? error : null };
  }
}

/** The player's access to the store, which is opened when first used because the start does not need it. */
export function createPlayerSettings(open: () => Promise<SettingsStore>): PlayerSettings {
  return {
    rememberServer: async (server) => (await open()).set("server", server),
  };
}
