// Installs Debian packages if this user is allowed to: as root, or by sudo without a password.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Log } from "../../base/log.ts";
import { hasErrorCode } from "../../base/fault.ts";

// apt gives the reasons of a failure at the end.
const shownLines = 20;

/** The command for a person to run. */
export function aptCommand(packages: readonly string[]): string {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(" ")}`;
}

/**
 * Installs `packages` and logs a line for each step. Resolves to false when this is not Debian or this user is not allowed to install;
 * rejects with the end of its output when apt fails.
 */
export async function installPackages(packages: readonly string[], log: Log, signal: AbortSignal): Promise<boolean> {
  if ((await run(["apt-get", "--version"], null, signal)) !== 0) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && (await run(["sudo", "-n", "true"], null, signal)) !== 0) return false;
  const asRoot = isRoot ? [] : ["sudo", "-n"];
  const steps = [
    { title: "apt-get update", command: ["apt-get", "-q", "update"] },
    {
      title: "apt-get install",
      // Debian's Chromium recommends the configuration of printers and a terminal, among two hundred other packages.
      command: ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "install", "-y", "--no-install-recommends", ...packages],
    },
  ];
  for (const { title, command } of steps) {
    log.info({ from: "apt" }, title);
    const all = [...asRoot, ...command];
    const lines: string[] = [];
    const code = await run(all, (line) => lines.push(line), signal);
    if (code !== 0) throw new Error(`${all.join(" ")} ended with ${code}:\n${lines.slice(-shownLines).join("\n")}`);
  }
  return true;
}

/** The exit code; 127 when the program does not exist. */
async function run(command: readonly string[], onLine: ((line: string) => void) | null, signal: AbortSignal): Promise<number> {
  const output = onLine === null ? "ignore" : "pipe";
  const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", output, output], signal });
  if (onLine !== null) for (const input of [child.stdout!, child.stderr!]) createInterface({ input }).on("line", onLine);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return code ?? 1;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return 127;
    throw error;
  }
}
