// A page whose time and frames a test drives: nothing moves in it by itself, however busy the machine is.
// Chromium's headless shell draws a frame when it is told to (HeadlessExperimental.beginFrame), and its timers, performance.now,
// animations and videos follow a virtual time (Emulation.setVirtualTimePolicy).
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright";
import type { PageServer, ServedTime } from "./page-server.ts";

/** The switches that the browser needs: those of Chromium's deterministic mode (headless/app/headless_command_line_switches). */
export const drivenSwitches = [
  "--enable-begin-frame-control",
  "--run-all-compositor-stages-before-draw",
  "--disable-new-content-rendering-timeout",
  "--disable-threaded-animation",
  "--disable-threaded-scrolling",
  "--disable-checker-imaging",
  "--disable-image-animation-resync",
];

// Nearly all tests need the time that passes, not the number of frames. Frames that are judged one by one are closer to each other.
const usualFrameMs = 1_000 / 20;
const recordedFrameMs = 1_000 / 30;
// What loads may need frames to be ready, so a few short ones are drawn while it does. A socket may need a little time to open.
const lookMs = 4;
const looksPerFrame = 8;
const loadingMs = 10;
const socketMs = 1;
// Driven time in which what a test waits for has to happen. It ends tests that hang, after the same frames on every machine.
const limitMs = 60_000;

/** A frame as the compositor drew it, as a PNG, and its corrected time in UTC ms of the page's server. */
export interface DrawnFrame {
  png: Buffer;
  at: number;
}

/** The time of a page, which only its test moves on. */
export class DrivenTime implements ServedTime {
  readonly origin: number;
  readonly limitMs = limitMs;
  /** Time between two frames; a slow display has more. */
  frameMs = usualFrameMs;
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #ticksBase: number;
  readonly #waiting = new Set<{ until: number; resolve: () => void }>();
  #server: PageServer | null = null;
  #elapsed = 0;
  #passing: Promise<void> | null = null;
  #drawing: Promise<void> | null = null;
  /** Requests for the time that are being answered. */
  #answers = 0;
  #recorded: DrawnFrame[] | null = null;
  #seenTraffic = "";

  private constructor(page: Page, session: CDPSession, origin: number, ticksBase: number) {
    [this.#page, this.#session, this.origin, this.#ticksBase] = [page, session, origin, ticksBase];
  }

  /** Stops the time of a page that {@link openDriven} opened. */
  static async of(page: Page): Promise<DrivenTime> {
    await page.addInitScript(prepareWindow);
    const session = await page.context().newCDPSession(page);
    const origin = Date.now();
    const { virtualTimeTicksBase } = await session.send("Emulation.setVirtualTimePolicy", {
      policy: "pause",
      initialVirtualTime: origin / 1_000,
    });
    const time = new DrivenTime(page, session, origin, virtualTimeTicksBase);
    drivenPages.set(page, time);
    return time;
  }

  /** Opens the page of `server`, whose time this is. An earlier one is left; the time goes on from where it stopped. */
  async open(server: PageServer): Promise<void> {
    this.#server = server;
    this.frameMs = usualFrameMs;
    this.#waiting.clear();
    await this.during(this.#page.goto(server.url));
    await server.waitForMessage("hello");
  }

  elapsed(): number {
    return this.#elapsed;
  }

  /** Draws the next frame. Several callers at once share it. */
  pass(): Promise<void> {
    return this.#drawShared(this.frameMs);
  }

  /** Draws each frame of the next `ms`. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    while (this.#elapsed < end - 0.01) await this.#drawShared(Math.min(this.frameMs, end - this.#elapsed));
  }

  async pageTime(): Promise<number> {
    this.#answers += 1;
    try {
      await this.#drawing;
      const { result } = await this.#session.send("Runtime.evaluate", { expression: "performance.now()", returnByValue: true });
      return result.value as number;
    } finally {
      // By then the server has sent and counted its answer.
      setImmediate(() => (this.#answers -= 1));
    }
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.add({ until: this.#elapsed + ms, resolve }));
  }

  /** Draws frames until `work` settles. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = work.finally(() => (isOver = true));
    over.catch(() => undefined); // The caller gets the failure below.
    const end = this.#elapsed + limitMs;
    while (!isOver && this.#elapsed < end) await this.pass();
    if (!isOver) throw new Error(`not over after ${limitMs} ms of driven time`);
    return over;
  }

  /** Draws frames until `check` no longer throws. */
  async until(check: () => void | Promise<void>): Promise<void> {
    const end = this.#elapsed + limitMs;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (this.#elapsed >= end) throw error;
      }
      await this.pass();
    }
  }

  /** All frames that are drawn while `act` runs. */
  async record(act: () => Promise<void>): Promise<DrawnFrame[]> {
    const frames: DrawnFrame[] = [];
    const { frameMs } = this;
    if (frameMs === usualFrameMs) this.frameMs = recordedFrameMs;
    this.#recorded = frames;
    try {
      await act();
    } finally {
      this.#recorded = null;
      this.frameMs = frameMs;
    }
    return frames;
  }

  /** The picture of the next frame. */
  async picture(): Promise<Buffer> {
    for (;;) {
      const [frame] = await this.record(() => this.pass());
      if (frame !== undefined) return frame.png;
    }
  }

  /** Draws the frame `ms` later, or waits for the one that is being drawn. */
  #drawShared(ms: number): Promise<void> {
    return (this.#passing ??= this.#step(ms).finally(() => (this.#passing = null)));
  }

  async #step(ms: number): Promise<void> {
    if (this.#traffic() !== this.#seenTraffic) await this.#settle();
    await this.#draw(ms);
    await this.#settle();
  }

