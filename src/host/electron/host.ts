// Host by Electron's BrowserWindow: shows the page in one window, watches it, repairs it when told. Runs only inside Electron.
import { app, powerSaveBlocker, session, type BrowserWindow } from "electron";
import type { Clock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import type { Capture, BrowserEngine, IframeSite, IframeEvent, Host, HostFault, HostPage } from "../../player/host.ts";
import { bypassList } from "../chromium/flags.ts";
import { processMemoryBytes } from "../chromium/process.ts";
import { ElectronDevTools } from "./devtools.ts";
import { ElectronPage, type Probe } from "./page.ts";
import { openWindow, pageSession } from "./window.ts";
import { type NetworkAccess, BrowserProxy } from "../proxy/proxy.ts";
import { parseProxyList } from "../proxy/upstream.ts";
import { IframeGuard } from "../iframes/iframe-guard.ts";
import type { IframeLimits } from "../iframes/iframe.ts";

/** What an Electron host needs. The program has set up the app (see `electron/app.ts`) before Electron was ready. */
export interface ElectronOptions extends NetworkAccess {
  /** In pixels; null for the whole display. */
  window: { width: number; height: number } | null;
  log: Log;
  clock: Clock;
  /** How often the page is asked whether it lives and how long it may take; by default every 5 s and 2 s. */
  probe?: Probe;
  /** What frames of other sites may take; by default what `sites/frame.ts` says. */
  iframes?: Partial<IframeLimits>;
}

const defaultProbe = { intervalMs: 5_000, limitMs: 2_000 };
const captureLimitMs = 5_000;
const jpegQuality = 90;

/** The embedded service's name among Electron's processes. */
export const serviceProcessName = "signage-service";
/** The name of the processes in which that service examines files. */
export const mediaProcessName = "signage-media";
const ownProcesses: readonly (string | undefined)[] = [serviceProcessName, mediaProcessName];

/** A window and the page it is for. */
interface Shown {
  window: BrowserWindow;
  view: ElectronPage;
  page: HostPage;
  /** Aborts when the window is gone. */
  life: AbortController;
  /** Whether the window's end is wanted, and so no fault. */
  isClosing: boolean;
  sites: IframeGuard | undefined;
}

/** A host that shows its page in a window of this Electron. Nothing appears before `open`. */
export function createElectronHost(options: ElectronOptions): Host {
  return new ElectronHost(options);
}

class ElectronHost implements Host {
  // The window's proxy is set when the page's address is known.
  readonly pagePort = null;
  readonly #options: ElectronOptions;
  readonly #listeners = new Set<(fault: HostFault) => void>();
  readonly #frameListeners = new Set<(news: IframeEvent) => void>();
  #admitted: readonly IframeSite[] = [];
  #shown: Shown | undefined;
  #gate: BrowserProxy | undefined;

  constructor(options: ElectronOptions) {
    this.#options = options;
  }

  async prepare(): Promise<void> {
    // Electron is the browser: it runs already.
  }

  async open(page: HostPage, signal: AbortSignal): Promise<BrowserEngine> {
    await app.whenReady();
    signal.throwIfAborted();
    const gate = await this.#openGate();
    gate.allowPage(page.url);
    await pageSession().setProxy({ proxyRules: gate.address, proxyBypassRules: bypassList(new URL(page.url).host) });
    if (this.#shown === undefined) await this.#openWatched(page, signal);
    else this.#shown.page = page;
    const { window, view } = this.#contents();
    const { name, value } = page.cookie;
    await window.webContents.session.cookies.set({ url: page.url, name, value, httpOnly: true, sameSite: "strict" });
    await view.load(page.url, signal);
    return { name: "electron", version: process.versions["electron"] ?? "unknown", headless: false };
  }

  async reload(signal: AbortSignal): Promise<void> {
    const { view, page } = this.#contents();
    await view.reload(page.url, signal);
  }

  async capture(signal: AbortSignal): Promise<Capture> {
    const { window, view } = this.#contents();
    const image = await view.withDeadline(captureLimitMs, window.webContents.capturePage(), signal);
    if (image.isEmpty()) throw new Fault("page-dead", "the browser gave an empty picture of its window");
    return { bytes: image.toJPEG(jpegQuality), mimeType: "image/jpeg" };
  }

  async memoryBytes(): Promise<number> {
    const metrics = app.getAppMetrics().filter(({ name }) => !ownProcesses.includes(name));
    if (process.platform === "linux") {
      // Resident sizes would count what the processes share once for each of them.
      const sizes = await Promise.all(metrics.map(({ pid }) => processMemoryBytes(pid)));
      return sizes.reduce((sum, size) => sum + size, 0);
    }
    return metrics.reduce((sum, { memory }) => sum + (memory.privateBytes ?? memory.workingSetSize), 0) * 1024;
  }

  setIframeSites(sites: readonly IframeSite[]): void {
    this.#admitted = sites;
    this.#gate?.allowSites(sites);
    this.#shown?.sites?.allowSites(sites);
  }

  onIframeEvent(listener: (news: IframeEvent) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#frameListeners.add(listener);
    signal.addEventListener("abort", () => this.#frameListeners.delete(listener), { once: true });
  }

  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  async close(): Promise<void> {
    const shown = this.#shown;
    this.#shown = undefined;
    if (shown !== undefined) {
      shown.isClosing = true;
      shown.life.abort();
      if (!shown.window.isDestroyed()) shown.window.destroy();
    }
    const gate = this.#gate;
    this.#gate = undefined;
    await gate?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The proxy that the window's session goes through. Other sessions load nothing; the default one knows the network's own proxy. */
  async #openGate(): Promise<BrowserProxy> {
    if (this.#gate !== undefined) return this.#gate;
    const route = async (url: string) => parseProxyList(await session.defaultSession.resolveProxy(url));
    const gate = await BrowserProxy.open({ ...this.#options, route });
    this.#gate = gate;
    gate.allowSites(this.#admitted);
    return gate;
  }

  /** Opens the window and connects to its frames. Without that connection no request of a frame would be checked, so neither stays alone. */
  async #openWatched(page: HostPage, signal: AbortSignal): Promise<void> {
    const shown = this.#openWindow(page);
    this.#shown = shown;
    try {
      await this.#watchFrames(shown, signal);
    } catch (error) {
      await this.close();
      throw error;
    }
    const hung = (detail: string): void => this.#report({ is: "page-hung", detail });
    shown.view.watchLiveness(hung, shown.life.signal).catch((error: unknown) => hung(`its probe ended: ${reasonOf(error)}`));
  }

  #openWindow(page: HostPage): Shown {
    const { window: size, log, clock, probe = defaultProbe } = this.#options;
    const life = new AbortController();
    const window = openWindow({
      size,
      mayNavigate: (url) => URL.canParse(url) && new URL(url).origin === new URL(shown.page.url).origin,
      onBlocked: (what, url) => log.warn({ what, url }, "blocked in the browser"),
      life,
    });
    const view = new ElectronPage(window.webContents, clock, probe, (detail) => this.#report({ is: "page-crashed", detail }));
    const shown: Shown = { window, view, page, life, isClosing: false, sites: undefined };
    window.once("closed", () => {
      if (!shown.isClosing) this.#report({ is: "browser-exited", detail: "its window was closed" });
      if (this.#shown === shown) this.#shown = undefined;
    });
    this.#watchProcesses(life.signal);
    const sleepBlocker = powerSaveBlocker.start("prevent-display-sleep");
    life.signal.addEventListener("abort", () => powerSaveBlocker.stop(sleepBlocker), { once: true });
    return shown;
  }

  /** Frames are watched by the same code as in Chromium, over the same protocol. */
  async #watchFrames(shown: Shown, signal: AbortSignal): Promise<void> {
    const { clock, log, iframes: frames } = this.#options;
    const { view, life } = shown;
    const { webContents } = shown.window;
    // DevTools answers once there is a document.
    await view.load("about:blank", signal);
    const devtools = new ElectronDevTools(webContents, clock);
    // Without this connection no request of a frame is checked any more, so the window is closed and opened anew.
    devtools.onDetach((reason) => {
      if (!life.signal.aborted) this.#report({ is: "browser-exited", detail: `its DevTools connection ended: ${reason}` });
    });
    const page = devtools.session();
    await page.send("Page.enable", {}, { signal });
    const { frameTree } = await page.send("Page.getFrameTree", {}, { signal });
    const sites = await IframeGuard.watch({
      page,
      pageFrameId: frameTree.frame.id,
      sessionOf: (id) => devtools.session(id),
      clock,
      limits: frames,
      onReport: (news) => this.#frameListeners.forEach((listener) => listener(news)),
      onBlocked: (what, url) => log.warn({ what, url }, "blocked in the browser"),
      connectionErrorOf: (url) => this.#gate?.connectionErrorOf(url) ?? null,
      signal: life.signal,
    });
    sites.allowSites(this.#admitted);
    shown.sites = sites;
    // Electron does not say whether a page that comes up in another process is still watched, so it is asked to be, each time.
    webContents.on("did-navigate", () => void this.#watchAgain(sites, life.signal));
    // The pointer is drawn, whatever the page's style says, until the page has seen it move once.
    page.on("Page.loadEventFired", () => void this.#hidePointer(page, life.signal), life.signal);
  }

  async #watchAgain(sites: IframeGuard, signal: AbortSignal): Promise<void> {
    await sites.watchAgain().catch((error: unknown) => {
      if (!signal.aborted) this.#options.log.warn({ reason: reasonOf(error) }, "the page could not be asked again for its frames");
    });
  }

  async #hidePointer(page: ReturnType<ElectronDevTools["session"]>, signal: AbortSignal): Promise<void> {
    await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: 1, y: 1 }, { signal }).catch((error: unknown) => {
      if (!signal.aborted) this.#options.log.warn({ reason: reasonOf(error) }, "the pointer could not be hidden");
    });
  }

  /** Electron starts its helpers again by itself; one that cannot be started leaves nothing to draw or load with. */
  #watchProcesses(signal: AbortSignal): void {
    const onGone = (_event: unknown, { type, name, reason, exitCode }: Electron.Details): void => {
      if (ownProcesses.includes(name)) return;
      this.#options.log.warn({ type, name, reason, exit_code: exitCode }, "a process of the browser ended");
      if (reason === "launch-failed" || reason === "integrity-failure") {
        this.#report({ is: "browser-exited", detail: `its ${name ?? type} process could not be started: ${reason} ${exitCode}` });
      }
    };
    app.on("child-process-gone", onGone);
    signal.addEventListener("abort", () => app.removeListener("child-process-gone", onGone), { once: true });
  }

  #report(fault: HostFault): void {
    this.#options.log.warn({ fault: fault.is, detail: fault.detail }, "browser fault");
    for (const listener of this.#listeners) listener(fault);
  }

  #contents(): Shown {
    if (this.#shown === undefined) throw new Fault("page-dead", "no window is open");
    return this.#shown;
  }
}
