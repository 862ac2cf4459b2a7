// The one page a browser shows: loads it, keeps it from straying, takes its picture, repairs it. Knows no windows.
import type { Protocol } from "devtools-protocol";
import type { Clock } from "../../base/clock.ts";
import { Fault, isFault } from "../../base/fault.ts";
import type { Capture, HostFault, HostPage } from "../../player/host.ts";
import type { DevToolsPipe, DevToolsSession } from "./pipe.ts";

// What is behind every page until it has painted: never a white frame.
const black = { r: 0, g: 0, b: 0, a: 1 };
// A page that answers, answers within a frame or two; to take a busy one for hung does no harm here.
const aliveLimitMs = 500;
const crashLimitMs = 3_000;
// The page comes from this machine; a loaded single-board computer still takes its time.
const loadLimitMs = 15_000;

/** What the page needs from the browser around it. */
export interface PageOptions {
  pipe: DevToolsPipe;
  targetId: string;
  clock: Clock;
  onFault: (fault: HostFault) => void;
  /** Something was kept from happening; for the log. */
  onBlocked: (what: string, url: string) => void;
  /** Ends with the browser. */
  signal: AbortSignal;
}

type State =
  | { is: "idle" }
  | { is: "loading"; page: HostPage }
  | { is: "shown"; page: HostPage }
  /** `ours` when we crashed it ourselves, to get rid of a hung one. */
  | { is: "crashed"; page: HostPage };

/** A page in a running browser. Its calls reject with a Fault `page-dead`, `timeout` or `browser-failed`. */
export class PlayerPage {
  readonly session: DevToolsSession;
  readonly #options: PageOptions;
  #state: State = { is: "idle" };

  private constructor(session: DevToolsSession, options: PageOptions) {
    this.session = session;
    this.#options = options;
  }

  /** Takes the target over and guards it. */
  static async attach(options: PageOptions): Promise<PlayerPage> {
    const { pipe, targetId, signal } = options;
    const { sessionId } = await pipe.browser.send("Target.attachToTarget", { targetId, flatten: true });
    const stage = new PlayerPage(pipe.session(sessionId), options);
    const { session } = stage;
    pipe.browser.on("Target.targetCrashed", (event) => event.targetId === targetId && stage.#onCrash(event), signal);
    session.on("Page.frameNavigated", ({ frame }) => stage.#onNavigated(frame), signal);
    session.on("Page.loadEventFired", () => stage.#hidePointer(), signal);
    session.on("Page.javascriptDialogOpening", (dialog) => stage.#onDialog(dialog), signal);
    await Promise.all([
      session.send("Page.enable", {}),
      session.send("Emulation.setDefaultBackgroundColorOverride", { color: black }),
      // The black window (account.ts) makes Chromium believe in a dark desktop; pages are to look as they do elsewhere.
      session.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "light" }] }),
    ]);
    return stage;
  }

  /** Whether the page is loaded as far as we know; a hung one still is. */
  get isShown(): boolean {
    return this.#state.is === "shown";
  }

  /** Sets the page's cookie and requests it. */
  async show(page: HostPage, signal: AbortSignal): Promise<void> {
    this.#state = { is: "loading", page };
    const { name, value } = page.cookie;
    await this.session.send("Network.setCookie", { url: page.url, name, value, httpOnly: true, sameSite: "Strict" }, { signal });
    const done = new AbortController();
    const limit = AbortSignal.any([signal, this.#options.signal, done.signal]);
    try {
      // The answer to the call comes while the old document is still there; this event when the new one took over.
      const committed = new Promise<void>((resolve) => {
        this.session.on("Page.frameNavigated", ({ frame }) => frame.parentId === undefined && resolve(), limit);
      });
      const { errorText } = await this.session.send("Page.navigate", { url: page.url }, { signal });
      if (errorText !== undefined) throw new Fault("page-dead", `the browser could not load ${page.url}: ${errorText}`);
      await this.#within(loadLimitMs, committed, limit, `${page.url} was not answered`);
    } finally {
      done.abort();
    }
    this.#state = { is: "shown", page };
  }

  /** Loads the page anew. A hung page ignores a reload, so it is crashed first. */
  async reload(signal: AbortSignal): Promise<void> {
    if (this.#state.is === "idle") throw new Fault("page-dead", "no page has been opened");
    const { page } = this.#state;
    if (this.#state.is !== "crashed" && !(await this.isResponsive(aliveLimitMs))) await this.#crash(page, signal);
    await this.show(page, signal);
  }

  /** Whether the page's script answers within `limitMs`. */
  async isResponsive(limitMs: number): Promise<boolean> {
    try {
      await this.session.send("Runtime.evaluate", { expression: "1" }, { deadlineMs: limitMs, signal: this.#options.signal });
      return true;
    } catch (error) {
      if (isFault(error, "timeout") || isFault(error, "page-dead")) return false;
      throw error;
    }
  }

  /** What the browser presents now, as JPEG. */
  async capture(signal: AbortSignal): Promise<Capture> {
    // Full size only: a scaled clip puts the scaled picture on the live screen, 50 ms at a time.
    const { data } = await this.session.send("Page.captureScreenshot", { format: "jpeg", quality: 90, optimizeForSpeed: true }, { signal });
    return { bytes: Buffer.from(data, "base64"), mimeType: "image/jpeg" };
  }

  async #crash(page: HostPage, signal: AbortSignal): Promise<void> {
    const heard = new AbortController();
    const crashed = new Promise<void>((resolve) => {
      this.#options.pipe.browser.on(
        "Target.targetCrashed",
        ({ targetId }) => targetId === this.#options.targetId && resolve(),
        heard.signal,
      );
    });
    this.#state = { is: "crashed", page };
    const limit = AbortSignal.any([signal, this.#options.signal, heard.signal]);
    try {
      // Its reply comes only after the next navigation; the event is what tells.
      this.session.send("Page.crash", {}, { signal: limit }).catch(() => undefined);
      await this.#within(crashLimitMs, crashed, limit, "the hung page could not be ended");
    } finally {
      heard.abort();
    }
  }

  async #within(limitMs: number, work: Promise<void>, signal: AbortSignal, otherwise: string): Promise<void> {
    const late = this.#options.clock.wait(limitMs, signal).then(() => {
      throw new Fault("page-dead", `${otherwise} within ${limitMs} ms`);
    });
    await Promise.race([work, late]);
  }

  #onCrash({ status, errorCode }: Protocol.Target.TargetCrashedEvent): void {
    const known = this.#state;
    if (known.is === "idle" || known.is === "crashed") return;
    this.#state = { is: "crashed", page: known.page };
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

  // The pointer is drawn, whatever the page's style says, until the page has seen it move once; and a page without
  // its style yet would show it all the same, or keep the call waiting.
  #hidePointer(): void {
    this.session
      .send("Input.dispatchMouseEvent", { type: "mouseMoved", x: 1, y: 1 }, { signal: this.#options.signal })
      .catch(() => this.#options.onBlocked("hiding the pointer, by a page that does not answer", ""));
  }

  #onDialog({ type, url }: Protocol.Page.JavascriptDialogOpeningEvent): void {
    this.#options.onBlocked(`a ${type} dialog`, url);
    // Only "leave the page?" is answered yes: it is we who leave.
    this.session
      .send("Page.handleJavaScriptDialog", { accept: type === "beforeunload" }, { signal: this.#options.signal })
      .catch(() => this.#options.onBlocked(`a ${type} dialog that was gone before it was answered`, url));
  }
}
