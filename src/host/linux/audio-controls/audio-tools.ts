// Starts the tools of the sound adapters, and reads percentages.
import { Fault } from "../../../base/fault.ts";
import type { AudioControls, AudioOutput, Control } from "../../../player/machine-controls.ts";
import { runOrFail, runTool, type ToolRun } from "../../../base/processes/run-tool.ts";

/** Starts one tool with these arguments. */
export class SoundTool {
  readonly name: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(name: string, env: NodeJS.ProcessEnv) {
    this.name = name;
    this.#env = env;
  }

  /** @throws Fault `not-applied` with the tool's reason if it fails. */
  run(args: readonly string[], signal: AbortSignal): Promise<string> {
    return runOrFail(this.name, args, { env: this.#env, signal });
  }

  /** The output of the tool; null if it failed. */
  async ask(args: readonly string[], signal: AbortSignal): Promise<string | null> {
    const run: ToolRun = await runTool(this.name, args, { env: this.#env, signal });
    return run.is === "ended" && run.code === 0 ? run.stdout : null;
  }
}

/** A control whose values are set and read by `tool`. */
export function toolControl<T>(tool: SoundTool, { set, read }: Omit<Control<T>, "by">): Control<T> {
  return { by: tool.name, set, read };
}

/** @throws Fault `unsupported` naming the outputs. */
export function unknownOutput(name: string, outputs: readonly AudioOutput[]): Fault {
  const names = outputs.map((output) => output.name).join(", ");
  return new Fault("unsupported", `there is no sound output ${name}; ${names === "" ? "there is none" : `the outputs are: ${names}`}`);
}

/** The number at the start of a text of a tool; null if there is none. */
export function numberIn(text: string | undefined): number | null {
  const number = Number.parseFloat(text ?? "");
  return Number.isFinite(number) ? number : null;
}

export const noSound: AudioControls = { volume: null, muted: null, output: null, outputs: [] };
