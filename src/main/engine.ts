// Finds what can draw, and on a fresh Debian machine installs it. Says which it took and why.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { findChromium } from "../host/chromium/find.ts";
import { aptLine, installPackages } from "./apt.ts";
import { rootFolder } from "./folders.ts";

/** What draws, where its program is, and why it was taken. */
export interface EngineChoice {
  name: "electron" | "chromium";
  executable: string;
  why: string;
}

/** Chromium and the fonts without which half the world's texts are boxes. */
export const browserPackages = ["chromium", "chromium-sandbox", "fonts-noto-cjk", "fonts-noto-core", "fonts-noto-color-emoji"];

/**
 * Electron's binary, null when it was never fetched. Looked for as a file: importing the package `electron` without
 * it starts a download.
 */
export function findElectron(): string | null {
  const folder = join(rootFolder, "node_modules/electron");
  const pathFile = join(folder, "path.txt");
  if (!existsSync(pathFile)) return null;
  const executable = join(folder, "dist", readFileSync(pathFile, "utf8").trim());
  return existsSync(executable) ? executable : null;
}

/**
 * The engine to draw with: the one asked for, else Electron where its binary is, else the system's Chromium,
 * which is installed when it is missing and that is allowed.
 * @throws Fault `browser-missing` with the one line to run.
 */
export async function chooseEngine(asked: "electron" | "chromium" | undefined, log: Log, signal: AbortSignal): Promise<EngineChoice> {
  const electron = asked === "chromium" ? null : findElectron();
  if (electron !== null) {
    return { name: "electron", executable: electron, why: asked === undefined ? "its binary is here" : "asked for" };
  }
  if (asked === "electron") {
    throw new Fault("browser-missing", "Electron's binary is not here. Fetch it with: npx install-electron");
  }
  const why = asked === undefined ? "Electron's binary is not here" : "asked for";
  const chosen = process.env["SIGNAGE_CHROMIUM"];
  const found = await findChromium(chosen).catch((error: unknown) => {
    if (chosen !== undefined) throw error;
    return null;
  });
  if (found !== null) return { name: "chromium", executable: found, why };
  log.info({ packages: browserPackages }, "no browser is here: installing Debian's chromium and fonts");
  if (!(await installPackages(browserPackages, log, signal))) {
    throw new Fault("browser-missing", `No browser to draw with, and no right to install one. Run: ${aptLine(browserPackages)}`);
  }
  return { name: "chromium", executable: await findChromium(), why: `${why}; just installed` };
}
