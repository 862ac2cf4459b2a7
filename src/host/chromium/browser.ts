// One run of Chromium with the player's page, from the start of its process to its exit.
import { unlessAborted } from "../../base/async/unless-aborted.ts";
import { Fault, isFault, reasonOf } from "../../base/fault.ts";
import type { BrowserEngine, BrowserMemory, HostPage, IframeSite, OpenOptions } from "../../player/host.ts";
import { IframeGuard } from "../iframes/iframe-guard.ts";
import { hasGpu } from "../linux/gpu.ts";
import { type MemoryFolder, removeMemoryFolder } from "../linux/memory-folder.ts";
import { type BrowserListener, type ChromiumOptions, defaultProbe, headlessSize } from "./options.ts";
import type { BrowserProxy } from "../proxy/proxy.ts";
import { prepareAccount } from "./account.ts";
import { createCacheFolder } from "./cache-folder.ts";
import { followDisplay } from "./display/display.ts";
import { chromiumFlags, type FlagOptions } from "./flags.ts";
import { watchLiveness } from "./liveness.ts";
import { PlayerPage } from "./page.ts";
import { DevToolsPipe } from "./pipe.ts";
import { assertSandboxed, type BrowserProcess, releaseProfile, startBrowser } from "./process.ts";
import { sessionMemory } from "./session-processes.ts";
import { endStoppedProcesses } from "./stopped-processes.ts";
import { keepOnlyFirstPage } from "./targets.ts";
import { KioskWindow } from "./display/window.ts";
import { hasWindowManager } from "./display/x11.ts";

// A cold start from an SD card is slow.
const startLimitMs = 30_000;
const closeLimitMs = 2_000;

/** A running Chromium. Its host opens the page once and disposes of the browser by `close`. */
export class ChromiumBrowser {
  readonly #options: ChromiumOptions;
  readonly #proxy: BrowserProxy;
  readonly #listener: BrowserListener;
  readonly #process: BrowserProcess;
  readonly #pipe: DevToolsPipe;
  /** Resolves when the process has exited and its folder in memory is removed. */
  readonly #exit: Promise<void>;
  /** Aborts when the process has exited. */
  readonly #lifetime = new AbortController();
  #page: PlayerPage | undefined;
  #iframes: IframeGuard | undefined;
  #engine: BrowserEngine | undefined;
  /** True while the browser is being closed: its exit is no fault then. */
  #isClosing = false;

  private constructor(
    options: ChromiumOptions,
    proxy: BrowserProxy,
    listener: BrowserListener,
    process: BrowserProcess,
    cache: MemoryFolder | null,
  ) {
    this.#options = options;
    this.#proxy = proxy;
    this.#listener = listener;
    this.#process = process;
    this.#pipe = new DevToolsPipe(process.input, process.output, options.clock, () => this.#killAfterTimeout());
    this.#exit = process.exit.then((detail) => this.#onExit(detail, cache));
    void this.#endStoppedProcesses();
  }

  /** Starts the process. */
  static async start(
    options: ChromiumOptions,
    proxy: BrowserProxy,
    listener: BrowserListener,
    openOptions: OpenOptions,
  ): Promise<ChromiumBrowser> {
    const { executable, profileFolder, env, clock, log, display } = options;
    const account = await prepareAccount(profileFolder, env, process.getuid?.() ?? -1, log);
    await releaseProfile(account.profileFolder, clock);
    const cache = await createCacheFolder(account, env, log);
    const flags = chromiumFlags({
      profileFolder: account.profileFolder,
      display: displayOf(options),
      window: display.window ?? headlessSize,
      hasGpu: hasGpu() && openOptions.withoutGpu !== true,
      proxy: proxy.address,
      cache,
    });
    // Renderers move pictures that they do not show at the moment to temporary files.
    const temporary = cache === null ? {} : { TMPDIR: cache.path };
    try {
      const browserProcess = await startBrowser(executable, flags, { ...account, env: { ...account.env, ...temporary } });
      return new ChromiumBrowser(options, proxy, listener, browserProcess, cache);
    } catch (error) {
      if (cache !== null) await removeMemoryFolder(cache.path);
      throw error;
    }
  }

  /** The page; undefined until the window is ready. */
  get page(): PlayerPage | undefined {
    return this.#page;
  }

  /** Undefined until `open` has resolved. */
  get engine(): BrowserEngine | undefined {
    return this.#engine;
  }

