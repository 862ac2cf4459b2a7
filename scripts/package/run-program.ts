// Runs the programs that build packages, and reports the build's steps with their times.
import { execFileSync } from "node:child_process";

interface RunOptions {
  cwd?: string;
  /** Added to this process's environment. */
  env?: Record<string, string>;
  input?: string | Uint8Array;
}

const maxOutputBytes = 256 * 1_024 * 1_024;
// The end of a failed program's output, where compilers and packagers say what is wrong.
const errorLength = 4_000;

/** Runs a program to its end. @returns its standard output. @throws Error with the end of its output if it fails. */
export function run(command: string, argv: readonly string[], { cwd, env = {}, input }: RunOptions = {}): string {
  try {
    return execFileSync(command, argv, {
      cwd,
      input,
      encoding: "utf8",
      env: { ...process.env, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      maxBuffer: maxOutputBytes,
    });
  } catch (error) {
    const { stdout = "", stderr = "", code } = error as { stdout?: string; stderr?: string; code?: string };
    if (code === "ENOENT")
      throw new Error(`the program ${command} is not installed: docs/packages.md lists what a build needs`, { cause: error });
    throw new Error(`${command} ${argv.join(" ")} failed:\n${`${stdout}${stderr}`.slice(-errorLength)}`, { cause: error });
  }
}

/** Prints a step's name, runs it, and prints how long it took. */
export async function step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  const from = performance.now();
  process.stdout.write(`${name} …\n`);
  const result = await work();
  process.stdout.write(`${name}: ${((performance.now() - from) / 1_000).toFixed(1)} s\n`);
  return result;
}
