// How a program is stopped under Electron, and how its process exits.
import { app } from "electron";
import type { Lifecycle } from "../program.ts";

/**
 * After the app's code has run, Electron replaces its handlers of SIGINT, SIGTERM and SIGHUP by its own, which make the app quit
 * (electron_browser_main_parts_posix.cc), as does the end of a desktop session. A second signal of the same kind ends the process
 * immediately. `exit` returns before the process has ended.
 */
export const electronLifecycle: Lifecycle = {
  onStop: (stop) => {
    // Otherwise Electron would close the windows and exit with 0 before pending data is written.
    app.on("before-quit", (event) => {
      event.preventDefault();
      stop("quit");
    });
    process.on("disconnect", () => stop("disconnect"));
  },
  exit: (code) => app.exit(code),
};
