// The player on Electron: reads its flags, configures Electron and runs the player with an Electron host. Bundled into dist/main.
import { join } from "node:path";
import { app, utilityProcess } from "electron";
import Store from "electron-store";
import { createSystemClock, type Clock } from "../../base/clock.ts";
import { retry } from "../../base/async/retry.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { createElectronHost } from "../../host/electron/host.ts";
import { mediaProcessName, serviceProcessName } from "../../host/electron/processes.ts";
import { prepareApp } from "../../host/electron/app.ts";
import { createLinuxMachine } from "../../host/linux/machine.ts";
import { runPlayer } from "../../player/player.ts";
import { heapFlags, mediaEnvironment, mediaProgram } from "../../service/media/process.ts";
import { startKeepAlive } from "./keep-alive.ts";
import { electronLifecycle } from "./lifecycle.ts";
import { EmbeddedService } from "./embedded-service.ts";
import { requirePage } from "../folders.ts";
import { localAccessRule } from "../player/local-exceptions.ts";
import { readNetwork } from "../player/network.ts";
import { lockPlayerFolder } from "../player/player-folder.ts";
import { readPlayerFlags, withoutBrowserSwitches, type PlayerFlags } from "../player/player-flags.ts";
import { displayFailed, reportToSystemd } from "../player/service-manager.ts";
import { runProgram } from "../program.ts";
import { playerConfig } from "../player/player-config.ts";
import { createPlayerSettings, type SettingsStore, type StoredSettings } from "../player/settings.ts";

const defaultServicePort = 8080;

// No top-level await here or in any imported module: Electron becomes ready only after this file has been evaluated, so an await for
// its readiness would never end (electron/electron#40719).
void runProgram("player", configure, runOnElectron, { lifecycle: electronLifecycle });

/** Reads the flags and configures Electron before it is ready. @throws Fault `bad-config`. */
function configure(): PlayerFlags {
  const flags = readPlayerFlags(withoutBrowserSwitches(process.argv.slice(app.isPackaged ? 1 : 2)));
  prepareApp(flags.folder);
  return flags;
}

/**
 * Runs the player until `signal` aborts. A restart command opens a new window, and so does a display that has failed.
 * @throws Fault `browser-failed` in that case if a parent process supervises this one: it then starts a new Electron.
 */
async function runOnElectron(flags: PlayerFlags, log: Log, signal: AbortSignal): Promise<void> {
  requirePage();
  startKeepAlive(signal);
  using lock = lockPlayerFolder(flags.folder, log);
  await app.whenReady();
  const clock = createSystemClock();
  // electron-store is conf with the defaults of an Electron app; it needs Electron, so kiosk.ts opens the same file with conf.
  const openStore = async () => new Store<StoredSettings>({ cwd: flags.folder, name: "settings" });
  // Without its settings it would start a service of its own beside the one that it uses.
  const store = await whenReadable(openStore, clock, log, signal);
  const known = flags.server ?? store.get("server");
  await using embedded = known === undefined ? await startService(flags.folder, store, clock, log, signal) : null;
  const server = embedded === null ? () => known! : () => embedded.address;
  // The embedded service's address is not stored: it may change, and with a stored address the next start would not start the service.
  const settings = embedded === null ? createPlayerSettings(async () => store) : { rememberServer: async () => undefined };
  const mayReachLocal = localAccessRule(flags.allowLocal);
  const network = readNetwork(flags, process.env);
  // Without the flag, the browser's own settings decide for content.
  const proxied = flags.proxy === undefined ? {} : { route: network.route };
  const supervise = reportToSystemd(process.env, clock, log);
  for (;;) {
    await using host = createElectronHost({ window: flags.window, network: { mayReachLocal, ...proxied }, clock, log });
    const machine = createLinuxMachine(process.env, "/", { stateFolder: flags.folder });
    // Electron is updated as the application that it is, not by a launcher.
    const config = playerConfig(flags, { version: app.getVersion(), notice: null, launcher: null });
    const end = await runPlayer(config, { server, host, machine, settings, network, supervise, clock, log }, signal);
    lock.lockAgain();
    if (end === "display-failed" && process.send !== undefined) throw new Fault("browser-failed", displayFailed);
  }
}

/** Repeats `read` until the disk can be read. */
function whenReadable<T>(read: () => Promise<T>, clock: Clock, log: Log, signal: AbortSignal): Promise<T> {
  const onFailure = (error: unknown, retry_in_ms: number): void => {
    if (!isReadFailure(error)) throw error;
    log.error({ reason: reasonOf(error), retry_in_ms }, "the player's settings cannot be read: waiting for the disk");
  };
  return retry(read, { clock, bounds: { firstMs: 1_000, longestMs: 30_000 }, onFailure, signal });
}

/** Starts the embedded service of a packaged player without `--server`, in its own process so that its crash leaves the screen on. */
function startService(folder: string, store: SettingsStore, clock: Clock, log: Log, signal: AbortSignal): Promise<EmbeddedService> {
  const program = join(import.meta.dirname, "cli.js");
  return EmbeddedService.start(
    {
      fork: (flags) => utilityProcess.fork(program, ["serve", ...flags], { serviceName: serviceProcessName, stdio: "inherit" }),
      forkMedia: () =>
        utilityProcess.fork(mediaProgram, [], {
          serviceName: mediaProcessName,
          stdio: "inherit",
          env: mediaEnvironment,
          execArgv: heapFlags,
        }),
      folder: join(folder, "service"),
      port: store.get("servicePort") ?? defaultServicePort,
      onPort: (port) => store.set("servicePort", port),
      clock,
      log,
    },
    signal,
  );
}
