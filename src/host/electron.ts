// Host by Electron's BrowserWindow: one locked fullscreen window, no preload, no Node. Runs only inside Electron.
import { once } from "node:events";
import { app, BrowserWindow, session, type Session, type WebContents } from "electron";
import type { Clock } from "../base/clock.ts";
import { Fault, isAbort, reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Capture, Engine, FramedSite, FrameNews, Host, HostFault, HostPage } from "../player/host.ts";
import { ElectronDevTools } from "./electron/devtools.ts";
import { Sites } from "./sites.ts";

/** What an Electron host needs. `main` has called `app.enableSandbox()` before the app was ready. */
export interface ElectronOptions {
  /** In pixels; null for the whole display. */
  window: { width: number; height: number } | null;
  log: Log;
  clock: Clock;
  /** How often the page is asked whether it lives and how long it may take; by default every 5 s and 2 s. */
  probe?: { intervalMs: number; limitMs: number };
}

const defaultProbe = { intervalMs: 5_000, limitMs: 2_000 };
const captureLimitMs = 5_000;
const jpegQuality = 90;

/** A host that shows its page in a window of this Electron. Nothing appears before `open`. */
export function createElectronHost(options: ElectronOptions): Host {
  return new ElectronHost(options);
}

class ElectronHost implements Host {
  readonly #options: ElectronOptions;
  readonly #listeners = new Set<(fault: HostFault) => void>();
  readonly #frameListeners = new Set<(news: FrameNews) => void>();
  #admitted: readonly FramedSite[] = [];
  #sites: Sites | undefined;
  #shown: { window: BrowserWindow; page: HostPage; life: AbortController } | undefined;

  constructor(options: ElectronOptions) {
    this.#options = options;
  }

  async prepare(): Promise<void> {
    // Electron is the browser: it runs already.
  }

