// Selects the browser engine, installs Chromium on Debian if there is none, and explains the choice.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Fault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { findChromium } from "../../host/chromium/find-chromium.ts";
import { aptCommand, installPackages } from "./apt.ts";
import { readSandbox, sandboxRemedy, type SandboxState } from "../electron/sandbox.ts";
import { rootFolder } from "../folders.ts";
import { hasDisplay } from "./kiosk.ts";

type EngineName = "electron" | "chromium";

/** The selected engine, its executable, and the reason for the choice. */
export interface EngineChoice {
  name: EngineName;
  executable: string;
  why: string;
}

/** The flags that affect the choice. */
interface EngineFlags {
  engine?: EngineName | undefined;
  headless: boolean;
}

/** Everything the choice depends on. */
export interface EngineFacts extends EngineFlags {
  /** Electron's binary; null when it was not downloaded. */
  electron: string | null;
  /** User id of this process; null on Windows. */
  uid: number | null;
  hasDisplay: boolean;
  sandbox: SandboxState;
}

/** Chromium, its recommended packages that the player needs (sandbox, drivers of the GPU), and fonts for web pages that bring none. */
export const browserPackages = [
  "chromium",
  "chromium-sandbox",
  "libgl1-mesa-dri",
  "fonts-liberation",
  "fonts-noto-cjk",
  "fonts-noto-core",
  "fonts-noto-color-emoji",
];

/**
 * Electron's binary; null when it was not downloaded. Only checks for the file, because importing the package `electron`
 * starts a download. `ELECTRON_OVERRIDE_DIST_PATH` sets another folder, as it does for that package.
 */
export function findElectron(env: NodeJS.ProcessEnv = process.env): string | null {
  const folder = join(rootFolder, "node_modules/electron");
  const pathFile = join(folder, "path.txt");
  const override = env["ELECTRON_OVERRIDE_DIST_PATH"];
  const name = existsSync(pathFile) ? readFileSync(pathFile, "utf8").trim() : null;
  if (name === null && !override) return null;
  const executable = resolve(override || join(folder, "dist"), name ?? "electron");
  return existsSync(executable) ? executable : null;
}

/**
 * Selects the engine: the one given by flag, else Electron if it is installed and can run, else the system's Chromium, which is
 * installed if it is missing and this user is allowed to.
 * @throws Fault `browser-missing` with the command to run; `bad-config` when Electron was requested and cannot run.
 */
export async function chooseEngine(flags: EngineFlags, log: Log, signal: AbortSignal): Promise<EngineChoice> {
  const decision = decideEngine(await readFacts(flags));
  if (decision.name === "electron") return decision;
  const { why } = decision;
  const given = process.env["SIGNAGE_CHROMIUM"];
  // The browser starts in another folder.
  const chosen = given ? resolve(given) : undefined;
  const found = await findChromium(chosen).catch((error: unknown) => {
    if (chosen !== undefined) throw error;
    return null;
  });
  if (found !== null) return { name: "chromium", executable: found, why };
  log.info({ packages: browserPackages, why }, "no browser is installed; installing Debian's chromium and fonts");
  if (!(await installPackages(browserPackages, log, signal))) {
    throw new Fault(
      "browser-missing",
      `No browser is installed (${why}), and this user may not install one. Run: ${aptCommand(browserPackages)}`,
    );
  }
  return { name: "chromium", executable: await findChromium(), why: `${why}; just installed` };
}

type Decision = { name: "electron"; executable: string; why: string } | { name: "chromium"; why: string };

/** Decides which engine to use. Pure. @throws Fault `browser-missing` or `bad-config` when Electron was requested and cannot run. */
export function decideEngine(facts: EngineFacts): Decision {
  const { engine, electron } = facts;
  if (engine === "chromium") return { name: "chromium", why: "requested" };
  if (electron === null) {
    if (engine === undefined) return { name: "chromium", why: "Electron's binary is not installed" };
    throw new Fault("browser-missing", "Electron's binary is not installed. Download it with: npx install-electron");
  }
  const obstacle = obstacleOf(facts);
  if (obstacle === null)
    return { name: "electron", executable: electron, why: engine === undefined ? "its binary is installed" : "requested" };
  const { problem, remedy } = obstacle;
  if (engine === undefined) return { name: "chromium", why: `${problem}. To use Electron, ${remedy}` };
  throw new Fault("bad-config", `--engine electron: ${problem}. Omit the flag to use Chromium, or ${remedy}`);
}

/** Why Electron cannot run here and how to change that; null when it can run. */
function obstacleOf({ headless, hasDisplay, uid, sandbox }: EngineFacts): { problem: string; remedy: string } | null {
  if (headless) return { problem: "Electron cannot render without a window", remedy: "omit --headless" };
  if (!hasDisplay) return { problem: "Electron needs a display, and there is none", remedy: "set DISPLAY or WAYLAND_DISPLAY" };
  if (uid === 0) return { problem: "Electron's sandbox refuses root", remedy: "run the player as another user" };
  if (sandbox.is === "usable") return null;
  const helper = sandbox.helperIs === "missing" ? "is missing" : "is not owned by root with mode 4755";
  const problem = `Electron's sandbox cannot work here: ${sandbox.setting} is ${sandbox.value}, and ${sandbox.helper} ${helper}`;
  return { problem, remedy: sandboxRemedy(sandbox) };
}

async function readFacts({ engine, headless }: EngineFlags): Promise<EngineFacts> {
  const electron = findElectron();
  return {
    engine,
    headless,
    electron,
    uid: process.getuid?.() ?? null,
    hasDisplay: hasDisplay(),
    sandbox: electron === null || process.platform !== "linux" ? { is: "usable" } : await readSandbox("/proc", electron),
  };
}
