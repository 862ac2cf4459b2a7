// Runs one of our programs as a child process, reads its log, and never leaves it running.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { unlessAborted } from "../base/async/unless-aborted.ts";
import { Fault } from "../base/fault.ts";

/** One line of a child's JSON log. */
export const LogLine = z.looseObject({ level: z.string(), msg: z.string().default("") });
export type LogLine = z.infer<typeof LogLine>;

const stopLimitMs = 12_000;

/** A running child. Disposing stops it, by force if necessary, and resolves when it has exited. */
export class ChildProgram implements AsyncDisposable {
  readonly #process: ChildProcess;
  #fatalMessage: string | null = null;
  readonly #listeners = new Set<(line: LogLine, raw: string) => void>();
  /** Resolves to a description of how it ended. */
  readonly ended: Promise<string>;

  /** Starts `command` with an IPC channel. When the channel closes, the child knows that this process has ended. */
  constructor(command: string, argv: readonly string[]) {
    this.#process = spawn(command, argv, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    this.ended = once(this.#process, "exit").then(
      ([code, signal]) => (signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`),
      (error: unknown) => String(error),
    );
    createInterface({ input: this.#process.stdout! }).on("line", (raw) => {
      const line = parseLine(raw);
      if (line !== null && line.level === "fatal") this.#fatalMessage = line.msg;
      if (line !== null) for (const listener of this.#listeners) listener(line, raw);
    });
  }

  /** The child's fatal log message; null if there is none. */
  get fatalMessage(): string | null {
    return this.#fatalMessage;
  }

  /** Calls `listener` with each line of the child's log. */
  onLine(listener: (line: LogLine, raw: string) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * The next log line with this message.
   * @throws Fault `refused` with the child's fatal message when it ends first; AbortError when `signal` aborts.
   */
  async waitForLine(message: string, signal: AbortSignal): Promise<LogLine> {
    const logged = new Promise<LogLine>((resolve) => {
      this.onLine((line) => line.msg === message && resolve(line));
    });
    const ended = this.ended.then((how) =>
      Promise.reject(new Fault("refused", this.#fatalMessage ?? `it ended (${how}) before it logged “${message}”`)),
    );
    return unlessAborted(Promise.race([logged, ended]), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill("SIGTERM");
    const forced = setTimeout(() => this.#process.kill("SIGKILL"), stopLimitMs);
    await this.ended;
    clearTimeout(forced);
  }
}

function parseLine(raw: string): LogLine | null {
  if (!raw.startsWith("{")) return null;
  try {
    return LogLine.parse(JSON.parse(raw));
  } catch {
    return null; // not a log line, such as a library's own output
  }
}
