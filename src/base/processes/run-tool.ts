// Runs one of the system's tools with a time limit and without a shell, and resolves with its output.
import { Fault } from "../fault.ts";
import { findProgram, startGroup } from "./process-group.ts";

/** How a run ended. `missing`: the tool is not installed, or this user may not run it. `timeout`: it was killed. */
export type ToolRun = { is: "ended"; code: number; stdout: string; stderr: string } | { is: "missing" } | { is: "timeout" };

export interface RunToolOptions {
  /** Its PATH names where the tools are. */
  env: NodeJS.ProcessEnv;
  /** Default: the folder of this process. */
  cwd?: string;
  signal: AbortSignal;
  /** Default: five seconds. */
  limitMs?: number;
  /** The tool's standard input. */
  input?: string;
}

const defaultLimitMs = 5_000;
// A tool that prints without end must not fill the memory. Its first lines are enough.
const maxOutputChars = 262_144;
// A shell's exit code for a process that a signal ended.
const codeOfSignal = 128;
// The same for a program that could not be executed.
const cannotExecute = 126;

/** Never rejects, except with an AbortError when `signal` aborts; the tool is killed then, with all processes that it started. */
export async function runTool(
  name: string,
  args: readonly string[],
  { env, cwd, signal, limitMs = defaultLimitMs, input }: RunToolOptions,
): Promise<ToolRun> {
  signal.throwIfAborted();
  const program = await findProgram(name, env["PATH"]);
  if (program === null) return { is: "missing" };
  signal.throwIfAborted();
  const { leader, kill } = startGroup(program, args, { env: { ...env, LC_ALL: "C" }, ...(cwd !== undefined && { cwd }) });
  const { promise, resolve, reject } = Promise.withResolvers<ToolRun>();
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    leader[stream].setEncoding("utf8");
    leader[stream].on("data", (text: string) => (output[stream] = (output[stream] + text).slice(0, maxOutputChars)));
  }
  leader.stdin.end(input);
  const stop = (run: ToolRun | null): void => {
    kill();
    // Even if something of the tool survives: nobody waits for its output any more.
    for (const stream of [leader.stdin, leader.stdout, leader.stderr]) stream.destroy();
    if (run === null) reject(signal.reason);
    else resolve(run);
  };
  const timer = setTimeout(() => stop({ is: "timeout" }), limitMs);
  const abort = (): void => stop(null);
  signal.addEventListener("abort", abort, { once: true });
  leader.on("error", ({ message }) => resolve({ is: "ended", code: cannotExecute, stdout: "", stderr: message }));
  leader.on("close", (code) => resolve({ is: "ended", code: code ?? codeOfSignal, ...output }));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** The tool's standard output. @throws Fault `not-applied` with the tool's reason if it failed, is missing or hung. */
export async function runOrFail(name: string, args: readonly string[], options: RunToolOptions): Promise<string> {
  const run = await runTool(name, args, options);
  if (run.is === "ended" && run.code === 0) return run.stdout;
  throw new Fault("not-applied", reasonOfRun(name, run));
}

/** Why a run is not a success, for people: the tool's first line of error. */
export function reasonOfRun(name: string, run: ToolRun): string {
  if (run.is === "missing") return `${name} is not installed`;
  if (run.is === "timeout") return `${name} does not respond`;
  const message = `${run.stderr}\n${run.stdout}`.split("\n").find((line) => line.trim() !== "");
  if (message === undefined) return `${name} ended with ${run.code}`;
  const line = message.trim().slice(0, 300);
  return line.startsWith(`${name}:`) ? line : `${name}: ${line}`;
}
