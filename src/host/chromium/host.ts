// Host by a spawned Chromium and the DevTools pipe: starts it, watches it, ends it. Reports faults; repairs when told.
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { unlessAborted } from "../../base/async/unless-aborted.ts";
import type { Capture, BrowserEngine, IframeSite, IframeEvent, Host, HostFault, HostPage } from "../../player/host.ts";
import { prepareAccount, type Environment } from "./account.ts";
import { followDisplay } from "./display.ts";
import { chromiumFlags, type FlagOptions } from "./flags.ts";
import { PlayerPage } from "./page.ts";
import { DevToolsPipe } from "./pipe.ts";
import { assertSandboxed, releaseProfile, sessionMemoryBytes, startBrowser, type BrowserProcess } from "./process.ts";
import { keepOnlyFirstPage } from "./targets.ts";
import { KioskWindow, type Size } from "./window.ts";
import { type NetworkAccess, BrowserProxy } from "../proxy/proxy.ts";
import { routerFromEnvironment } from "../proxy/upstream.ts";
import { hasGpu } from "../linux/gpu.ts";
import { IframeGuard } from "../iframes/iframe-guard.ts";
import type { IframeLimits } from "../iframes/iframe.ts";

/** What a Chromium host needs. */
export interface ChromiumOptions extends NetworkAccess {
  /** See `findChromium`. */
  executable: string;
  /** Kept between starts: the browser's cache and site data. As root it may lie elsewhere, see `prepareAccount`. */
  profileFolder: string;
  headless: boolean;
  /** In pixels; null for the whole display (headless: 1920x1080). */
  window: Size | null;
  /** The program's environment: display, language, drivers. */
  env: Environment;
  log: Log;
  clock: Clock;
  /** How often the page is asked whether it lives and how long it may take; by default every 5 s and 2 s. */
  probe?: { intervalMs: number; limitMs: number };
  /** What frames of other sites may take; by default what `sites/frame.ts` says. */
  iframes?: Partial<IframeLimits>;
}

// A cold start from an SD card takes its time.
const startLimitMs = 30_000;
const closeLimitMs = 2_000;
const defaultProbe = { intervalMs: 5_000, limitMs: 2_000 };
const headlessSize = { width: 1920, height: 1080 };

interface Running {
  process: BrowserProcess;
  pipe: DevToolsPipe;
  /** Undefined until the window is up. */
  stage: PlayerPage | undefined;
  sites: IframeGuard | undefined;
  engine: BrowserEngine | undefined;
  /** Aborts when the browser is gone. */
  life: AbortController;
  /** Whether its end is wanted, and so no fault. */
  closing: boolean;
}

/** A start that has not come to its end. */
interface Opening {
  giveUp: AbortController;
  /** What to show, once `open` has said it. */
  page: PromiseWithResolvers<HostPage>;
  engine: Promise<BrowserEngine>;
  /** Resolves once the browser's process is there, or cannot be had. */
  spawned: PromiseWithResolvers<void>;
  /** Resolves at its end, good or bad. */
  done: Promise<unknown>;
  /** Whether an `open` waits for it; else it was begun by `prepare`. */
  isTaken: boolean;
}

/** A host that shows its page in `options.executable`. Nothing starts before `open`. */
export function createChromiumHost(options: ChromiumOptions): Host {
  return new ChromiumHost(options);
}

class ChromiumHost implements Host {
  readonly #options: ChromiumOptions;
  readonly #listeners = new Set<(fault: HostFault) => void>();
  readonly #frameListeners = new Set<(news: IframeEvent) => void>();
  #admitted: readonly IframeSite[] = [];
  #running: Running | undefined;
  /** Lives as long as the host, so that the page's port stays the right one for every browser after the first. */
  #gate: BrowserProxy | undefined;
  #opening: Opening | undefined;

  constructor(options: ChromiumOptions) {
    this.#options = options;
  }

  get pagePort(): number | null {
    return this.#gate?.port ?? null;
  }