  async open(page: HostPage, signal: AbortSignal): Promise<Engine> {
    await app.whenReady();
    signal.throwIfAborted();
    if (this.#shown === undefined) await this.#openWatched(page, signal);
    else this.#shown.page = page;
    const { window } = this.#contents();
    const { name, value } = page.cookie;
    await window.webContents.session.cookies.set({ url: page.url, name, value, httpOnly: true, sameSite: "strict" });
    await load(window.webContents, page.url, signal);
    return { name: "electron", version: process.versions["electron"] ?? "unknown", headless: false };
  }

  async reload(signal: AbortSignal): Promise<void> {
    const { window, page } = this.#contents();
    const { webContents } = window;
    // A hung page ignores a reload, so it is ended first.
    if (!webContents.isCrashed() && !(await this.#answers(webContents))) {
      const gone = once(webContents, "render-process-gone", { signal });
      webContents.forcefullyCrashRenderer();
      await gone;
    }
    await load(webContents, page.url, signal);
  }

  async capture(signal: AbortSignal): Promise<Capture> {
    const image = await this.#within(captureLimitMs, this.#contents().window.webContents.capturePage(), signal);
    return { bytes: image.toJPEG(jpegQuality), mimeType: "image/jpeg" };
  }

  memoryBytes(): Promise<number> {
    const kilobytes = app.getAppMetrics().reduce((sum, { memory }) => sum + memory.workingSetSize, 0);
    return Promise.resolve(kilobytes * 1024);
  }

  admit(sites: readonly FramedSite[]): void {
    this.#admitted = sites;
    this.#sites?.admit(sites);
  }

  onFrame(listener: (news: FrameNews) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#frameListeners.add(listener);
    signal.addEventListener("abort", () => this.#frameListeners.delete(listener), { once: true });
  }

  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  close(): Promise<void> {
    this.#shown?.life.abort();
    this.#shown?.window.destroy();
    this.#shown = undefined;
    this.#sites = undefined;
    return Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A window whose frames nobody watches would load whatever it is told, so there is none without the other. */
  async #openWatched(page: HostPage, signal: AbortSignal): Promise<void> {
    try {
      await this.#watchFrames(this.#openWindow(page), signal);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Frames are watched by the same code as in Chromium, over the same protocol. */
  async #watchFrames({ window, life }: { window: BrowserWindow; life: AbortController }, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    // DevTools answers once there is a document.
    await load(window.webContents, "about:blank", signal);
    const devtools = new ElectronDevTools(window.webContents, clock);
    const page = devtools.session();
    await page.send("Page.enable", {}, { signal });
    const { frameTree } = await page.send("Page.getFrameTree", {}, { signal });
    this.#sites = await Sites.watch({
      page,
      pageFrameId: frameTree.frame.id,
      sessionOf: (id) => devtools.session(id),
      clock,
      onNews: (news) => this.#frameListeners.forEach((listener) => listener(news)),
      onBlocked: (what, url) => log.warn({ what, url }, "blocked in the browser"),
      signal: life.signal,
    });
    this.#sites.admit(this.#admitted);
  }

  #openWindow(page: HostPage): { window: BrowserWindow; life: AbortController } {
    const { window: size, log } = this.#options;
    const stage = session.fromPartition("persist:stage");
    lockSession(stage);
    const window = new BrowserWindow({
      ...(size ?? { kiosk: true, fullscreen: true }),
      frame: false,
      backgroundColor: "#000000", // no white flash
      webPreferences: {
        session: stage,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        devTools: false,
        disableDialogs: true,
        backgroundThrottling: false,
        autoplayPolicy: "no-user-gesture-required",
      },
    });
    const shown = { window, page, life: new AbortController() };
    this.#shown = shown;
    const { webContents } = window;
    webContents.setWindowOpenHandler(({ url }) => {
      log.warn({ what: "a second window", url }, "blocked in the browser");
      return { action: "deny" };
    });
    const stay = (event: { url: string; isMainFrame: boolean; preventDefault(): void }): void => {
      if (event.isMainFrame && new URL(event.url).origin !== new URL(shown.page.url).origin) event.preventDefault();
    };
    webContents.on("will-navigate", stay);
    webContents.on("will-redirect", stay);
    webContents.on("will-prevent-unload", (event) => event.preventDefault());
    webContents.on("render-process-gone", (_event, { reason, exitCode }) =>
      this.#report({ is: "page-crashed", detail: `its renderer ended: ${reason} ${exitCode}` }),
    );
    window.on("closed", () => {
      if (!shown.life.signal.aborted) this.#report({ is: "browser-exited", detail: "its window was closed" });
      shown.life.abort();
      if (this.#shown === shown) this.#shown = undefined;
    });
    void this.#watchLiveness(webContents, shown.life.signal);
    return shown;
  }

  // "unresponsive" fires only when input goes unanswered, and a kiosk gets none: so ask.
  async #watchLiveness(contents: WebContents, signal: AbortSignal): Promise<void> {
    const { clock, log, probe = defaultProbe } = this.#options;
    try {
      for (let missed = 0; ;) {
        await clock.wait(probe.intervalMs, signal);
        missed = contents.isCrashed() || contents.isLoading() || (await this.#answers(contents)) ? 0 : missed + 1;
        if (missed === 2) this.#report({ is: "page-hung", detail: `it did not answer twice within ${probe.limitMs} ms` });
        missed %= 2;
      }
    } catch (error) {
      if (!isAbort(error)) log.error({ reason: reasonOf(error) }, "the page's probe ended");
    }
  }

  async #answers(contents: WebContents): Promise<boolean> {
    const { limitMs } = this.#options.probe ?? defaultProbe;
    return await this.#within(limitMs, contents.executeJavaScript("true") as Promise<boolean>).catch(() => false);
  }

  async #within<T>(limitMs: number, work: Promise<T>, signal?: AbortSignal): Promise<T> {
    const done = new AbortController();
    const late = this.#options.clock.wait(limitMs, AbortSignal.any([done.signal, ...(signal ? [signal] : [])])).then(() => {
      throw new Fault("timeout", `the page did not answer within ${limitMs} ms`);
    });
    return await Promise.race([work, late]).finally(() => done.abort());
  }

  #report(fault: HostFault): void {
    this.#options.log.warn({ fault: fault.is, detail: fault.detail }, "browser fault");
    for (const listener of this.#listeners) listener(fault);
  }

  #contents(): { window: BrowserWindow; page: HostPage } {
    if (this.#shown === undefined) throw new Fault("page-dead", "no window is open");
    return this.#shown;
  }
}

function lockSession(stage: Session): void {
  stage.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  stage.setPermissionCheckHandler(() => false);
  stage.on("will-download", (event) => event.preventDefault());
}

/** Resolves once the page has been answered, not when its last picture is there. */
async function load(contents: WebContents, url: string, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const committed = once(contents, "did-navigate", { signal: AbortSignal.any([signal, settled.signal]) });
  const loaded = contents.loadURL(url).catch((cause: unknown) => {
    throw new Fault("page-dead", `the browser could not load ${url}`, { cause });
  });
  loaded.catch(() => undefined); // when it fails after the answer, the liveness probe or a crash tells
  await Promise.race([committed, loaded]).finally(() => settled.abort());
}
