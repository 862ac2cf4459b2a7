// Finds what can draw, and on a fresh Debian machine installs it. Says which it took and why.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { findChromium } from "../host/chromium/find-chromium.ts";
import { aptCommand, installPackages } from "./apt.ts";
import { readSandbox, sandboxRemedy, type SandboxState } from "./electron/sandbox.ts";
import { rootFolder } from "./folders.ts";
import { hasDisplay } from "./kiosk.ts";

type EngineName = "electron" | "chromium";

/** What draws, where its program is, and why it was taken. */
export interface EngineChoice {
  name: EngineName;
  executable: string;
  why: string;
}

/** What the flags say of the engine. */
interface EngineFlags {
  engine?: EngineName | undefined;
  headless: boolean;
}

/** All that the choice depends on. */
export interface EngineFacts extends EngineFlags {
  /** Electron's binary; null when it was never fetched. */
  electron: string | null;
  /** Of this process; null on Windows, which has none. */
  uid: number | null;
  hasDisplay: boolean;
  sandbox: SandboxState;
}

/** Chromium and the fonts without which half the world's texts are boxes. */
export const browserPackages = ["chromium", "chromium-sandbox", "fonts-noto-cjk", "fonts-noto-core", "fonts-noto-color-emoji"];

/**
 * Electron's binary, null when it was never fetched. Looked for as a file: importing the package `electron` without
 * it starts a download. `ELECTRON_OVERRIDE_DIST_PATH` names another folder for it, as it does for that package.
 */
export function findElectron(env: NodeJS.ProcessEnv = process.env): string | null {
  const folder = join(rootFolder, "node_modules/electron");
  const pathFile = join(folder, "path.txt");
  const override = env["ELECTRON_OVERRIDE_DIST_PATH"];
  const name = existsSync(pathFile) ? readFileSync(pathFile, "utf8").trim() : null;
  if (name === null && !override) return null;
  const executable = join(override || join(folder, "dist"), name ?? "electron");
  return existsSync(executable) ? executable : null;
}

/**
 * The engine to draw with: the one asked for, else Electron where its binary is and it can run, else the system's
 * Chromium, which is installed when it is missing and that is allowed.
 * @throws Fault `browser-missing` with the one line to run; `bad-config` when Electron was asked for and cannot run.
 */
export async function chooseEngine(flags: EngineFlags, log: Log, signal: AbortSignal): Promise<EngineChoice> {
  const decision = decideEngine(await readFacts(flags));
  if (decision.name === "electron") return decision;
  const { why } = decision;
  const chosen = process.env["SIGNAGE_CHROMIUM"];
  const found = await findChromium(chosen).catch((error: unknown) => {
    if (chosen !== undefined) throw error;
    return null;
  });
  if (found !== null) return { name: "chromium", executable: found, why };
  log.info({ packages: browserPackages, why }, "no browser is here: installing Debian's chromium and fonts");
  if (!(await installPackages(browserPackages, log, signal))) {
    throw new Fault(
      "browser-missing",
      `No browser to draw with (${why}), and no right to install one. Run: ${aptCommand(browserPackages)}`,
    );
  }
  return { name: "chromium", executable: await findChromium(), why: `${why}; just installed` };
}

type Decision = { name: "electron"; executable: string; why: string } | { name: "chromium"; why: string };

/** The engine to take. Pure. @throws Fault `browser-missing` or `bad-config` when Electron was asked for and cannot run. */
export function decideEngine(facts: EngineFacts): Decision {
  const { engine, electron } = facts;
  if (engine === "chromium") return { name: "chromium", why: "asked for" };
  if (electron === null) {
    if (engine === undefined) return { name: "chromium", why: "Electron's binary is not here" };
    throw new Fault("browser-missing", "Electron's binary is not here. Fetch it with: npx install-electron");
  }
  const obstacle = obstacleOf(facts);
  if (obstacle === null) return { name: "electron", executable: electron, why: engine === undefined ? "its binary is here" : "asked for" };
  const { problem, remedy } = obstacle;
  if (engine === undefined) return { name: "chromium", why: `${problem}. To draw with Electron ${remedy}` };
  throw new Fault("bad-config", `--engine electron: ${problem}. Leave the flag away to draw with Chromium, or ${remedy}`);
}

/** Why Electron cannot run here, and what to do about it; null when it can. */
function obstacleOf({ headless, hasDisplay, uid, sandbox }: EngineFacts): { problem: string; remedy: string } | null {
  if (headless) return { problem: "Electron cannot draw without a window", remedy: "leave --headless away" };
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
