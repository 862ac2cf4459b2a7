// The stand-in's `webContents` and its debugger, over DevTools sessions of the real Chromium.
import { EventEmitter } from "node:events";
import type { Debugger, NativeImage, WebContents, WebPreferences, WindowOpenHandlerResponse } from "electron";
import { PreventableEvent } from "./app.ts";
import type { Browser } from "./browser.ts";
import { conversionFailure, demandAddress, demandFunction, demandOneOf, demandText, webRtcPolicies } from "./preconditions.ts";
import { onTestEvent, record } from "./record.ts";
import type { StandInSession } from "./session.ts";

// The JPEG qualities that the stand-in supports, because it captures in advance and Electron encodes at once.
const knownQualities = [90, 85, 60];
const frameLimitMs = 30_000;

type OpenHandler = (details: { url: string }) => WindowOpenHandlerResponse;

/** The parts of a window that the page uses. */
interface Owner {
  close(): void;
}

export class StandInContents extends EventEmitter {
  readonly debugger: StandInDebugger;
  readonly #owner: Owner;
  readonly #session: StandInSession;
  readonly #browser: Promise<Browser>;
  readonly #loading = new Set<string>();
  #mainFrame = "";
  #isCrashed = false;
  #isDestroyed = false;
  #openHandler: OpenHandler = () => ({ action: "allow" });
  /** The address that the app itself is loading. Such a navigation emits no event that prevents it. */
  #ownNavigation: string | null = null;