  #draw(ms: number): Promise<void> {
    this.#drawing = this.#drawFrame(ms).finally(() => (this.#drawing = null));
    return this.#drawing;
  }

  async #drawFrame(ms: number): Promise<void> {
    const isOver = new Promise<void>((resolve) => this.#session.once("Emulation.virtualTimeBudgetExpired", () => resolve()));
    await this.#session.send("Emulation.setVirtualTimePolicy", { policy: "advance", budget: ms });
    await isOver;
    this.#elapsed += ms;
    for (const each of this.#waiting) {
      if (each.until > this.#elapsed) continue;
      this.#waiting.delete(each);
      each.resolve();
    }
    const { screenshotData } = await this.#session.send("HeadlessExperimental.beginFrame", {
      frameTimeTicks: this.#ticksBase + this.#elapsed,
      interval: ms,
      ...(this.#recorded === null ? {} : { screenshot: { format: "png", optimizeForSpeed: true } }),
    });
    if (screenshotData === undefined) return;
    this.#recorded?.push({ png: Buffer.from(screenshotData, "base64"), at: this.#server!.now() });
  }

  /** Waits until every message has arrived and nothing loads but what the server holds back. */
  async #settle(): Promise<void> {
    let looks = 0;
    for (let missing = await this.#look(); missing !== null; missing = await this.#look()) {
      await delay(lookMs);
      looks += 1;
      if (looks % looksPerFrame === 0 && this.#answers === 0) await this.#draw(missing === "file" ? loadingMs : socketMs);
    }
    this.#seenTraffic = this.#traffic();
  }

  /** What the page waits for; null: nothing. */
  async #look(): Promise<"file" | "message" | null> {
    const { result } = await this.#session.send("Runtime.evaluate", { expression: lookAtPage, returnByValue: true });
    const seen = result.value as SeenPage | undefined;
    const traffic = this.#server?.traffic;
    if (seen === undefined || traffic === undefined) return "file";
    // Chromium sometimes lets ten ms more pass than it was told to.
    this.#elapsed = Math.max(this.#elapsed, seen.now - this.origin);
    if (traffic.responses > 0 || (traffic.held === 0 && seen.loading > 0)) return "file";
    if (this.#answers > 0) return "message";
    if (seen.socket === null || seen.socket.state === "closed") return null;
    const { state, received, sent } = seen.socket;
    return state === "open" && received === traffic.sent && sent === traffic.received ? null : "message";
  }

  #traffic(): string {
    return JSON.stringify(this.#server?.traffic);
  }
}

const drivenPages = new WeakMap<Page, DrivenTime>();

/** The time of a driven page; undefined for a page that runs by itself. */
export function drivenTimeOf(page: Page): DrivenTime | undefined {
  return drivenPages.get(page);
}

/** Opens an empty page that draws no frame by itself, in a context of its own, which the caller closes. */
export async function openDriven(browser: Browser, width: number, height: number): Promise<Page> {
  const session = await browser.newBrowserCDPSession();
  const before = new Set((await session.send("Target.getBrowserContexts")).browserContextIds);
  const context = await browser.newContext({ viewport: null });
  const { browserContextIds } = await session.send("Target.getBrowserContexts");
  const browserContextId = browserContextIds.find((id) => !before.has(id))!;
  const appearing = context.waitForEvent("page");
  await session.send("Target.createTarget", { url: "about:blank", width, height, enableBeginFrameControl: true, browserContextId });
  const page = await appearing;
  await session.detach();
  return page;
}

// What follows runs in the page; it is text, because these programs know no page's types.

/** Before the page's own scripts: counts the messages of its socket, and reports when frames are presented. */
const prepareWindow = `if (window === window.top) {
  window.WebSocket = class extends WebSocket {
    constructor(url) {
      super(url);
      const counted = (window.countedSocket = { socket: this, received: 0, sent: 0 });
      this.addEventListener("message", () => (counted.received += 1));
    }
    send(data) {
      super.send(data);
      if (window.countedSocket.socket === this) window.countedSocket.sent += 1;
    }
  };
  // Chromium reports times of presentation on the machine's clock, and of some driven frames never. Here a frame is presented when it is drawn.
  window.PerformanceObserver = class extends PerformanceObserver {
    constructor(callback) {
      super(callback);
      this.report = (entries) => callback({ getEntries: () => entries }, this);
    }
    observe(options) {
      if (options.type !== "element") return super.observe(options);
      new MutationObserver((changes) => {
        const dots = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.className === "presentation");
        const entries = dots.map((dot) => ({ identifier: dot.getAttribute("elementtiming"), renderTime: performance.now() }));
        if (entries.length > 0) requestAnimationFrame(() => this.report(entries));
      }).observe(document.body, { childList: true });
    }
  };
}`;

/** What {@link lookAtPage} returns. */
interface SeenPage {
  /** Its time, UTC ms. */
  now: number;
  /** The messages of the newest socket; null before there is one. */
  socket: { state: "connecting" | "open" | "closed"; received: number; sent: number } | null;
  /** How many pictures and videos the page waits for. */
  loading: number;
}

const lookAtPage = `(() => {
  const pictures = [...document.images].filter((each) => !each.complete).length + document.querySelectorAll("div.item:empty").length;
  const videos = [...document.querySelectorAll("video")].filter(
    (each) => each.error === null && !each.ended && each.networkState !== each.NETWORK_NO_SOURCE && (each.seeking || each.readyState < 3),
  ).length;
  const loading = pictures + videos;
  const now = performance.timeOrigin + performance.now();
  if (window.countedSocket === undefined) return { now, socket: null, loading };
  const { socket, received, sent } = window.countedSocket;
  return { now, socket: { state: ["connecting", "open", "closed", "closed"][socket.readyState], received, sent }, loading };
})()`;
