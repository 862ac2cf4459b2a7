// A Host that forwards calls to an Electron host in another process.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  type BrowserEngine,
  type BrowserMemory,
  type CaptureOptions,
  type IframeSite,
  type IframeEvent,
  type Host,
  type HostFault,
  type HostPage,
  noBrowserMemory,
} from "../../src/player/host.ts";
import { Fault, type FaultCode } from "../../src/base/fault.ts";
import type { Log } from "../../src/base/log.ts";
import { giveAway, unprivileged } from "../support/programs/unprivileged.ts";
import type { DriverOptions, Request } from "./electron-driver.ts";

interface Reply {
  id?: number;
  value?: unknown;
  code?: string;
  fault?: HostFault;
  event?: IframeEvent;
  /** A line of the host's log. */
  line?: { what?: string; msg: string };
}

/** An Electron host in its own process, which the first `open` starts and `close` ends. */
export class RemoteElectronHost implements Host {
  readonly pagePort = null;
  readonly canDrawWithoutGpu = false;
  readonly #start: () => ChildProcess;
  readonly #log: Log;
  readonly #listeners = new Set<(fault: HostFault) => void>();
  readonly #frameListeners = new Set<(event: IframeEvent) => void>();
  #sites: readonly IframeSite[] = [];
  readonly #calls = new Map<number, (reply: Reply) => void>();
  #child: ChildProcess | undefined;
  #lastId = 0;

  /** @param folder for its profile; it is in the command line of Electron's processes. */
  constructor(electron: string, folder: string, env: NodeJS.ProcessEnv, log: Log, options: DriverOptions) {
    this.#log = log;
    // Chromium's sandbox does not work as root.
    giveAway(folder);
    const { executable, argv } = unprivileged({ executable: electron, argv: [join(import.meta.dirname, "electron-driver.ts")] });
    this.#start = () =>
      spawn(executable, argv, {
        env: { ...env, HOME: folder, SIGNAGE_ELECTRON_DATA: folder, SIGNAGE_ELECTRON_OPTIONS: JSON.stringify(options) },
        stdio: ["inherit", "inherit", "inherit", "ipc"],
      });
  }

  async prepare(): Promise<void> {
    // The child starts with the first call.
  }

  async open(page: HostPage): Promise<BrowserEngine> {
    if (this.#child === undefined) {
      const child = this.#start();
      this.#child = child;
      child.on("message", (reply: Reply) => {
        if (reply.line !== undefined) this.#log.warn(reply.line, reply.line.msg);
        else if (reply.fault !== undefined) this.#report(reply.fault);
        else if (reply.event !== undefined) for (const listener of this.#frameListeners) listener(reply.event);
        else this.#calls.get(reply.id!)?.(reply);
      });
      child.once("exit", (code, signal) => {
        if (this.#child !== child) return;
        this.#child = undefined;
        this.#report({ is: "browser-exited", detail: `${signal ?? code}` });
      });
      await once(child, "spawn");
      await this.#call("setIframeSites", this.#sites);
    }
    return (await this.#call("open", page)) as BrowserEngine;
  }

  async reload(): Promise<void> {
    await this.#call("reload");
  }

  async capture(_signal: AbortSignal, options?: CaptureOptions): ReturnType<Host["capture"]> {
    const bytes = Buffer.from((await this.#call("capture", options)) as string, "base64");
    return { bytes, mimeType: `image/${options?.format ?? "jpeg"}` };
  }

  async memoryBytes(): Promise<number> {
    return this.#child === undefined ? 0 : ((await this.#call("memoryBytes")) as number);
  }

  async memoryByKind(): Promise<BrowserMemory> {
    return this.#child === undefined ? noBrowserMemory : ((await this.#call("memoryByKind")) as BrowserMemory);
  }

  /** Ends waits of the host in its process, see `HeldClock`. */
  async endWaits(ms: number, count = 1): Promise<void> {
    await this.#call("endWaits", { ms, count });
  }

  setIframeSites(sites: readonly IframeSite[]): void {
    this.#sites = sites;
    if (this.#child !== undefined) void this.#call("setIframeSites", sites);
  }

  onIframeEvent(listener: (event: IframeEvent) => void, signal: AbortSignal): void {
    this.#frameListeners.add(listener);
    signal.addEventListener("abort", () => this.#frameListeners.delete(listener), { once: true });
  }

  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    await this.#call("close");
    this.#child = undefined;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #call(call: Request["call"], argument?: Request["argument"]): Promise<unknown> {
    const child = this.#child;
    if (child === undefined) throw new Fault("page-dead", "Electron is not running");
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#calls.set(id, resolve);
    child.send({ id, call, argument });
    const { value, code } = await promise;
    if (code !== undefined) throw new Fault(code as FaultCode, `Electron's host rejected ${call}`);
    return value;
  }

  #report(fault: HostFault): void {
    for (const listener of this.#listeners) listener(fault);
  }
}
