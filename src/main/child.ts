// A program of ours in a process of its own: its log lines are heard, and it never outlives us.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { Fault } from "../base/fault.ts";

/** One line of a child's log: pino JSON. */
export const LogLine = z.looseObject({ level: z.string(), msg: z.string().default("") });
export type LogLine = z.infer<typeof LogLine>;

const stopLimitMs = 12_000;

/** A running child. Disposing asks it to stop, then insists, and resolves when it is gone. */
export class ChildProgram implements AsyncDisposable {
  readonly #process: ChildProcess;
  #lastWords: string | null = null;
  readonly #listeners = new Set<(line: LogLine, raw: string) => void>();
  /** Resolves to how it ended, in words. */
  readonly ended: Promise<string>;

  /** Starts `command`. It holds a channel to us, by whose end it learns that we are gone however we died. */
  constructor(command: string, argv: readonly string[]) {
    this.#process = spawn(command, argv, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    this.ended = once(this.#process, "exit").then(
      ([code, signal]) => (signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`),
      (error: unknown) => String(error),
    );
    createInterface({ input: this.#process.stdout! }).on("line", (raw) => {
      const line = parseLine(raw);
      if (line !== null && line.level === "fatal") this.#lastWords = line.msg;
      if (line !== null) for (const listener of this.#listeners) listener(line, raw);
    });
  }

  /** Why it ended, in its own words; null while it said nothing. */
  get fatalMessage(): string | null {
    return this.#lastWords;
  }

  /** Hears each line of the child's log. */
  onLine(listener: (line: LogLine, raw: string) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * The first line, from now on, with this message.
   * @throws Fault `refused` with the child's own last complaint when it ends before; AbortError when `signal` aborts.
   */
  async waitForLine(message: string, signal: AbortSignal): Promise<LogLine> {
    const heard = new Promise<LogLine>((resolve, reject) => {
      this.onLine((line) => line.msg === message && resolve(line));
      signal.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")), { once: true });
    });
    const died = this.ended.then((how) =>
      Promise.reject(new Fault("refused", this.#lastWords ?? `it ended (${how}) before it said “${message}”`)),
    );
    return Promise.race([heard, died]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGTERM");
    const insist = setTimeout(() => this.#process.kill("SIGKILL"), stopLimitMs);
    await this.ended;
    clearTimeout(insist);
  }
}

function parseLine(raw: string): LogLine | null {
  if (!raw.startsWith("{")) return null;
  try {
    return LogLine.parse(JSON.parse(raw));
  } catch {
    return null; // a line that is no log line, such as a library's own print: nothing waits for it
  }
}
