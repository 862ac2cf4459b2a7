// The player's page in Chromium: loads it, keeps it on its origin, captures and repairs it.
import type { Protocol } from "devtools-protocol";
import type { Clock } from "../../base/clock.ts";
import { Fault, isFault } from "../../base/fault.ts";
import { defaultCapture, type Capture, type CaptureOptions, type HostFault, type HostPage } from "../../player/host.ts";
import type { CallOptions, DevToolsPipe, DevToolsSession } from "./pipe.ts";

// The background of every page until it has painted, instead of white.
const black = { r: 0, g: 0, b: 0, a: 1 };
// A healthy page responds within a frame or two. Treating a busy page as hung does no harm here.
const aliveLimitMs = 500;
const crashLimitMs = 3_000;
// Together with the question whether the page is alive, less than the five seconds that a picture may take.
const captureLimitMs = 4_000;
// The page comes from this machine, but a busy single-board computer is slow.
const loadLimitMs = 15_000;
const paintLimitMs = 3_000;

export interface PageOptions {
  pipe: DevToolsPipe;
  targetId: string;
  clock: Clock;
  onFault: (fault: HostFault) => void;
  /** Called for the log when something was prevented. */
  onBlocked: (what: string, url: string) => void;
  /** Aborts when the browser has exited. */
  signal: AbortSignal;
}

type State = { is: "idle" } | { is: "loading"; page: HostPage } | { is: "shown"; page: HostPage } | { is: "crashed"; page: HostPage };

/** The page of a running browser. Calls reject with a Fault `page-dead`, `timeout` or `browser-failed`. */
export class PlayerPage {
  readonly session: DevToolsSession;
  readonly #options: PageOptions;
  #state: State = { is: "idle" };

  private constructor(session: DevToolsSession, options: PageOptions) {
    this.session = session;
    this.#options = options;
  }

  /** Attaches to the browser's page. */
  static async attach(options: PageOptions): Promise<PlayerPage> {
    const { pipe, targetId, signal } = options;
    const { sessionId } = await pipe.browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new PlayerPage(pipe.session(sessionId), options);
    const { session } = page;
    pipe.browser.on("Target.targetCrashed", (event) => event.targetId === targetId && page.#onCrash(event), signal);
    session.on("Page.frameNavigated", ({ frame }) => page.#onNavigated(frame), signal);
    session.on("Page.loadEventFired", () => page.#hidePointer(), signal);
    session.on("Page.javascriptDialogOpening", (dialog) => page.#onDialog(dialog), signal);
    await Promise.all([
      session.send("Page.enable", {}),
      session.send("Emulation.setDefaultBackgroundColorOverride", { color: black }),
      // The black window background (account.ts) looks like a dark desktop theme to Chromium; pages are to use the light one.
      session.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "light" }] }),
    ]);
    return page;
  }

  /** True if the page has been loaded and has not crashed. A hung page counts as shown. */
  get isShown(): boolean {
    return this.#state.is === "shown";
  }

  /** Sets the page's cookie and requests it. */
  async show(page: HostPage, signal: AbortSignal): Promise<void> {
    this.#state = { is: "loading", page };
    await this.#setCookie(page, { signal });
    const cleanup = new AbortController();
    const limit = AbortSignal.any([signal, this.#options.signal, cleanup.signal]);
    try {
      // The call returns while the old document is still there; this event comes when the new one has replaced it.
      const navigation = new Promise<void>((resolve) => {
        this.session.on("Page.frameNavigated", ({ frame }) => frame.parentId === undefined && resolve(), limit);
      });
      const { errorText } = await this.session.send("Page.navigate", { url: page.url }, { signal });
      if (errorText !== undefined) throw new Fault("page-dead", `the browser could not load ${page.url}: ${errorText}`);
      await this.#within(loadLimitMs, navigation, limit, `${page.url} was not loaded`);
    } finally {
      cleanup.abort();
    }
    this.#state = { is: "shown", page };
  }

  /** Resolves when the page's first paint has been presented, or after three seconds: a page that hangs is shown as it is. */
  async waitForPaint(signal: AbortSignal): Promise<void> {
    // The entry comes when the frame has been presented (W3C Paint Timing), an animation frame's callback before it is drawn.
    const expression = "new Promise((painted) => new PerformanceObserver(() => painted()).observe({ type: 'paint', buffered: true }))";
    await this.#responds(async (limit) => {
      await this.session.send("Runtime.evaluate", { expression, awaitPromise: true }, { ...limit, signal });
    }, paintLimitMs);
  }

