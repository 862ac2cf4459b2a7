// Installs Debian packages if this user is allowed to: as root, or by sudo without a password.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Log } from "../../base/log.ts";
import { hasErrorCode } from "../../base/fault.ts";

/** The command for a person to run. */
export function aptCommand(packages: readonly string[]): string {
  return `sudo apt-get update && sudo apt-get install -y ${packages.join(" ")}`;
}

/**
 * Installs `packages` and logs each step. Resolves to false when this is not Debian or this user is not allowed to install;
 * rejects when apt fails.
 */
export async function installPackages(packages: readonly string[], log: Log, signal: AbortSignal): Promise<boolean> {
  if ((await run(["apt-get", "--version"], null, signal)) !== 0) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && (await run(["sudo", "-n", "true"], null, signal)) !== 0) return false;
  const asRoot = isRoot ? [] : ["sudo", "-n"];
  const steps = [
    ["apt-get", "-q", "update"],
    ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "install", "-y", ...packages],
  ];
  for (const step of steps) {
    const command = [...asRoot, ...step];
    const code = await run(command, (line) => log.info({ from: "apt" }, line), signal);
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: run it yourself to see why`);
  }
  return true;
}

/** The exit code; 127 when the program does not exist. */
async function run(command: readonly string[], onLine: ((line: string) => void) | null, signal: AbortSignal): Promise<number> {
  const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", onLine === null ? "ignore" : "pipe", "inherit"], signal });
  if (onLine !== null) {
    // Only apt's progress and errors.
    createInterface({ input: child.stdout! }).on(
      "line",
      (line) => /^(Get:|Unpacking |Setting up |E:|Err:)/.test(line) && onLine(line.trim()),
    );
  }
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? 1;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 127;
    throw error;
  }
}
