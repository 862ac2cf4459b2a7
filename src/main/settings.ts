// Remembers where the player was last paired, in the store that the host brings along.
import { Fault } from "../base/fault.ts";
import type { PlayerSettings } from "../player/player-settings.ts";

/** What is kept between starts, by name. */
export interface StoredSettings {
  /** The service that the player was last paired with. */
  server?: string;
  /** The port at which an embedded service last listened. */
  servicePort?: number;
}

/** A small store of settings: `conf`, or electron-store under Electron. */
export interface SettingsStore {
  get<K extends keyof StoredSettings>(name: K): StoredSettings[K];
  set<K extends keyof StoredSettings>(name: K, value: NonNullable<StoredSettings[K]>): void;
}

/**
 * The service's address: the one given, else that of the last pairing.
 * @throws Fault `bad-config` when there is neither.
 */
export async function resolveServer(given: string | undefined, open: () => Promise<SettingsStore>): Promise<string> {
  const server = given ?? (await open()).get("server");
  if (server !== undefined) return server;
  throw new Fault("bad-config", "--server: say where the service is, such as --server http://127.0.0.1:8080");
}

/** The player's view of the store. It is opened at the first need: nothing on the way to the first picture needs it. */
export function createPlayerSettings(open: () => Promise<SettingsStore>): PlayerSettings {
  return {
    rememberServer: async (server) => (await open()).set("server", server),
  };
}
