// The stand-in's `utilityProcess`: a Node process with a parent port that ends with the app.
import { fork, type ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { constants } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ForkOptions, ParentPort, UtilityProcess } from "electron";
import { app, runtime } from "./app.ts";
import { demandCloneable, demandFork } from "./preconditions.ts";
import { record } from "./record.ts";

const node = join(import.meta.dirname, "../../../node_modules/.bin/node");

class StandInUtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;
  pid: number | undefined;

  constructor(modulePath: string, args: readonly string[], options: ForkOptions) {
    super();
    demandFork(modulePath, args, { ...options });
    const { serviceName = "Node Utility Process", stdio = "inherit" } = options;
    if (stdio !== "inherit") throw new Error("the stand-in knows stdio: inherit only");
    this.#child = fork(join(import.meta.dirname, "boot.ts"), ["--type=utility", modulePath, ...args], {
      execPath: node,
      execArgv: [],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const { pid } = this.#child;
    this.#child.once("spawn", () => {
      this.pid = pid;
      runtime.utilities.set(pid!, serviceName);
      record({ call: "utilityProcess.spawn", pid, serviceName, args });
      this.emit("spawn");
    });
    this.#child.on("message", (message) => this.emit("message", message));
    this.#child.once("exit", (code, signal) => {
      runtime.utilities.delete(pid!);
      this.pid = undefined;
      const exitCode = code ?? (signal === null ? 1 : constants.signals[signal]);
      const reason = code === 0 ? "clean-exit" : code === null ? "killed" : "abnormal-exit";
      this.emit("exit", exitCode);
      if (code !== 0) app.emitProcessGone({ type: "Utility", reason, exitCode, serviceName: "node.mojom.NodeService", name: serviceName });
    });
  }

  postMessage(message: unknown): void {
    demandCloneable(message);
    // A message to an ended process is dropped.
    if (this.#child.connected) this.#child.send(message as object);
  }

  kill(): boolean {
    return this.#child.kill("SIGTERM");
  }
}

export const utilityProcess = {
  fork: (modulePath: string, args: string[] = [], options: ForkOptions = {}) => {
    if (!app.isReady()) throw new Error("utilityProcess cannot be created before app is ready.");
    return new StandInUtilityProcess(modulePath, args, options);
  },
};
type Part = Pick<UtilityProcess, "postMessage" | "kill" | "pid">;
utilityProcess.fork satisfies (modulePath: string, args?: string[], options?: ForkOptions) => Part;

/** Makes this process a utility process and runs its module. */
export async function startUtility(modulePath: string, args: readonly string[]): Promise<void> {
  const send = process.send!.bind(process);
  const exit = process.exit.bind(process);
  const port = Object.assign(new EventEmitter(), {
    postMessage: (message: unknown) => {
      demandCloneable(message);
      send(message);
    },
  });
  port satisfies Pick<ParentPort, "postMessage">;
  // Like Electron's port, keeps messages that arrive before there is a listener.
  port.once("newListener", () => process.nextTick(() => process.on("message", (data) => port.emit("message", { data, ports: [] }))));
  // Helpers end with the browser, however it ends.
  process.on("disconnect", () => exit(1));
  Object.assign(process, { type: "utility", parentPort: port });
  delete process.send;
  process.argv = [process.execPath, modulePath, ...args];
  await import(pathToFileURL(modulePath).href);
}
