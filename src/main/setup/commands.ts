// Runs the machine's own commands, such as systemctl and nmcli.
import { spawn } from "node:child_process";
import { hasErrorCode } from "../../base/fault.ts";

/** How a command ended. `missing`: it is not installed. */
export type CommandResult = { is: "done"; stdout: string } | { is: "failed"; reason: string } | { is: "missing" };

/** Runs a command that is looked up on PATH. Never rejects, except with an AbortError. */
export type RunCommand = (command: string, argv: readonly string[]) => Promise<CommandResult>;

// nmcli waits this long for a Wi-Fi network; systemctl restart for a player that stops slowly.
const limitMs = 60_000;
const longestReason = 500;

/** @param env its PATH names where the commands are. */
export function createRunCommand(env: NodeJS.ProcessEnv, signal: AbortSignal): RunCommand {
  return async (command, argv) => {
    const child = spawn(command, argv, { env: { ...env, LC_ALL: "C" }, stdio: ["ignore", "pipe", "pipe"], timeout: limitMs, signal });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", resolve);
      });
      if (code === 0) return { is: "done", stdout: Buffer.concat(stdout).toString() };
      const said = Buffer.concat(stderr).toString().trim().slice(0, longestReason);
      return { is: "failed", reason: said || (code === null ? `${command} took too long` : `${command} ended with ${code}`) };
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return { is: "missing" };
      throw error;
    }
  };
}
