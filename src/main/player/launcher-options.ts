// Reads from the environment whether a launcher started the player, and where the two meet.
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { Fault } from "../../base/fault.ts";
import type { LauncherOptions } from "../../player/update/updates.ts";

const gigabyte = 2 ** 30;
// The rest is for the system, the compositor and the launcher.
const memoryShare = 3 / 4;
// More than any content needs. On a large machine a leak would otherwise not be noticed during a probation.
const largestBudgetBytes = 4 * gigabyte;

/** The operator's own trust anchor, which takes precedence, and the package's. */
const rootFiles = ["/etc/signage-player/root.json", "/usr/share/signage-player/root.json"];

/** Facts that the environment does not tell. */
export interface LauncherFacts {
  /** Such as `x64`, as Node names it. */
  architecture: string;
  /** Memory of the machine. */
  memoryBytes: number;
  /** The browser's program; null: the player brings its own. */
  browserExecutable: string | null;
}

/**
 * Null without a launcher. It sets SIGNAGE_LAUNCHER_STATUS (its status.json) and SIGNAGE_UPDATES (the folder for updates), and may set
 * SIGNAGE_RELEASE_ROOT (the trust anchor; without it the operator's or the package's) and SIGNAGE_HEALTH (where the player writes health.json every five seconds). The last should be
 * in memory, as in the RuntimeDirectory of the player's unit: such frequent writes would wear out a memory card.
 * @throws Fault `bad-config`
 */
export function readLauncherOptions(env: NodeJS.ProcessEnv, facts: LauncherFacts): LauncherOptions | null {
  const { SIGNAGE_LAUNCHER_STATUS: statusFile, SIGNAGE_UPDATES: updatesFolder } = env;
  if (!statusFile && !updatesFolder) return null;
  const paths = { SIGNAGE_LAUNCHER_STATUS: statusFile ?? "", SIGNAGE_UPDATES: updatesFolder ?? "" };
  const faults = Object.entries(paths).flatMap(([name, path]) => (isAbsolute(path) ? [] : [`${name}: must be an absolute path`]));
  const optional = { SIGNAGE_RELEASE_ROOT: env["SIGNAGE_RELEASE_ROOT"], SIGNAGE_HEALTH: env["SIGNAGE_HEALTH"] };
  for (const [name, path] of Object.entries(optional)) {
    if (path && !isAbsolute(path)) faults.push(`${name}: must be an absolute path, or not set`);
  }
  if (faults.length > 0) throw new Fault("bad-config", `the launcher's environment is not complete: ${faults.join("; ")}`);
  const { architecture, memoryBytes, browserExecutable } = facts;
  return {
    statusFile: paths.SIGNAGE_LAUNCHER_STATUS,
    updatesFolder: paths.SIGNAGE_UPDATES,
    rootFile: optional.SIGNAGE_RELEASE_ROOT || (rootFiles.find((path) => existsSync(path)) ?? null),
    healthFile: optional.SIGNAGE_HEALTH || null,
    architecture: architecture === "x64" ? "amd64" : architecture === "arm64" ? "arm64" : null,
    browserExecutable,
    memoryBudgetBytes: Math.round(Math.min(memoryShare * memoryBytes, largestBudgetBytes)),
  };
}
