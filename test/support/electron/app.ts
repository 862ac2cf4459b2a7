// The stand-in's `app`: how Electron starts, becomes ready, quits and exits.
import { EventEmitter } from "node:events";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { App, CommandLine, Details, ProcessMetric } from "electron";
import { metricsOf } from "./metrics.ts";
import { demandPath, demandSwitch, demandText, demandWhole } from "./preconditions.ts";
import { record } from "./record.ts";

/** An event whose default action listeners can prevent. */
export class PreventableEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

/** The parts of a window that the app's shutdown uses. */
export interface OwnedWindow {
  close(): void;
  destroy(): void;
  /** Resolves when the window's browser process has ended. */
  readonly gone: Promise<void>;
  /** The window's browser process; 0 before it starts. */
  readonly browserPid: number;
}

const handledSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const exitProcess = process.exit.bind(process);

type Phase = "evaluating" | "ready" | "exiting";

/** The stand-in's state: the phase, the windows, the helper processes. */
class Runtime {
  phase: Phase = "evaluating";
  readonly ready = Promise.withResolvers<void>();
  readonly windows = new Set<OwnedWindow>();
  readonly utilities = new Map<number, string>();
  /** The switches when Electron became ready; later ones have no effect. */
  switches: ReadonlyMap<string, string> = new Map();
  about = { appPath: "", name: "Electron", version: "0", userData: undefined as string | undefined };
  isQuitting = false;
  readonly leaving = new Set<Promise<void>>();

  describe(about: { appPath: string; name: string; version: string; userData: string | undefined }): void {
    this.about = about;
  }

  /** Without a handler of the app, Electron shows a dialog for uncaught errors and continues; unhandled rejections only cause a warning. */
  handleUncaughtErrors(): void {
    process.on("uncaughtException", (error) => {
      if (process.listenerCount("uncaughtException") > 1) return;
      record({ call: "dialog.showErrorBox", message: String(error) });
      process.stderr.write(`A JavaScript error occurred in the main process: ${error.stack}\n`);
    });
    process.on("unhandledRejection", (reason) => {
      if (process.listenerCount("unhandledRejection") > 1) return;
      record({ call: "unhandledRejection", message: String(reason) });
      process.stderr.write(`UnhandledPromiseRejectionWarning: ${String(reason)}\n`);
    });
  }

  /** Does what Electron does once the entry has been evaluated. */
  async becomeReady(): Promise<void> {
    if (this.phase === "exiting") return;
    this.#takeSignals();
    app.emit("will-finish-launching");
    if (!("DISPLAY" in process.env) && !("WAYLAND_DISPLAY" in process.env)) {
      process.stderr.write("Missing X server or $DISPLAY\nThe platform failed to initialize.  Exiting.\n");
      exitProcess(1);
    }
    const { openDisplay } = await import("./screen.ts");
    await openDisplay();
    mkdirSync(app.getPath("userData"), { recursive: true });
    this.switches = new Map(app.switches);
    record({ call: "ready", switches: Object.fromEntries(this.switches) });
    this.phase = "ready";
    this.ready.resolve();
    app.emit("ready", new PreventableEvent(), {});
  }

  /**
   * Replaces the app's signal handlers by Electron's. Existing listeners are never called again, nor are later ones of the same signal. A
   * signal without a listener can still get one later. Electron's handler only handles the first signal.
   */
  #takeSignals(): void {
    for (const signal of handledSignals) {
      const isDead = process.listenerCount(signal) > 0;
      process.removeAllListeners(signal);
      const quitOnce = (): void => {
        process.removeListener(signal, quitOnce);
        app.quit();
      };
      process.on(signal, quitOnce);
      process.on("newListener", (name, listener: () => void) => {
        if (name !== signal || listener === quitOnce) return;
        queueMicrotask(() => process.removeListener(signal, isDead ? listener : quitOnce));
      });
    }
  }

  /** Browser::OnWindowAllClosed. */
  onWindowGone(window: OwnedWindow): void {
    this.windows.delete(window);
    const leaving = window.gone.finally(() => this.leaving.delete(leaving));
    this.leaving.add(leaving);
    if (this.windows.size > 0) return;
    if (this.phase === "exiting") void this.shutDown();
    else if (this.isQuitting) this.notifyAndShutDown();
    else if (!app.emit("window-all-closed")) app.quit();
  }

  notifyAndShutDown(): void {
    const event = new PreventableEvent();
    app.emit("will-quit", event);
    if (event.defaultPrevented) this.isQuitting = false;
    else void this.shutDown();
  }

  /** Ends the process after the browser's processes have ended. */
  async shutDown(): Promise<void> {
    this.phase = "exiting";
    app.emit("quit", new PreventableEvent(), app.exitCode);
    record({ call: "quit", code: app.exitCode });
    await Promise.all(this.leaving);
    exitProcess(app.exitCode);
  }
}

