// How a program learns under Electron that it is to stop, and how its process ends there.
import { app } from "electron";
import type { Lifecycle } from "../program.ts";

/**
 * Electron's own way to stop. Once an app's code has run, Electron installs its own handlers of SIGINT, SIGTERM and SIGHUP over ours; they
 * ask the app to quit (electron_browser_main_parts_posix.cc), and so does the end of a desktop session. A second signal of the same kind
 * ends the process at once. `exit` returns before the process is gone.
 */
export const electronLifecycle: Lifecycle = {
  onStop: (stop) => {
    // Electron would close the windows now and end with 0, whatever is still to be written.
    app.on("before-quit", (event) => {
      event.preventDefault();
      stop("quit");
    });
    process.on("disconnect", () => stop("disconnect"));
  },
  exit: (code) => app.exit(code),
};
