// Replaces this process by the program of the chosen slot, so that systemd watches the program itself.
import { join } from "node:path";
import { Fault } from "../base/fault.ts";
import type { LauncherFolders } from "./launcher-folders.ts";
import { readUnitStart } from "./launcher-parts.ts";
import { checkSlot } from "./slots.ts";

/** A program with its arguments and environment. */
export interface Program {
  file: string;
  args: string[];
  env: Record<string, string>;
}

/** The player as the unit starts it. @param env that of the unit, with the variables of player.env. */
export async function playerProgram(folders: LauncherFolders, env: NodeJS.ProcessEnv): Promise<Program> {
  const flags = (env["SIGNAGE_FLAGS"] ?? "").split(/\s+/).filter((flag) => flag !== "");
  const server = env["SIGNAGE_SERVER"] ?? "";
  const args = ["start", "--engine", "chromium", "--data", folders.player, ...(server === "" ? [] : ["--server", server]), ...flags];
  const launcherEnv = { SIGNAGE_LAUNCHER_STATUS: folders.status, SIGNAGE_UPDATES: folders.updates, SIGNAGE_HEALTH: folders.health };
  return programOf(await runningFolder(folders), args, { ...withoutUndefined(env), ...launcherEnv });
}

/** A command for people, by the program that runs. */
export async function peoplesProgram(folders: LauncherFolders, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Program> {
  return programOf(await runningFolder(folders), args, withoutUndefined(env));
}

function programOf(folder: string, args: readonly string[], env: Record<string, string>): Program {
  const file = join(folder, "bin/node");
  return { file, args: [file, join(folder, "dist/main/cli.js"), ...args], env };
}

async function runningFolder(folders: LauncherFolders): Promise<string> {
  const unitStart = await readUnitStart(folders);
  if (unitStart !== null) return unitStart.folder;
  // Before the first start, such as during the installation.
  const packageSlot = await checkSlot(folders, "package");
  if (packageSlot.is === "startable") return packageSlot.folder;
  throw new Fault("refused", `The package's program cannot be started: ${packageSlot.why}. Run: apt install --reinstall signage-player`);
}

function withoutUndefined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
