// The Chromium of a window of the stand-in: started with the app's switches, controlled over its pipe, ended with the window.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { ProxyConfig } from "electron";
import { createSystemClock } from "../../../src/base/clock.ts";
import { findChromium } from "../../../src/host/chromium/find-chromium.ts";
import { DevToolsPipe, type DevToolsSession } from "../../../src/host/chromium/pipe.ts";
import { releaseProfile } from "../../../src/host/chromium/process.ts";
import { keepOnlyFirstPage } from "../../../src/host/chromium/targets.ts";
import { KioskWindow } from "../../../src/host/chromium/display/window.ts";
import { hasWindowManager } from "../../../src/host/chromium/display/x11.ts";
import { app, runtime } from "./app.ts";

const startLimitMs = 30_000;
const closeLimitMs = 2_000;
const offscreen = ["--window-position=16000,0"];

/** A running Chromium with one page. */
export interface Browser {
  pid: number;
  pipe: DevToolsPipe;
  targetId: string;
  /** The stand-in's own session of the page. */
  page: DevToolsSession;
  windowId: number;
  /** Listens to every event of every session until `signal` aborts. */
  readonly onEvent: (listener: (event: DevToolsEvent) => void, signal: AbortSignal) => void;
  /** Aborts when the browser has exited. */
  life: AbortSignal;
}

/** An event from the pipe. */
export interface DevToolsEvent {
  sessionId?: string;
  method: string;
  params: unknown;
}

const clock = createSystemClock();

/** Starts and ends the Chromium of one window. */
export class BrowserProcess {
  #child: ChildProcess | undefined;
  #pipe: DevToolsPipe | undefined;
  readonly #life = new AbortController();
  #isEnding = false;
  readonly #gone = Promise.withResolvers<void>();
  readonly started: Promise<Browser>;

  /** @param size in pixels; null for the whole display. @param profileFolder holds the session's data. */
  constructor(profileFolder: string, size: { width: number; height: number } | null, proxy: ProxyConfig) {
    this.started = this.#start(profileFolder, size, proxy);
    // Users of the window get the error.
    this.started.catch(() => undefined);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when the process has ended. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  async #start(profileFolder: string, size: { width: number; height: number } | null, proxy: ProxyConfig): Promise<Browser> {
    await app.whenReady();
    // Earlier windows used the same profile.
    await Promise.all(runtime.leaving);
    if (this.#isEnding) throw new Error("Object has been destroyed");
    mkdirSync(profileFolder, { recursive: true });
    await releaseProfile(profileFolder, clock);
    const switches = [...runtime.switches].map(([name, value]) => (value === "" ? `--${name}` : `--${name}=${value}`));
    const { width, height } = size ?? { width: 1920, height: 1080 };
    const child = spawn(
      await findChromium(),
      [
        `--user-data-dir=${profileFolder}`,
        "--remote-debugging-pipe",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-extensions",
        "--app=data:text/html,<body style=background:%23000>",
        "--kiosk",
        "--ozone-platform=x11",
        `--window-size=${width + 1},${height + 1}`,
        ...offscreen,
        ...switches,
        // After the switches, because a session's own proxy takes precedence over the command line.
        ...(proxy.proxyRules === undefined
          ? []
          : [`--proxy-server=${proxy.proxyRules}`, `--proxy-bypass-list=${proxy.proxyBypassRules ?? ""}`]),
      ],
      { detached: true, stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] },
    );
    this.#child = child;
    child.once("exit", (code, signal) => this.#onExit(code, signal));
    await once(child, "spawn");
    createInterface({ input: child.stderr! }).on("line", reportHelpers);
    const pipe = new DevToolsPipe(child.stdio[3] as Writable, child.stdio[4] as Readable, clock, () => undefined);
    this.#pipe = pipe;
    const onEvent = eventsOf(child.stdio[4] as Readable);
    const life = this.#life.signal;
    const targetId = await keepOnlyFirstPage({
      pipe,
      clock,
      limitMs: startLimitMs,
      signal: life,
      lifetime: life,
      onBlocked: () => undefined,
    });
    const { sessionId } = await pipe.browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = pipe.session(sessionId);
    const placement = {
      targetId,
      display: "x11",
      requestedSize: size,
      hasWindowManager: () => hasWindowManager(process.env, life),
    } as const;
    const kiosk = await KioskWindow.fit(pipe.browser, page, placement, startLimitMs);
    const { windowId } = await pipe.browser.send("Browser.getWindowForTarget", { targetId });
    await kiosk.reveal();
    return { pid: child.pid!, pipe, targetId, page, windowId, onEvent, life };
  }

  /** Ends the browser. A regular exit is tried first, because it writes the profile. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.#child === undefined) return this.#gone.resolve();
    this.#pipe?.browser.send("Browser.close", {}, { deadlineMs: closeLimitMs }).catch(() => undefined);
    clock.wait(closeLimitMs, this.#life.signal).then(
      () => this.#killSession(),
      () => undefined,
    );
  }

  #killSession(): void {
    try {
      process.kill(-this.#child!.pid!, "SIGKILL");
    } catch {
      // no process is left
    }
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#killSession();
    this.#life.abort();
    this.#gone.resolve();
    // In Electron the browser is the app's own process, so both end together.
    if (!this.#isEnding) process.kill(process.pid, signal ?? (code === 0 ? "SIGKILL" : "SIGABRT"));
  }
}

/** Also reads all events of the pipe for the app's debugger, of any name. */
function eventsOf(output: Readable): Browser["onEvent"] {
  const listeners = new Set<(event: DevToolsEvent) => void>();
  let rest = "";
  output.on("data", (chunk: string) => {
    const messages = (rest + chunk).split("\0");
    rest = messages.pop() ?? "";
    for (const text of messages) {
      const message = JSON.parse(text) as Partial<DevToolsEvent> & { id?: number };
      const { method, params, sessionId } = message;
      if (method === undefined || message.id !== undefined) continue;
      for (const listener of listeners) listener({ method, params, ...(sessionId === undefined ? {} : { sessionId }) });
    }
  });
  return (listener, signal) => {
    listeners.add(listener);
    signal.addEventListener("abort", () => listeners.delete(listener), { once: true });
  };
}

/** Reads from Chromium's standard error what Electron would report to the app. */
function reportHelpers(line: string): void {
  const gpu = /GPU process exited unexpectedly: exit_code=(\d+)/.exec(line)?.[1];
  if (gpu !== undefined) app.emitProcessGone({ type: "GPU", reason: "crashed", exitCode: Number(gpu), name: "GPU" });
  if (line.includes("Network service crashed")) {
    app.emitProcessGone({
      type: "Utility",
      reason: "crashed",
      exitCode: 0,
      serviceName: "network.mojom.NetworkService",
      name: "Network Service",
    });
  }
}

/** The folder of a session's data. */
export function partitionFolder(partition: string): string {
  const base = app.getPath("sessionData");
  return partition === "" ? base : join(base, "Partitions", partition.replace(/^persist:/, ""));
}
