// Configures Electron before it is ready: switches, sandbox, folders, no menu. Synchronous, because Electron does not wait.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { app, Menu } from "electron";
import { makeDataFolder } from "../../base/files/data-folder.ts";
import { isFault } from "../../base/fault.ts";
import { sharedSwitches } from "../chromium/flags.ts";
import { hasGpu } from "../linux/gpu.ts";

/** Configures the app for a player with its data in `dataFolder`, an absolute path. Call it before the first turn of the event loop ends. */
export function prepareApp(dataFolder: string): void {
  const profile = profileFolder(dataFolder);
  app.setPath("userData", profile);
  app.setPath("sessionData", profile);
  app.enableSandbox();
  const { commandLine } = app;
  for (const { name, value } of sharedSwitches(hasGpu())) {
    // Only the last switch of a name counts, and the command line may enable features too.
    const existing = name === "enable-features" ? commandLine.getSwitchValue(name) : "";
    commandLine.appendSwitch(name, existing === "" ? value : `${existing},${value}`);
  }
  // The default menu has keyboard shortcuts for reload, zoom and quit.
  Menu.setApplicationMenu(null);
  // Recovery reopens a window that was closed by a crash, so the program must not end.
  app.on("window-all-closed", () => undefined);
}

/**
 * The folder of the browser's profile, which has to exist. It is in the player's data folder, so that two players never share one; on a
 * disk that cannot be written it is a temporary one, in which web pages lose their logins with the next start.
 */
function profileFolder(dataFolder: string): string {
  const folder = join(dataFolder, "electron");
  try {
    makeDataFolder(folder);
    return folder;
  } catch (error) {
    if (!isFault(error, "folder-unusable")) throw error;
    return mkdtempSync(join(tmpdir(), "signage-electron-"));
  }
}
