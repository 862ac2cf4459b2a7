// Sets Electron up before it is ready: switches, sandbox, folders, no menu. Synchronous, because Electron does not wait.
import { join } from "node:path";
import { app, Menu } from "electron";
import { sharedSwitches } from "../chromium/flags.ts";
import { hasGpu } from "../linux/gpu.ts";

/** Prepares the app for a player whose data is kept in `dataFolder`. To be called before this turn of the event loop ends. */
export function prepareApp(dataFolder: string): void {
  // The browser's profile lies with the player's own data: two players never share one.
  app.setPath("userData", join(dataFolder, "electron"));
  app.setPath("sessionData", join(dataFolder, "electron"));
  app.enableSandbox();
  const { commandLine } = app;
  for (const { name, value } of sharedSwitches(hasGpu())) {
    // Only the last switch of a name counts, and the command line may have brought features of its own.
    const given = name === "enable-features" ? commandLine.getSwitchValue(name) : "";
    commandLine.appendSwitch(name, given === "" ? value : `${given},${value}`);
  }
  // The default menu brings keys that reload, zoom and quit.
  Menu.setApplicationMenu(null);
  // A window closed by a crash is opened again by recovery: that must not end the program.
  app.on("window-all-closed", () => undefined);
}