  constructor(owner: Owner, session: StandInSession, browser: Promise<Browser>, { disableDialogs = false }: WebPreferences) {
    super();
    this.#owner = owner;
    this.#session = session;
    this.#browser = browser.then(async (running) => {
      await this.#listen(running, disableDialogs);
      return running;
    });
    this.#browser.catch(() => undefined);
    this.debugger = new StandInDebugger(this.#browser);
  }

  get session(): StandInSession {
    this.#check();
    return this.#session;
  }

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  isCrashed(): boolean {
    this.#check();
    return this.#isCrashed;
  }

  /** Whether the page or any of its iframes is loading. */
  isLoading(): boolean {
    this.#check();
    return this.#loading.size > 0;
  }

  isLoadingMainFrame(): boolean {
    this.#check();
    return this.#loading.has(this.#mainFrame);
  }

  /** The stand-in's Chromium has this policy from its switches. */
  setWebRTCIPHandlingPolicy(policy: string): void {
    this.#check();
    demandOneOf(policy, webRtcPolicies);
    record({ call: "setWebRTCIPHandlingPolicy", policy });
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#check();
    demandFunction(handler);
    this.#openHandler = handler;
  }

  /** Resolves with the load event; rejects when the page cannot be loaded. */
  async loadURL(url: string): Promise<void> {
    this.#check();
    demandAddress(url);
    const { page, life } = await this.#browser;
    const done = new AbortController();
    const end = AbortSignal.any([life, done.signal]);
    this.#ownNavigation = url;
    try {
      const loaded = new Promise<void>((resolve, reject) => {
        page.on("Page.loadEventFired", () => resolve(), end);
        this.once("render-process-gone", () => reject(new Error(`ERR_FAILED (-2) loading '${url}'`)));
        life.addEventListener("abort", () => reject(new Error(`ERR_ABORTED (-3) loading '${url}'`)), { once: true });
      });
      loaded.catch(() => undefined);
      const { errorText } = await page.send("Page.navigate", { url }, { deadlineMs: frameLimitMs });
      if (errorText !== undefined) throw new Error(`${errorText.replace(/^net::/, "")} loading '${url}'`);
      await loaded;
    } finally {
      done.abort();
    }
  }

  async executeJavaScript(code: string): Promise<unknown> {
    this.#check();
    demandText(code);
    const { page } = await this.#browser;
    const call = { expression: code, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await page.send("Runtime.evaluate", call, { deadlineMs: frameLimitMs });
    if (exceptionDetails !== undefined) throw new Error("Script failed to execute");
    return result.value;
  }

  async capturePage(): Promise<NativeImage> {
    this.#check();
    const { page } = await this.#browser;
    const take = async (format: "png" | "jpeg", quality?: number): Promise<Buffer> => {
      const options = { format, ...(quality === undefined ? {} : { quality }), optimizeForSpeed: true };
      return Buffer.from((await page.send("Page.captureScreenshot", options)).data, "base64");
    };
    const png = await take("png");
    const jpegs = new Map(await Promise.all(knownQualities.map(async (quality) => [quality, await take("jpeg", quality)] as const)));
    const image = {
      isEmpty: () => png.length === 0,
      toPNG: () => png,
      toJPEG: (quality) => {
        if (!Number.isInteger(quality) || quality < 0 || quality > 100) throw conversionFailure(0, quality);
        const bytes = jpegs.get(quality);
        if (bytes === undefined) throw new Error(`the stand-in only supports pictures of the qualities ${knownQualities.join()}`);
        return bytes;
      },
    } satisfies Pick<NativeImage, "isEmpty" | "toJPEG" | "toPNG">;
    return image as unknown as NativeImage;
  }

  forcefullyCrashRenderer(): void {
    this.#check();
    // The reply only comes with the next document, so the event is awaited.
    void this.#browser.then(({ page }) => page.send("Page.crash", {}).catch(() => undefined));
  }

  /** Ends with the window. */
  end(): void {
    this.#isDestroyed = true;
    this.debugger.end("target closed");
    this.emit("destroyed");
  }

  async #listen({ pipe, page, targetId, life }: Browser, disableDialogs: boolean): Promise<void> {
    pipe.browser.on(
      "Target.targetCrashed",
      (event) => {
        if (event.targetId !== targetId || this.#isDestroyed) return;
        this.#isCrashed = true;
        this.#loading.clear();
        const reason = event.status === "killed" ? "killed" : "crashed";
        this.emit("render-process-gone", new PreventableEvent(), { reason, exitCode: event.errorCode });
      },
      life,
    );
    page.on("Page.frameStartedLoading", ({ frameId }) => this.#loading.add(frameId), life);
    page.on("Page.frameStoppedLoading", ({ frameId }) => this.#loading.delete(frameId), life);
    page.on("Page.frameDetached", ({ frameId }) => this.#loading.delete(frameId), life);
    page.on(
      "Page.frameNavigated",
      ({ frame }) => {
        if (frame.parentId !== undefined || this.#isDestroyed) return;
        this.#isCrashed = false;
        if (frame.unreachableUrl === undefined) this.emit("did-navigate", new PreventableEvent(), frame.url, 200, "OK");
      },
      life,
    );
    page.on(
      "Page.windowOpen",
      ({ url }) => {
        const { action } = this.#openHandler({ url });
        if (action !== "deny") throw new Error("the stand-in opens no second window");
      },
      life,
    );
    page.on(
      "Page.javascriptDialogOpening",
      ({ type, message }) => {
        if (type !== "beforeunload" && !disableDialogs) throw new Error(`the stand-in shows no dialogs: ${message}`);
        const event = new PreventableEvent();
        if (type === "beforeunload") this.emit("will-prevent-unload", event);
        page.send("Page.handleJavaScriptDialog", { accept: event.defaultPrevented }).catch(() => undefined);
      },
      life,
    );
    page.on(
      "Fetch.requestPaused",
      ({ requestId, request, frameId, redirectedRequestId }) => {
        const isOurs = frameId === this.#mainFrame && !this.#isDestroyed;
        const isPrevented = isOurs && this.#asksToLeave(request.url, redirectedRequestId !== undefined);
        const answer = isPrevented
          ? page.send("Fetch.failRequest", { requestId, errorReason: "Aborted" })
          : page.send("Fetch.continueRequest", { requestId });
        answer.catch(() => undefined); // the request ended with its iframe
      },
      life,
    );
    pipe.browser.on(
      "Browser.downloadWillBegin",
      () => {
        const event = new PreventableEvent();
        this.#session.emit("will-download", event);
        if (!event.defaultPrevented) throw new Error("the stand-in downloads nothing");
      },
      life,
    );
    pipe.browser.on("Target.targetDestroyed", (event) => event.targetId === targetId && !this.#isDestroyed && this.#owner.close(), life);
    const { frameTree } = await page.send("Page.getFrameTree", {});
    this.#mainFrame = frameTree.frame.id;
    await Promise.all([
      page.send("Page.enable", {}),
      page.send("Fetch.enable", { patterns: [{ urlPattern: "*", resourceType: "Document", requestStage: "Request" }] }),
      pipe.browser.send("Browser.setDownloadBehavior", { behavior: "deny", eventsEnabled: true }),
      page.send("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 1 } }),
      this.#session.grants ? pipe.browser.send("Browser.grantPermissions", { permissions: ["geolocation", "notifications"] }) : null,
    ]);
  }

  /** Emits the event of a navigation; true when the app prevents it. The app's own navigations emit none. */
  #asksToLeave(url: string, isRedirect: boolean): boolean {
    const isOwn = !isRedirect && url === this.#ownNavigation;
    if (isOwn) {
      this.#ownNavigation = null;
      return false;
    }
    const event = Object.assign(new PreventableEvent(), { url, isMainFrame: true, isSameDocument: false, frame: null });
    this.emit(isRedirect ? "will-redirect" : "will-navigate", event);
    record({ call: isRedirect ? "will-redirect" : "will-navigate", url, prevented: event.defaultPrevented });
    return event.defaultPrevented;
  }

  #check(): void {
    if (this.#isDestroyed) throw new TypeError("Object has been destroyed");
  }
}

type StandsInFor = Pick<
  WebContents,
  "isDestroyed" | "isCrashed" | "isLoading" | "isLoadingMainFrame" | "executeJavaScript" | "capturePage" | "forcefullyCrashRenderer"
>;
StandInContents.prototype satisfies StandsInFor;

/** The app's own DevTools client of the page. */
class StandInDebugger extends EventEmitter {
  readonly #browser: Promise<Browser>;
  readonly #life = new AbortController();
  #sessionId: Promise<string> | undefined;

  constructor(browser: Promise<Browser>) {
    super();
    this.#browser = browser;
    onTestEvent((event) => event.is === "detach" && this.end(event.reason));
  }

  isAttached(): boolean {
    return this.#sessionId !== undefined && !this.#life.signal.aborted;
  }

  attach(version?: string): void {
    if (version !== undefined) demandText(version);
    if (this.isAttached()) throw new Error("Debugger is already attached to the target");
    this.#sessionId = this.#attach();
    this.#sessionId.catch(() => undefined);
  }

  async sendCommand(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    demandText(method, 0);
    if (typeof params !== "object" || params === null) throw conversionFailure(1, params);
    if (sessionId !== undefined) demandText(sessionId, 2);
    if (this.#sessionId === undefined) throw new Error("No target available");
    const own = await this.#sessionId;
    const { pipe } = await this.#browser;
    // Calls have no deadline here, because the app sets its own.
    return await pipe.call(sessionId ?? own, method, params, { deadlineMs: 2 ** 30 });
  }

  /** Ends the attachment. */
  end(reason: string): void {
    if (!this.isAttached()) return;
    this.#life.abort();
    this.emit("detach", new PreventableEvent(), reason);
  }

  async #attach(): Promise<string> {
    const { pipe, targetId, onEvent, life } = await this.#browser;
    const { sessionId } = await pipe.browser.send("Target.attachToTarget", { targetId, flatten: true });
    const ours = new Set([sessionId]);
    const end = AbortSignal.any([life, this.#life.signal]);
    onEvent(({ sessionId: from, method, params }) => {
      if (from === undefined || !ours.has(from)) return;
      if (method === "Target.attachedToTarget") ours.add((params as { sessionId: string }).sessionId);
      this.emit("message", new PreventableEvent(), method, params, from === sessionId ? "" : from);
    }, end);
    return sessionId;
  }
}
StandInDebugger.prototype satisfies Pick<Debugger, "isAttached" | "attach" | "sendCommand">;
