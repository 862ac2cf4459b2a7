// Runs the machine's own commands, such as systemctl and nmcli.
import { runTool } from "../../base/processes/run-tool.ts";

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
    const run = await runTool(command, argv, { env, signal, limitMs });
    if (run.is === "missing") return run;
    if (run.is === "timeout") return { is: "failed", reason: `${command} took too long` };
    if (run.code === 0) return { is: "done", stdout: run.stdout };
    const said = run.stderr.trim().replaceAll("\n", "; ").slice(0, longestReason);
    return { is: "failed", reason: said || `${command} ended with ${run.code}` };
  };
}
