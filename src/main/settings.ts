// Remembers where the player was last pointed to, in the store that the host brings along.
import { Fault, reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";

/** A small store of settings: `conf`, or electron-store under Electron. */
export interface SettingsStore {
  get(name: "server"): string | undefined;
  set(name: "server", value: string): void;
}

/**
 * The service's address: the one given, which is remembered for the next start, else the one remembered.
 * @throws Fault `bad-config` when there is neither.
 */
export async function serverOf(given: string | undefined, open: () => Promise<SettingsStore>, log: Log): Promise<string> {
  if (given !== undefined) {
    // Not waited for: nothing on the way to the first picture needs it.
    void remember(given, open).catch((error: unknown) =>
      log.warn({ reason: reasonOf(error) }, "the service's address could not be remembered"),
    );
    return given;
  }
  const remembered = (await open()).get("server");
  if (remembered === undefined) {
    throw new Fault("bad-config", "--server: say where the service is, such as --server http://127.0.0.1:8080");
  }
  return remembered;
}

async function remember(server: string, open: () => Promise<SettingsStore>): Promise<void> {
  const store = await open();
  if (store.get("server") !== server) store.set("server", server);
}
