// Finds the installed Chromium. Checks files only; starts nothing.
import { constants } from "node:fs";
import { Fault } from "../../base/fault.ts";
import { isAccessible } from "../../base/files/is-accessible.ts";

// The programs themselves, not the wrapper scripts in /usr/bin, which add flags and export API keys.
const knownPaths = [
  "/usr/lib/chromium/chromium", // Debian, and Raspberry Pi OS since 13
  "/usr/lib/chromium-browser/chromium-browser", // Raspberry Pi OS 12
  "/opt/google/chrome/chrome", // Google Chrome, stable
  "/usr/lib64/chromium-browser/chromium-browser", // Fedora
];

/**
 * The path of Chromium: `executable` (set by the operator, such as by SIGNAGE_CHROMIUM) if given, else the first known path.
 * @throws Fault `browser-missing` naming the paths that were tried and the package to install.
 */
export async function findChromium(executable?: string): Promise<string> {
  const paths = executable === undefined || executable === "" ? knownPaths : [executable];
  for (const path of paths) {
    if (await isAccessible(path, constants.X_OK)) return path;
  }
  throw new Fault("browser-missing", `no Chromium at ${paths.join(", ")}; install it: apt-get install chromium`);
}
