// One program of the cluster: it can be killed, paused and started again at the same port with its data. Its output goes to a file.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { rootFolder } from "../../../src/main/folders.ts";
import { signalIfThere } from "../../../test/support/programs/signal-if-there.ts";
import { descendantsOf } from "./process-tree.ts";

/** How a program is started, and how one sees that it works. */
export interface EngineSpec {
  name: string;
  command: readonly string[];
  /** The working directory; default: this repository. */
  cwd?: string;
  /** The signal that asks it to end properly. */
  stopSignal: NodeJS.Signals;
  /** Resolves to whether it does its work now. */
  isReady: () => Promise<boolean>;
  /** Set: it runs as this user and group. */
  uid?: number;
  /** Set: it runs in this network namespace. */
  namespace?: string;
}

const readyLimitMs = 60_000;
const endLimitMs = 60_000;
const checkMs = 50;

export class Engine implements AsyncDisposable {
  readonly name: string;
  readonly #spec: EngineSpec;
  readonly #logFile: string;
  #child: ChildProcess | null = null;
  #isPaused = false;

  /** @param logs the folder of its output. */
  constructor(spec: EngineSpec, logs: string) {
    this.name = spec.name;
    this.#spec = spec;
    this.#logFile = join(logs, `${spec.name}.log`);
  }

  /** @throws Error when it does not run. */
  get pid(): number {
    if (this.#child === null) throw new Error(`${this.name} does not run`);
    return this.#child.pid!;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it and waits until it is ready. @throws Error when it ends, or is not ready in time. */
  async start(): Promise<void> {
    this.launch();
    const end = performance.now() + readyLimitMs;
    while (!(await this.#spec.isReady())) {
      if (!this.isRunning) throw new Error(`${this.name} ended: see ${this.#logFile}`);
      if (performance.now() > end) throw new Error(`${this.name} is not ready after ${readyLimitMs} ms: see ${this.#logFile}`);
      await pause(checkMs);
    }
  }

  /** Starts it without waiting. */
  launch(): void {
    if (this.isRunning) throw new Error(`${this.name} runs already`);
    const { command, cwd = rootFolder, uid, namespace } = this.#spec;
    // Ends with this program, even if that is killed.
    const mortal = ["setpriv", "--pdeathsig", "KILL", ...(uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"])];
    const inside = namespace === undefined ? [] : ["ip", "netns", "exec", namespace];
    const [program, ...argv] = [...inside, ...mortal, ...command];
    const output = openSync(this.#logFile, "a");
    // A process group of its own: Ctrl+C reaches only the test, which then ends everything in order.
    this.#child = spawn(program!, argv, { cwd, stdio: ["ignore", output, output], detached: true });
    closeSync(output);
    // A program that cannot be started is reported by `start`.
    this.#child.on("error", () => undefined);
    this.#isPaused = false;
  }

  /** Ends it and its children as a power cut would, and waits until all are gone. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const pids = descendantsOf(this.pid);
    const exited = once(this.#child!, "exit");
    for (const pid of pids) signalIfThere(pid, "SIGKILL");
    await exited;
    for (const end = performance.now() + endLimitMs; pids.some(isThere); await pause(checkMs)) {
      if (performance.now() > end) throw new Error(`a process of ${this.name} does not end`);
    }
  }

  /** Stops it and its children by SIGSTOP, as when a machine hangs. */
  pause(): void {
    for (const pid of descendantsOf(this.pid)) signalIfThere(pid, "SIGSTOP");
    this.#isPaused = true;
  }

  /** Lets a paused program go on. */
  resume(): void {
    if (!this.#isPaused || !this.isRunning) return;
    for (const pid of descendantsOf(this.pid)) signalIfThere(pid, "SIGCONT");
    this.#isPaused = false;
  }

  /** Asks it to end, and waits for that. @throws Error when it does not. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child!, "exit");
    signalIfThere(this.pid, this.#spec.stopSignal);
    const ended = await Promise.race([exited.then(() => true), pause(endLimitMs, false, { ref: false })]);
    if (!ended) throw new Error(`${this.name} does not end within ${endLimitMs} ms after ${this.#spec.stopSignal}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

function isThere(pid: number): boolean {
  return descendantsOf(pid).length > 0;
}
