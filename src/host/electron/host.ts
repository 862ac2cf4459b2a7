// The Host that runs inside Electron: shows the page in one window and forwards the window's reports.
import { app, session } from "electron";
import { Listeners } from "../../base/async/listeners.ts";
import { Fault, isFault } from "../../base/fault.ts";
import {
  defaultCapture,
  type BrowserEngine,
  type BrowserMemory,
  type Capture,
  type CaptureOptions,
  type Host,
  type HostFault,
  type HostPage,
  type IframeEvent,
  type IframeSite,
} from "../../player/host.ts";
import { bypassList } from "../chromium/flags.ts";
import { defaultProbe, type ElectronOptions } from "../chromium/options.ts";
import { BrowserProxy } from "../proxy/proxy.ts";
import { parseProxyList } from "../../base/http/proxy-route.ts";
import { PageWindow } from "./page-window.ts";
import { totalMemory } from "../chromium/session-processes.ts";
import { electronMemory } from "./processes.ts";
import { pageSession } from "./window.ts";

// Together with the question whether the page is alive, less than the five seconds that a picture may take.
const captureLimitMs = 4_000;
const aliveLimitMs = 500;

/** A host that shows its page in a window of this Electron. Nothing appears before `open`. */
export function createElectronHost(options: ElectronOptions): Host {
  return new ElectronHost(options);
}

class ElectronHost implements Host {
  // The window's proxy is set when the page's address is known, so any port works.
  readonly pagePort = null;
  readonly canDrawWithoutGpu = false;
  readonly #options: ElectronOptions;
  readonly #faults = new Listeners<HostFault>();
  readonly #iframeEvents = new Listeners<IframeEvent>();
  #sites: readonly IframeSite[] = [];
  #window: PageWindow | undefined;
  #proxy: BrowserProxy | undefined;

  constructor(options: ElectronOptions) {
    this.#options = options;
  }

  async prepare(): Promise<void> {
    // Electron is the browser, and is already running.
  }

  async open(page: HostPage, signal: AbortSignal): Promise<BrowserEngine> {
    await app.whenReady();
    signal.throwIfAborted();
    const proxy = await this.#openProxy();
    proxy.allowPage(page.url);
    await pageSession().setProxy({ proxyRules: proxy.address, proxyBypassRules: bypassList(new URL(page.url).host) });
    if (this.#window === undefined) await this.#openWindow(page, signal);
    else this.#window.page = page;
    const { window, view } = this.#openedWindow();
    const { name, value } = page.cookie;
    await window.webContents.session.cookies.set({ url: page.url, name, value, httpOnly: true, sameSite: "strict" });
    await view.load(page.url, signal);
    return { name: "electron", version: process.versions["electron"] ?? "unknown", headless: false };
  }

  async reload(signal: AbortSignal): Promise<void> {
    const { view, page } = this.#openedWindow();
    await view.reload(page.url, signal);
  }

  async capture(signal: AbortSignal, { format, quality }: CaptureOptions = defaultCapture): Promise<Capture> {
    const { window, view } = this.#openedWindow();
    const image = await view.withDeadline(captureLimitMs, window.webContents.capturePage(), signal).catch(async (error: unknown) => {
      if (!isFault(error, "timeout") || (await view.isResponsive(aliveLimitMs))) throw error;
      throw new Fault("page-hung", "the page does not respond", { cause: error });
    });
    if (image.isEmpty()) throw new Fault("page-dead", "the browser returned an empty picture of its window");
    return { bytes: format === "png" ? image.toPNG() : image.toJPEG(quality), mimeType: `image/${format}` };
  }

  async memoryBytes(): Promise<number> {
    return totalMemory(await electronMemory());
  }

  memoryByKind(): Promise<BrowserMemory> {
    return electronMemory();
  }

  setIframeSites(sites: readonly IframeSite[]): void {
    this.#sites = sites;
    this.#proxy?.allowSites(sites);
    this.#window?.iframes?.allowSites(sites);
  }

  onIframeEvent(listener: (event: IframeEvent) => void, signal: AbortSignal): void {
    this.#iframeEvents.add(listener, signal);
  }

  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void {
    this.#faults.add(listener, signal);
  }

  async close(): Promise<void> {
    const window = this.#window;
    this.#window = undefined;
    window?.close();
    const proxy = this.#proxy;
    this.#proxy = undefined;
    await proxy?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Opens the proxy for the window's session. The default session loads nothing, but resolves the network's own proxy. */
  async #openProxy(): Promise<BrowserProxy> {
    if (this.#proxy !== undefined) return this.#proxy;
    const { network = {}, clock, log } = this.#options;
    const { route = async (url: string) => parseProxyList(await session.defaultSession.resolveProxy(url)) } = network;
    const proxy = await BrowserProxy.open({ ...network, route, clock, log });
    this.#proxy = proxy;
    proxy.allowSites(this.#sites);
    return proxy;
  }

  /** Opens the window and guards its iframes, or leaves no window open. */
  async #openWindow(page: HostPage, signal: AbortSignal): Promise<void> {
    const { window: size, log, clock, limits } = this.#options;
    const window = new PageWindow(page, {
      size,
      clock,
      log,
      probe: limits?.probe ?? defaultProbe,
      iframes: limits?.iframes,
      connectionErrorOf: (url) => this.#proxy?.connectionErrorOf(url) ?? null,
      listener: {
        onFault: (fault) => this.#report(fault),
        onIframeEvent: (event) => this.#iframeEvents.notify(event),
        onExit: () => {
          if (this.#window === window) this.#window = undefined;
        },
      },
    });
    this.#window = window;
    try {
      const guard = await window.guardIframes(signal);
      guard.allowSites(this.#sites);
    } catch (error) {
      await this.close();
      throw error;
    }
    window.watchLiveness();
  }

  #report(fault: HostFault): void {
    this.#options.log.warn({ fault: fault.is, detail: fault.detail }, "browser fault");
    this.#faults.notify(fault);
  }

  #openedWindow(): PageWindow {
    if (this.#window === undefined) throw new Fault("page-dead", "no window is open");
    return this.#window;
  }
}
