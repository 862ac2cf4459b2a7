// Finds the Chromium to run. Looks at files only; starts nothing.
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { Fault } from "../../base/fault.ts";

// The programs themselves, not the wrappers in /usr/bin, which add flags of their own and export API keys.
const knownPlaces = [
  "/usr/lib/chromium/chromium", // Debian, and Raspberry Pi OS since 13
  "/usr/lib/chromium-browser/chromium-browser", // Raspberry Pi OS 12
  "/opt/google/chrome/chrome", // Google Chrome, stable
  "/usr/lib64/chromium-browser/chromium-browser", // Fedora
];

/**
 * The path of the Chromium to run: `chosen` (the operator's word, such as SIGNAGE_CHROMIUM) if given, else the first
 * of the known places.
 * @throws Fault `browser-missing` naming where was looked and what to install.
 */
export async function findChromium(chosen?: string): Promise<string> {
  const places = chosen === undefined || chosen === "" ? knownPlaces : [chosen];
  for (const place of places) {
    if (await isExecutable(place)) return place;
  }
  throw new Fault("browser-missing", `no Chromium at ${places.join(", ")}; install it: apt-get install chromium`);
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
