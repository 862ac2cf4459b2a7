// A stand-in for Electron's binary: starts an app in the same order as Electron, but with Debian's Chromium.
//
// It implements what Electron 45 documents (electron.d.ts, its documentation) or its source shows: `ready` comes only after the entry has
// been evaluated (electron/electron#40719); the entry's signal handlers are replaced after that (electron_browser_main_parts_posix.cc);
// `process.exit` is `app.exit`, which returns (lib/browser/init.ts, browser.cc); an uncaught error shows a dialog and the app continues;
// root is rejected. Other behaviour of the binary is not reproduced.
import { existsSync, readFileSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const flags = process.argv.slice(2);
const binary = join(import.meta.dirname, "binary/electron");

// Every import of `electron` resolves to the stand-in's module.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "electron"
      ? { url: pathToFileURL(join(import.meta.dirname, "electron.ts")).href, shortCircuit: true }
      : next(specifier, context),
});
Object.defineProperty(process.versions, "electron", { value: "45.4.1" });
process.execPath = binary;

if (flags[0] === "--type=utility") {
  const { startUtility } = await import("./utility.ts");
  await startUtility(flags[1]!, flags.slice(2));
} else if (process.getuid?.() === 0 && !flags.includes("--no-sandbox")) {
  process.stderr.write("Running as root without --no-sandbox is not supported. See https://crbug.com/638180.\n");
  process.exit(1);
} else {
  await startApp();
}

async function startApp(): Promise<void> {
  const given = flags.find((flag) => !flag.startsWith("-"));
  if (given === undefined) throw new Error("the stand-in needs an app: a folder with a package.json, or a file");
  const appPath = resolve(given);
  const isFolder = statSync(appPath).isDirectory();
  const manifest = isFolder ? (JSON.parse(readFileSync(join(appPath, "package.json"), "utf8")) as Record<string, string>) : {};
  const entry = isFolder ? join(appPath, manifest["main"] ?? "index.js") : appPath;
  if (!existsSync(entry)) throw new Error(`there is no ${entry}`);
  process.argv = [binary, ...flags];
  Object.assign(process, { type: "browser", defaultApp: true });

  const { app, runtime } = await import("./app.ts");
  const userData = flags.find((flag) => flag.startsWith("--user-data-dir="))?.slice("--user-data-dir=".length);
  runtime.describe({ appPath, name: manifest["name"] ?? "Electron", version: manifest["version"] ?? "45.4.1", userData });
  runtime.handleUncaughtErrors();
  Object.assign(process, { exit: app.exit.bind(app) });
  // Like Electron's message loop, keeps the process running.
  setInterval(() => undefined, 1 << 30);

  try {
    await import(pathToFileURL(entry).href);
  } catch (error) {
    // lib/browser/init.ts: a failed entry is an uncaught exception, and the browser starts nevertheless.
    process.emit("uncaughtException", error as Error);
  }
  await runtime.becomeReady();
}
