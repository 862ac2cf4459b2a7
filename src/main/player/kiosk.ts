// Runs the player on the system's Chromium.
import { totalmem } from "node:os";
import { join } from "node:path";
import { createSystemClock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import { createChromiumHost } from "../../host/chromium/host.ts";
import { createLinuxMachine } from "../../host/linux/machine.ts";
import { readVersion } from "../folders.ts";
import { readLauncherOptions } from "./launcher-options.ts";
import { localAccessRule } from "./local-exceptions.ts";
import { placesIn } from "../setup/places.ts";
import { readSetupProblem } from "../setup/report.ts";
import { readNetwork } from "./network.ts";
import { noServerOptions } from "./no-server.ts";
import { lockPlayerFolder } from "./player-folder.ts";
import { playerConfig } from "./player-config.ts";
import type { PlayerFlags } from "./player-flags.ts";
import { displayFailed, reportToSystemd } from "./service-manager.ts";
import { resolveServer, createPlayerSettings, type SettingsStore, type StoredSettings } from "./settings.ts";

/**
 * Runs the player until `signal` aborts. A restart command starts a new browser, and so does a display that has failed.
 * @throws Fault `browser-failed` in that case if systemd supervises this program: it then starts a new process.
 */
export async function runKiosk(flags: PlayerFlags, executable: string, log: Log, signal: AbortSignal): Promise<void> {
  using lock = lockPlayerFolder(flags.folder, log);
  const headless = flags.headless || !hasDisplay();
  if (headless && !flags.headless) log.warn("there is no display; rendering without one, take a screenshot to see the picture");
  const clock = createSystemClock();
  const profileFolder = join(flags.folder, "chromium");
  const mayReachLocal = localAccessRule(flags.allowLocal);
  const network = readNetwork(flags, process.env);
  const { route } = network;
  const facts = { architecture: process.arch, memoryBytes: totalmem(), browserExecutable: executable };
  const launcher = readLauncherOptions(process.env, facts);
  const supervise = reportToSystemd(process.env, clock, log);
  for (;;) {
    const display = { headless, window: flags.window };
    await using host = createChromiumHost({
      executable,
      profileFolder,
      env: process.env,
      display,
      network: { mayReachLocal, route },
      clock,
      log,
    });
    // The browser takes half a second to start. The rest of the program is loaded meanwhile.
    await host.prepare();
    const { runPlayer } = await import("../../player/player.ts");
    const openStore = (): Promise<SettingsStore> => openSettings(flags.folder);
    const readServer = (): Promise<string | null> => resolveServer(flags.server, openStore, () => pairedServer(flags.folder), log);
    const server = await readServer().catch((error: unknown) => {
      if (!isReadFailure(error)) throw error;
      return { is: "unreadable" as const, error, read: readServer };
    });
    // Only the package's unit sets it: on any other machine the recovery of a screen must not restart somebody's computer.
    const mayControlPower = process.env["SIGNAGE_ALLOW_POWER"] === "1";
    const machine = createLinuxMachine(process.env, "/", { mayControlPower, stateFolder: flags.folder });
    const problem = await readSetupProblem(placesIn().report, log);
    if (server === null) log.warn("no service is set: the screen says how to set one");
    const environment = {
      server: typeof server === "string" ? () => server : (server ?? noServerOptions({ env: process.env, problem, clock, log })),
      host,
      machine,
      settings: createPlayerSettings(openStore),
      network,
      supervise,
      clock,
      log,
    };
    const config = playerConfig(flags, { version: readVersion(), notice: problem, launcher });
    const end = await runPlayer(config, environment, signal);
    lock.lockAgain();
    if (end === "display-failed" && supervise !== null) throw new Fault("browser-failed", displayFailed);
  }
}

/** The server of the stored pairing; null without one. */
async function pairedServer(folder: string): Promise<string | null> {
  const { Identity } = await import("../../player/pairing/identity.ts");
  return Identity.pairedServer(folder);
}

// With conf, because electron-store needs Electron. Both use the same file.
async function openSettings(folder: string): Promise<SettingsStore> {
  const { default: Conf } = await import("conf");
  // A damaged file must not end the player: the pairing also has the server.
  return new Conf<StoredSettings>({ cwd: folder, configName: "settings", clearInvalidConfig: true });
}

/** True if there is an X or Wayland display. Systems other than Linux always have one. */
export function hasDisplay(): boolean {
  if (process.platform !== "linux") return true;
  return Boolean(process.env["DISPLAY"]) || Boolean(process.env["WAYLAND_DISPLAY"]);
}
