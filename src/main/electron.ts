// The player on Electron: reads config, starts the player with an Electron host, stops on signal. Bundled into dist/main.
import { join } from "node:path";
import { app, utilityProcess } from "electron";
import Store from "electron-store";
import { createSystemClock } from "../base/clock.ts";
import { lockFolder } from "../base/folder-lock.ts";
import type { Log } from "../base/log.ts";
import { createElectronHost } from "../host/electron.ts";
import { createLinuxMachine } from "../host/linux.ts";
import { runPlayer } from "../player/player.ts";
import { rendererFolder } from "./folders.ts";
import { readPlayerConfig, type PlayerConfig } from "./player-config.ts";
import { runProgram } from "./program.ts";
import { serverOf, settingsOf } from "./settings.ts";

// A window closed by a crash is opened again by recovery: that must not end the program.
app.on("window-all-closed", () => undefined);
app.enableSandbox();
// Each site in a process of its own, on small machines too, and no scrollbars in pages made for a mouse.
app.commandLine.appendSwitch("site-per-process");
app.commandLine.appendSwitch("hide-scrollbars");

const argv = process.argv.slice(app.isPackaged ? 1 : 2);
await runProgram("player", () => readPlayerConfig(argv), runOnElectron);

async function runOnElectron(config: PlayerConfig, log: Log, signal: AbortSignal): Promise<void> {
  using _lock = lockFolder(config.data);
  await app.whenReady();
  const store = new Store<{ server?: string }>({ cwd: config.data, name: "settings" });
  const given = config.server ?? (store.get("server") === undefined ? await startService(config.data, log, signal) : undefined);
  const openStore = async (): Promise<Store<{ server?: string }>> => store;
  const server = await serverOf(given, openStore);
  const clock = createSystemClock();
  const { ntp, triggers } = config;
  for (;;) {
    await using host = createElectronHost({ clock, log, window: config.window });
    const machine = createLinuxMachine();
    const version = app.getVersion();
    await runPlayer(
      { server, folder: config.data, rendererFolder, version, host, machine, ntp, triggers, settings: settingsOf(openStore), clock, log },
      signal,
    );
  }
}

/** A packaged player that was told no service brings its own, in a process that cannot blacken the screen. */
async function startService(folder: string, log: Log, signal: AbortSignal): Promise<string> {
  const service = utilityProcess.fork(join(import.meta.dirname, "cli.js"), ["serve", "--port", "8080", "--data", join(folder, "service")], {
    serviceName: "signage-service",
    stdio: "inherit",
  });
  signal.addEventListener("abort", () => service.kill(), { once: true });
  service.on("exit", (code) => signal.aborted || log.error({ code }, "the embedded service has ended; what is cached plays on"));
  return "http://127.0.0.1:8080";
}
