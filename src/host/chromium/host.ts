// The Host that runs the system's Chromium: starts a browser when it is needed and forwards the browser's reports.
import { Listeners } from "../../base/async/listeners.ts";
import { Fault } from "../../base/fault.ts";
import {
  type BrowserEngine,
  type BrowserMemory,
  type Capture,
  type CaptureOptions,
  type Host,
  type HostFault,
  type HostPage,
  type IframeEvent,
  type IframeSite,
  noBrowserMemory,
  type OpenOptions,
} from "../../player/host.ts";
import { totalMemory } from "./session-processes.ts";
import { hasGpu } from "../linux/gpu.ts";
import { BrowserProxy } from "../proxy/proxy.ts";
import { routerFromEnvironment } from "../../base/http/proxy-route.ts";
import { ChromiumBrowser } from "./browser.ts";
import type { ChromiumOptions } from "./options.ts";
import type { PlayerPage } from "./page.ts";

/** A browser that is starting. */
interface Start {
  giveUp: AbortController;
  /** The page to show, once `open` has been called. */
  page: PromiseWithResolvers<HostPage>;
  engine: Promise<BrowserEngine>;
  /** Resolves once the browser's process runs or could not be started. */
  processStart: PromiseWithResolvers<void>;
  /** Resolves when the start has succeeded or failed. */
  completion: Promise<unknown>;
  /** True once an `open` waits for it; else `prepare` began it. */
  isTaken: boolean;
}

/** A host that shows its page in `options.executable`. Nothing starts before `prepare` or `open`. */
export function createChromiumHost(options: ChromiumOptions): Host {
  return new ChromiumHost(options);
}

class ChromiumHost implements Host {
  readonly #options: ChromiumOptions;
  readonly #faults = new Listeners<HostFault>();
  readonly #iframeEvents = new Listeners<IframeEvent>();
  #sites: readonly IframeSite[] = [];
  #browser: ChromiumBrowser | undefined;
  /** Kept for the host's lifetime, so that the page's port stays the same for later browsers. */
  #proxy: BrowserProxy | undefined;
  #start: Start | undefined;

  constructor(options: ChromiumOptions) {
    this.#options = options;
  }

  get pagePort(): number | null {
    return this.#proxy?.port ?? null;
  }

  get canDrawWithoutGpu(): boolean {
    return hasGpu();
  }

  async open(page: HostPage, signal: AbortSignal, options: OpenOptions = {}): Promise<BrowserEngine> {
    signal.throwIfAborted();
    // A start that belongs to an earlier call has to end first; one begun by `prepare` is taken over.
    if (this.#start?.isTaken) {
      await this.#start.completion;
      signal.throwIfAborted();
    }
    if (this.#browser?.page !== undefined && this.#browser.engine !== undefined) {
      this.#proxy?.allowPage(page.url);
      await this.#browser.page.show(page, signal);
      return this.#browser.engine;
    }
    this.#begin(options);
    const start = this.#start!;
    start.isTaken = true;
    const abort = (): void => start.giveUp.abort();
    signal.addEventListener("abort", abort, { once: true });
    start.page.resolve(page);
    try {
      return await start.engine;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async prepare(): Promise<void> {
    this.#begin({});
    await this.#start?.processStart.promise;
  }

  async reload(signal: AbortSignal): Promise<void> {
    await this.#page().reload(signal);
  }

  async capture(signal: AbortSignal, options?: CaptureOptions): Promise<Capture> {
    return await this.#page().capture(signal, options);
  }

  async memoryBytes(): Promise<number> {
    return totalMemory(await this.memoryByKind());
  }

  async memoryByKind(): Promise<BrowserMemory> {
    return this.#browser === undefined ? noBrowserMemory : await this.#browser.memoryByKind();
  }

  setIframeSites(sites: readonly IframeSite[]): void {
    this.#sites = sites;
    this.#proxy?.allowSites(sites);
    this.#browser?.allowSites(sites);
  }

  onIframeEvent(listener: (event: IframeEvent) => void, signal: AbortSignal): void {
    this.#iframeEvents.add(listener, signal);
  }

  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void {
    this.#faults.add(listener, signal);
  }

  async close(): Promise<void> {
    this.#start?.giveUp.abort();
    await this.#start?.completion;
    await this.#browser?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#proxy?.[Symbol.asyncDispose]();
    this.#proxy = undefined;
  }

  /** Starts a browser unless one is starting or running. */
  #begin(options: OpenOptions): void {
    if (this.#start !== undefined || this.#browser !== undefined) return;
    const giveUp = new AbortController();
    const page = Promise.withResolvers<HostPage>();
    const processStart = Promise.withResolvers<void>();
    const engine = this.#launch(page.promise, options, processStart.resolve, giveUp.signal).finally(() => {
      processStart.resolve();
      this.#start = undefined;
    });
    // The caller of `open` learns of a failed start. Until then the failure is not unhandled.
    this.#start = { giveUp, page, engine, completion: engine.catch(() => undefined), processStart, isTaken: false };
  }

  async #launch(page: Promise<HostPage>, openOptions: OpenOptions, onSpawned: () => void, signal: AbortSignal): Promise<BrowserEngine> {
    const { clock, log, env, network = {} } = this.#options;
    const { route = routerFromEnvironment(env) } = network;
    const startedMs = clock.monotonic();
    this.#proxy ??= await BrowserProxy.open({ ...network, route, clock, log });
    this.#proxy.allowSites(this.#sites);
    const listener = {
      onFault: (fault: HostFault): void => this.#report(fault),
      onIframeEvent: (event: IframeEvent): void => this.#iframeEvents.notify(event),
      onExit: (): void => {
        if (this.#browser === browser) this.#browser = undefined;
      },
    };
    const browser = await ChromiumBrowser.start(this.#options, this.#proxy, listener, openOptions);
    this.#browser = browser;
    onSpawned();
    const engine = await browser.open(page, () => this.#sites, signal);
    const tookMs = Math.round(clock.monotonic() - startedMs);
    log.info({ version: engine.version, headless: engine.headless, tookMs }, "browser started");
    browser.watchLiveness();
    return engine;
  }

  #report(fault: HostFault): void {
    this.#options.log.warn({ fault: fault.is, detail: fault.detail }, "browser fault");
    this.#faults.notify(fault);
  }

  #page(): PlayerPage {
    const page = this.#browser?.page;
    if (page === undefined) throw new Fault("page-dead", "no browser is running");
    return page;
  }
}