  async open(page: HostPage, signal: AbortSignal): Promise<BrowserEngine> {
    signal.throwIfAborted();
    // An earlier call's start comes to its end first; one begun by `prepare` is this call's own.
    if (this.#opening?.isTaken) await this.#opening.done;
    if (this.#running?.stage !== undefined && this.#running.engine !== undefined) {
      this.#gate?.allowPage(page.url);
      await this.#running.stage.show(page, signal);
      return this.#running.engine;
    }
    this.#begin();
    const opening = this.#opening!;
    const { page: wanted, engine, giveUp } = opening;
    opening.isTaken = true;
    const abort = (): void => giveUp.abort();
    signal.addEventListener("abort", abort, { once: true });
    wanted.resolve(page);
    try {
      return await engine;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async prepare(): Promise<void> {
    this.#begin();
    await this.#opening?.spawned.promise;
  }

  #begin(): void {
    if (this.#opening !== undefined || this.#running !== undefined) return;
    const giveUp = new AbortController();
    const page = Promise.withResolvers<HostPage>();
    const spawned = Promise.withResolvers<void>();
    const engine = this.#launch(page.promise, spawned.resolve, giveUp.signal).finally(() => {
      spawned.resolve();
      this.#opening = undefined;
    });
    // Whoever opens hears of a failed start; until then nobody need.
    this.#opening = { giveUp, page, engine, done: engine.catch(() => undefined), spawned, isTaken: false };
  }

  async reload(signal: AbortSignal): Promise<void> {
    await this.#stage().reload(signal);
  }

  async capture(signal: AbortSignal): Promise<Capture> {
    return await this.#stage().capture(signal);
  }

  async memoryBytes(): Promise<number> {
    return this.#running === undefined ? 0 : await sessionMemoryBytes(this.#running.process.pid);
  }

  setIframeSites(sites: readonly IframeSite[]): void {
    this.#admitted = sites;
    this.#gate?.allowSites(sites);
    this.#running?.sites?.allowSites(sites);
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
    this.#opening?.giveUp.abort();
    await this.#opening?.done;
    if (this.#running !== undefined) await this.#end(this.#running);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#gate?.[Symbol.asyncDispose]();
    this.#gate = undefined;
  }

  async #launch(page: Promise<HostPage>, onSpawned: () => void, signal: AbortSignal): Promise<BrowserEngine> {
    const { clock, log } = this.#options;
    const startedMs = clock.monotonic();
    const running = await this.#start();
    onSpawned();
    try {
      const engine = await this.#bringUp(running, page, AbortSignal.any([signal, running.life.signal]));
      const tookMs = Math.round(clock.monotonic() - startedMs);
      log.info({ version: engine.version, headless: engine.headless, tookMs }, "browser started");
      void this.#watchLiveness(running);
      return engine;
    } catch (error) {
      const died = (running.life.signal.aborted || running.pipe.isClosed) && !running.closing;
      await this.#end(running);
      if (died) throw new Fault("browser-failed", `the browser ended while starting: ${await running.process.exited}`);
      signal.throwIfAborted();
      throw isFault(error) ? error : new Fault("browser-failed", "the browser did not start", { cause: error });
    }
  }

  async #start(): Promise<Running> {
    const { executable, profileFolder, env, clock, window } = this.#options;
    const account = await prepareAccount(profileFolder, env, process.getuid?.() ?? -1);
    await releaseProfile(account.profileFolder, clock);
    this.#gate ??= await BrowserProxy.open({ ...this.#options, route: routerFromEnvironment(env) });
    this.#gate.allowSites(this.#admitted);
    const flags = chromiumFlags({
      profileFolder: account.profileFolder,
      display: this.#display(),
      window: window ?? headlessSize,
      hasGpu: hasGpu(),
      proxy: this.#gate.address,
    });
    const child = await startBrowser(executable, flags, account);
    const life = new AbortController();
    // A browser without its pipe is on its way out; one that stays would be out of our hands.
    const onClose = (): void =>
      void clock.wait(closeLimitMs, life.signal).then(
        () => child.kill(),
        () => undefined,
      );
    const pipe = new DevToolsPipe(child.input, child.output, clock, onClose);
    const running: Running = { process: child, pipe, stage: undefined, sites: undefined, engine: undefined, life, closing: false };
    this.#running = running;
    void child.exited.then((how) => this.#onExit(running, how));
    return running;
  }

  async #bringUp(running: Running, page: Promise<HostPage>, signal: AbortSignal): Promise<BrowserEngine> {
    const { pipe } = running;
    const { browser } = pipe;
    const limit = { deadlineMs: startLimitMs, signal };
    const { clock, log } = this.#options;
    const life = running.life.signal;
    const onBlocked = (what: string, url: string): void => log.warn({ what, url }, "blocked in the browser");
    const targetId = await keepOnlyFirstPage({ pipe, clock, limitMs: startLimitMs, signal, life, onBlocked });
    const stage = await PlayerPage.attach({
      pipe,
      targetId,
      clock,
      signal: life,
      onFault: (fault) => this.#report(fault),
      onBlocked,
    });
    running.sites = await IframeGuard.watch({
      page: stage.session,
      pageFrameId: targetId,
      sessionOf: (id) => pipe.session(id),
      clock,
      limits: this.#options.iframes,
      onReport: (news) => this.#tell(news),
      onBlocked,
      connectionErrorOf: (url) => this.#gate?.connectionErrorOf(url) ?? null,
      signal: life,
    });
    running.sites.allowSites(this.#admitted);
    const wanted = this.#options.headless ? (this.#options.window ?? headlessSize) : this.#options.window;
    // All of this comes before the page is left for another: a call under way then would be lost.
    const [{ product }, { processInfo }, kiosk] = await Promise.all([
      browser.send("Browser.getVersion", {}, limit),
      browser.send("SystemInfo.getProcessInfo", {}, limit),
      KioskWindow.fit(browser, stage.session, { targetId, display: this.#display(), requestedSize: wanted }),
      browser.send("Browser.setDownloadBehavior", { behavior: "deny" }, limit),
    ]);
    await assertSandboxed(
      processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id),
      clock,
    );
    running.stage = stage;
    // What is behind the page is black by now, so the window may be seen while the page loads.
    const shown = unlessAborted(page, signal).then((known) => {
      this.#gate?.allowPage(known.url);
      return stage.show(known, signal);
    });
    await Promise.all([kiosk.reveal(), shown]);
    if (kiosk.mustFollowDisplay) void this.#follow(running, kiosk);
    running.engine = { name: "chromium", version: product.replace(/^[^/]*\//, ""), headless: this.#options.headless };
    return running.engine;
  }

  async #follow({ pipe, life }: Running, kiosk: KioskWindow): Promise<void> {
    const { env, clock, log } = this.#options;
    try {
      await followDisplay(kiosk, { env, clock, log }, life.signal);
    } catch (error) {
      if (!life.signal.aborted && !pipe.isClosed) log.error({ reason: reasonOf(error) }, "the window follows its display no more");
    }
  }

  async #watchLiveness(running: Running): Promise<void> {
    const { clock, log, probe = defaultProbe } = this.#options;
    const { signal } = running.life;
    let missed = 0;
    try {
      while (!signal.aborted) {
        await clock.wait(probe.intervalMs, signal);
        // A crashed page has been reported, and one that is loading has its own deadline.
        missed = !running.stage!.isShown || (await running.stage!.isResponsive(probe.limitMs)) || !running.stage!.isShown ? 0 : missed + 1;
        if (missed < 2) continue;
        missed = 0;
        if (await running.pipe.isResponsive(probe.limitMs)) {
          this.#report({ is: "page-hung", detail: `it did not answer twice within ${probe.limitMs} ms` });
        } else {
          log.error("the whole browser hangs, ending it");
          running.process.kill();
        }
      }
    } catch (error) {
      // The browser's end is told by its exit.
      if (!isAbort(error) && !signal.aborted && !running.pipe.isClosed)
        this.#report({ is: "page-hung", detail: `its probe failed: ${reasonOf(error)}` });
    }
  }

  async #end(running: Running): Promise<void> {
    running.closing = true;
    const { process: child, pipe, life } = running;
    // Its own way out first: it writes the profile. The end it announces may cut off its reply.
    pipe.browser.send("Browser.close", {}, { deadlineMs: closeLimitMs }).catch(() => undefined);
    const late = this.#options.clock.wait(closeLimitMs, life.signal).then(
      () => child.kill(),
      () => undefined,
    );
    await Promise.all([child.exited, late]);
  }

  #onExit(running: Running, how: string): void {
    running.life.abort(new Fault("browser-failed", `the browser exited: ${how}`));
    if (this.#running === running) this.#running = undefined;
    // While it is coming up, `open` tells.
    if (running.closing || running.engine === undefined) return;
    this.#report({ is: "browser-exited", detail: how });
  }

  #tell(news: IframeEvent): void {
    for (const listener of this.#frameListeners) listener(news);
  }

  #report(fault: HostFault): void {
    this.#options.log.warn({ fault: fault.is, detail: fault.detail }, "browser fault");
    for (const listener of this.#listeners) listener(fault);
  }

  #stage(): PlayerPage {
    const stage = this.#running?.stage;
    if (stage === undefined) throw new Fault("page-dead", "no browser is running");
    return stage;
  }

  #display(): FlagOptions["display"] {
    const { headless, env } = this.#options;
    if (headless) return "headless";
    return env["WAYLAND_DISPLAY"] !== undefined && env["DISPLAY"] === undefined ? "wayland" : "x11";
  }
}
