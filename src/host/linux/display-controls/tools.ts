// The environment of the display adapters: the session's variables, the root folder, and the system's tools.
import { Fault } from "../../../base/fault.ts";
import { runOrFail, runTool, type ToolRun } from "../../../base/processes/run-tool.ts";

export interface Tools {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that holds `sys` and `dev`. */
  readonly root: string;
  /** Never rejects, except with an AbortError. */
  run(name: string, args: readonly string[], signal: AbortSignal, limitMs?: number): Promise<ToolRun>;
  /** The output of the tool. @throws Fault `not-applied` if it failed. */
  must(name: string, args: readonly string[], signal: AbortSignal, limitMs?: number): Promise<string>;
  /** The output of the tool; null if it failed. */
  ask(name: string, args: readonly string[], signal: AbortSignal, limitMs?: number): Promise<string | null>;
}

export function createTools(env: NodeJS.ProcessEnv, root: string): Tools {
  const options = (signal: AbortSignal, limitMs?: number) => ({ env, signal, ...(limitMs === undefined ? {} : { limitMs }) });
  return {
    env,
    root,
    run: (name, args, signal, limitMs) => runTool(name, args, options(signal, limitMs)),
    must: (name, args, signal, limitMs) => runOrFail(name, args, options(signal, limitMs)),
    async ask(name, args, signal, limitMs) {
      const run = await runTool(name, args, options(signal, limitMs));
      return run.is === "ended" && run.code === 0 ? run.stdout : null;
    },
  };
}

/** The value that all have; null if there is none, or if they differ. */
export function common<T>(values: readonly (T | null)[]): T | null {
  const [first = null] = values;
  return values.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first : null;
}

/** Calls `act` for each, also after one has failed. @throws the first failure. */
export async function forEach<T>(values: readonly T[], act: (value: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  // One after the other: several tools at once disturb each other on one bus.
  for (const each of values) await act(each).catch((error: unknown) => void failures.push(error));
  if (failures.length > 0) throw failures[0];
  if (values.length === 0) throw new Fault("not-applied", "no display is connected");
}
