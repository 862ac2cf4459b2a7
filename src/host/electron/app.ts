// Configures Electron before it is ready: switches, sandbox, folders, no menu. Synchronous, because Electron does not wait.
import { join } from "node:path";
import { app, Menu } from "electron";
import { sharedSwitches } from "../chromium/flags.ts";
import { hasGpu } from "../linux/gpu.ts";

/** Configures the app for a player with its data in `dataFolder`. Call it before the first turn of the event loop ends. */
export function prepareApp(dataFolder: string): void {
  // The browser's profile is kept in the player's data folder, so that two players never share one.
  app.setPath("userData", join(dataFolder, "electron"));
  app.setPath("sessionData", join(dataFolder, "electron"));
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
