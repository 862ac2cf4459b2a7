// Remembers where the player was last pointed to, in the store that the host brings along.
import { Fault } from "../base/fault.ts";

/** A small store of settings: `conf`, or electron-store under Electron. */
export interface SettingsStore {
  get(name: "server"): string | undefined;
  set(name: "server", value: string): void;
}

/**
 * The service's address: the one given, which is remembered, else the one remembered.
 * @throws Fault `bad-config` when there is neither.
 */
export function serverOf(given: string | undefined, store: SettingsStore): string {
  const remembered = store.get("server");
  if (given === undefined && remembered === undefined) {
    throw new Fault("bad-config", "--server: say where the service is, such as --server http://127.0.0.1:8080");
  }
  if (given !== undefined && given !== remembered) store.set("server", given);
  return given ?? remembered!;
}