  /** Loads the page again. A hung page ignores a reload, so it is crashed first. */
  async reload(signal: AbortSignal): Promise<void> {
    if (this.#state.is === "idle") throw new Fault("page-dead", "no page has been opened");
    const { page } = this.#state;
    if (this.#state.is !== "crashed" && !(await this.isResponsive(aliveLimitMs))) await this.#crash(page, signal);
    await this.show(page, signal);
  }

  /** Resolves to true if the page's script responds within `limitMs`. */
  isResponsive(limitMs: number): Promise<boolean> {
    return this.#responds(async (limit) => void (await this.session.send("Runtime.evaluate", { expression: "1" }, limit)), limitMs);
  }

  /**
   * Resolves to true if the network service, which keeps the cookies, responds within `limitMs`. A new one has lost the page's
   * cookie, and the page could load nothing; so the cookie is set again.
   */
  isNetworkResponsive(limitMs: number): Promise<boolean> {
    return this.#responds(async (limit) => {
      if (this.#state.is === "idle") return;
      const { page } = this.#state;
      const { cookies } = await this.session.send("Network.getCookies", { urls: [page.url] }, limit);
      if (!cookies.some(({ name, value }) => name === page.cookie.name && value === page.cookie.value)) await this.#setCookie(page, limit);
    }, limitMs);
  }

  /** The page as it is shown now. */
  async capture(signal: AbortSignal, { format, quality }: CaptureOptions = defaultCapture): Promise<Capture> {
    // Full size only: scaling would show the scaled picture on the screen for 50 ms.
    const options = { format, ...(format === "jpeg" ? { quality } : {}), optimizeForSpeed: true };
    try {
      const { data } = await this.session.send("Page.captureScreenshot", options, { deadlineMs: captureLimitMs, signal });
      return { bytes: Buffer.from(data, "base64"), mimeType: `image/${format}` };
    } catch (error) {
      if (!isFault(error, "timeout") || (await this.isResponsive(aliveLimitMs))) throw error;
      throw new Fault("page-hung", "the page does not respond", { cause: error });
    }
  }

  async #responds(call: (limit: CallOptions) => Promise<void>, limitMs: number): Promise<boolean> {
    try {
      await call({ deadlineMs: limitMs, signal: this.#options.signal });
      return true;
    } catch (error) {
      if (isFault(error, "timeout") || isFault(error, "page-dead")) return false;
      throw error;
    }
  }

  async #setCookie({ url, cookie: { name, value } }: HostPage, options: CallOptions): Promise<void> {
    await this.session.send("Network.setCookie", { url, name, value, httpOnly: true, sameSite: "Strict" }, options);
  }

  async #crash(page: HostPage, signal: AbortSignal): Promise<void> {
    const cleanup = new AbortController();
    const crash = new Promise<void>((resolve) => {
      this.#options.pipe.browser.on(
        "Target.targetCrashed",
        ({ targetId }) => targetId === this.#options.targetId && resolve(),
        cleanup.signal,
      );
    });
    this.#state = { is: "crashed", page };
    const limit = AbortSignal.any([signal, this.#options.signal, cleanup.signal]);
    try {
      // The reply comes only after the next navigation, or never: whether the page has crashed is told by the event, in time or not.
      this.session.send("Page.crash", {}, { signal: limit }).catch(() => undefined);
      await this.#within(crashLimitMs, crash, limit, "the hung page could not be ended");
    } finally {
      cleanup.abort();
    }
  }

  async #within(limitMs: number, work: Promise<void>, signal: AbortSignal, failure: string): Promise<void> {
    const deadline = this.#options.clock.wait(limitMs, signal).then(() => {
      throw new Fault("page-dead", `${failure} within ${limitMs} ms`);
    });
    await Promise.race([work, deadline]);
  }

  #onCrash({ status, errorCode }: Protocol.Target.TargetCrashedEvent): void {
    const state = this.#state;
    if (state.is === "idle" || state.is === "crashed") return;
    this.#state = { is: "crashed", page: state.page };
    this.#options.onFault({ is: "page-crashed", detail: `its renderer ended: ${status} ${errorCode}` });
  }

  #onNavigated(frame: Protocol.Page.Frame): void {
    if (frame.parentId !== undefined || this.#state.is !== "shown") return;
    const { page } = this.#state;
    if (frame.unreachableUrl !== undefined) {
      this.#options.onFault({ is: "page-crashed", detail: `the browser could not load ${frame.unreachableUrl}` });
    } else if (new URL(frame.url).origin !== new URL(page.url).origin) {
      this.#options.onBlocked("the page left its origin", frame.url);
      this.show(page, this.#options.signal).catch((error: unknown) => {
        if (!this.#options.signal.aborted) this.#options.onFault({ is: "page-crashed", detail: String(error) });
      });
    }
  }

  // The pointer is drawn, regardless of the page's style, until the page has seen it move once. This is done after each load,
  // because a page without its style would still show the pointer, or delay the call.
  #hidePointer(): void {
    this.session
      .send("Input.dispatchMouseEvent", { type: "mouseMoved", x: 1, y: 1 }, { signal: this.#options.signal })
      .catch(() => this.#options.onBlocked("hiding the pointer: the page does not respond", ""));
  }

  #onDialog({ type, url }: Protocol.Page.JavascriptDialogOpeningEvent): void {
    this.#options.onBlocked(`a ${type} dialog`, url);
    // Only "leave the page?" is accepted, because the host is leaving it.
    this.session
      .send("Page.handleJavaScriptDialog", { accept: type === "beforeunload" }, { signal: this.#options.signal })
      .catch(() => this.#options.onBlocked(`a ${type} dialog was gone before it was closed`, url));
  }
}