  memoryByKind(): Promise<BrowserMemory> {
    return sessionMemory(this.#process.pid);
  }

  allowSites(sites: readonly IframeSite[]): void {
    this.#iframes?.allowSites(sites);
  }

  /**
   * Shows the page once `page` resolves, and resolves when the page has been requested. Ends the browser when that fails.
   * @throws Fault, or an AbortError when `signal` aborts.
   */
  async open(page: Promise<HostPage>, sites: () => readonly IframeSite[], signal: AbortSignal): Promise<BrowserEngine> {
    try {
      return await this.#open(page, sites, AbortSignal.any([signal, this.#lifetime.signal]));
    } catch (error) {
      const hasDied = (this.#lifetime.signal.aborted || this.#pipe.isClosed) && !this.#isClosing;
      await this.close();
      if (hasDied) throw new Fault("browser-failed", `the browser ended while starting: ${await this.#process.exit}`);
      signal.throwIfAborted();
      throw isFault(error) ? error : new Fault("browser-failed", "the browser did not start", { cause: error });
    }
  }

  /** Reports a page that hangs, and ends a network service or browser that hangs, until the browser has exited. */
  watchLiveness(): void {
    const { clock, log, limits } = this.#options;
    const { probe = defaultProbe } = limits ?? {};
    const { onFault } = this.#listener;
    const parts = { browser: this.#process, page: this.#page!, pipe: this.#pipe };
    void watchLiveness({ ...parts, clock, log, probe, onFault }, this.#lifetime.signal);
  }

  /** Ends the browser, by force if it does not exit in time. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // A regular exit writes the profile. No reply is no failure: the browser may exit first, and one that stays is killed below.
    this.#pipe.browser.send("Browser.close", {}, { deadlineMs: closeLimitMs }).catch(() => undefined);
    await Promise.all([this.#exit, this.#killAfterTimeout()]);
  }

  async #open(page: Promise<HostPage>, sites: () => readonly IframeSite[], signal: AbortSignal): Promise<BrowserEngine> {
    const { browser } = this.#pipe;
    const limit = { deadlineMs: startLimitMs, signal };
    const { clock, log, display, env } = this.#options;
    const { headless, window } = display;
    const lifetime = this.#lifetime.signal;
    const { onFault } = this.#listener;
    const onBlocked = (what: string, url: string): void => log.warn({ what, url }, "blocked in the browser");
    const targetId = await keepOnlyFirstPage({ pipe: this.#pipe, clock, limitMs: startLimitMs, signal, lifetime, onBlocked });
    const playerPage = await PlayerPage.attach({ pipe: this.#pipe, targetId, clock, signal: lifetime, onFault, onBlocked });
    this.#iframes = await this.#guardIframes(playerPage, targetId, onBlocked);
    this.#iframes.allowSites(sites());
    const placement = {
      targetId,
      display: displayOf(this.#options),
      requestedSize: headless ? (window ?? headlessSize) : window,
      hasWindowManager: () => hasWindowManager(env, lifetime),
    };
    // All of this comes before the first navigation, which would cancel calls in progress.
    const [{ product }, { processInfo }, kiosk] = await Promise.all([
      browser.send("Browser.getVersion", {}, limit),
      browser.send("SystemInfo.getProcessInfo", {}, limit),
      KioskWindow.fit(browser, playerPage.session, placement, startLimitMs),
      browser.send("Browser.setDownloadBehavior", { behavior: "deny" }, limit),
    ]);
    await assertSandboxed(
      processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id),
      clock,
    );
    this.#page = playerPage;
    const hostPage = await unlessAborted(page, signal);
    this.#proxy.allowPage(hostPage.url);
    await playerPage.show(hostPage, signal);
    await kiosk.reveal(() => playerPage.waitForPaint(signal));
    if (kiosk.mustFollowDisplay) void this.#followDisplay(kiosk);
    this.#engine = { name: "chromium", version: product.replace(/^[^/]*\//, ""), headless };
    return this.#engine;
  }

  #guardIframes(playerPage: PlayerPage, pageFrameId: string, onBlocked: (what: string, url: string) => void): Promise<IframeGuard> {
    return IframeGuard.watch({
      page: { session: playerPage.session, frameId: pageFrameId },
      sessionOf: (id) => this.#pipe.session(id),
      clock: this.#options.clock,
      limits: this.#options.limits?.iframes,
      onEvent: this.#listener.onIframeEvent,
      onBlocked,
      connectionErrorOf: (url) => this.#proxy.connectionErrorOf(url),
      signal: this.#lifetime.signal,
    });
  }

  async #endStoppedProcesses(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#lifetime;
    const onStopped = (kind: string, pid: number): void => log.error({ kind, pid }, "a process of the browser is stopped and is ended");
    const onZygoteLost = (pid: number): void => log.error({ pid }, "the browser has lost a process that starts the others, and is ended");
    try {
      await endStoppedProcesses({ browser: this.#process, clock, onStopped, onZygoteLost }, signal);
    } catch (error) {
      if (!signal.aborted) log.error({ reason: reasonOf(error) }, "stopped processes of the browser are no longer ended");
    }
  }

  async #followDisplay(kiosk: KioskWindow): Promise<void> {
    const { env, clock, log } = this.#options;
    const { signal } = this.#lifetime;
    try {
      await followDisplay(kiosk, { env, clock, log }, signal);
    } catch (error) {
      if (!signal.aborted && !this.#pipe.isClosed) log.error({ reason: reasonOf(error) }, "the window no longer follows its display");
    }
  }

  /** Kills the process unless it exits in time. A browser without its pipe is exiting, and could not be controlled if it stayed. */
  async #killAfterTimeout(): Promise<void> {
    await this.#options.clock.wait(closeLimitMs, this.#lifetime.signal).then(
      () => this.#process.kill(),
      () => undefined, // it has exited
    );
  }

  async #onExit(detail: string, cache: MemoryFolder | null): Promise<void> {
    this.#lifetime.abort(new Fault("browser-failed", `the browser exited: ${detail}`));
    this.#listener.onExit();
    // Until the page is open, `open` rejects instead.
    if (!this.#isClosing && this.#engine !== undefined) this.#listener.onFault({ is: "browser-exited", detail });
    if (cache === null) return;
    try {
      await removeMemoryFolder(cache.path);
    } catch (error) {
      this.#options.log.warn({ folder: cache.path, reason: reasonOf(error) }, "the browser's caches could not be removed");
    }
  }
}

function displayOf({ display: { headless }, env }: ChromiumOptions): FlagOptions["display"] {
  if (headless) return "headless";
  return env["WAYLAND_DISPLAY"] !== undefined && env["DISPLAY"] === undefined ? "wayland" : "x11";
}