export const runtime = new Runtime();

class StandInApp extends EventEmitter {
  readonly isPackaged = false;
  readonly switches = new Map<string, string>();
  readonly #paths = new Map<string, string>();
  exitCode = 0;

  readonly commandLine = {
    appendSwitch: (name, value) => {
      demandSwitch(name, value, this.isReady());
      this.switches.set(name, value ?? "");
    },
    appendArgument: () => undefined,
    hasSwitch: (name) => this.switches.has(name),
    getSwitchValue: (name) => {
      demandText(name);
      return this.switches.get(name) ?? "";
    },
    removeSwitch: (name) => void this.switches.delete(name),
  } satisfies CommandLine;

  isReady(): boolean {
    return runtime.phase !== "evaluating";
  }

  whenReady(): Promise<void> {
    return runtime.ready.promise;
  }

  enableSandbox(): void {
    if (this.isReady()) throw new Error("app.enableSandbox() can only be called before app is ready");
    record({ call: "app.enableSandbox" });
  }

  setPath(name: string, path: string): void {
    demandPath(name, path, this.isReady());
    this.#paths.set(name, path);
    record({ call: "app.setPath", name, path, ready: this.isReady() });
  }

  getPath(name: string): string {
    const set = this.#paths.get(name);
    if (set !== undefined) return set;
    if (name === "sessionData") return this.getPath("userData");
    if (name !== "userData") throw new Error(`Failed to get '${name}' path`);
    return runtime.about.userData ?? join(process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), this.getName());
  }

  getAppPath(): string {
    return runtime.about.appPath;
  }

  getName(): string {
    return runtime.about.name;
  }

  getVersion(): string {
    return runtime.about.version;
  }

  /** Browser::Quit. */
  quit(): void {
    if (runtime.isQuitting || runtime.phase === "exiting") return;
    const event = new PreventableEvent();
    this.emit("before-quit", event);
    record({ call: "before-quit", prevented: event.defaultPrevented });
    runtime.isQuitting = !event.defaultPrevented;
    if (!runtime.isQuitting) return;
    if (runtime.windows.size === 0) runtime.notifyAndShutDown();
    else for (const window of runtime.windows) window.close();
  }

  /** Browser::Exit: ends the process before the message loop runs; later it returns, and the process ends shortly after. */
  exit(code = 0): void {
    demandWhole(code);
    record({ call: "app.exit", code });
    this.exitCode = code;
    if (runtime.phase === "evaluating") exitProcess(code);
    runtime.phase = "exiting";
    if (runtime.windows.size === 0) void runtime.shutDown();
    else for (const window of runtime.windows) window.destroy();
  }

  getAppMetrics(): ProcessMetric[] {
    const browsers = [...runtime.windows].map(({ browserPid }) => browserPid).filter((pid) => pid > 0);
    return metricsOf(process.pid, browsers, runtime.utilities);
  }

  /** Reports an ended helper process to the app. */
  emitProcessGone(details: Details): void {
    this.emit("child-process-gone", new PreventableEvent(), details);
  }
}

type StandsInFor = Pick<
  App,
  | "isPackaged"
  | "commandLine"
  | "isReady"
  | "whenReady"
  | "enableSandbox"
  | "setPath"
  | "getAppPath"
  | "getName"
  | "getVersion"
  | "quit"
  | "exit"
  | "getAppMetrics"
>;

export const app = new StandInApp();
app satisfies StandsInFor;
