// Installs Debian packages where this user may: as root, or by sudo without a password.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Log } from "../base/log.ts";

/** What a person would type. */
export function aptCommand(packages: readonly string[]): string {
  return `sudo apt-get update && sudo apt-get install -y ${packages.join(" ")}`;
}

/**
 * Installs `packages` and tells each step. Resolves to false when this is no Debian or this user may not;
 * rejects when apt itself fails.
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
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: run it by hand to see why`);
  }
  return true;
}

/** The exit code; 127 when there is no such program. */
async function run(command: readonly string[], tell: ((line: string) => void) | null, signal: AbortSignal): Promise<number> {
  const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", tell === null ? "ignore" : "pipe", "inherit"], signal });
  if (tell !== null) {
    // Of apt's hundred lines only those that show how far it is.
    createInterface({ input: child.stdout! }).on(
      "line",
      (line) => /^(Get:|Unpacking |Setting up |E:|Err:)/.test(line) && tell(line.trim()),
    );
  }
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? 1;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 127;
    throw error;
  }
}
