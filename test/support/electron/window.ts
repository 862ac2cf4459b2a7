// The stand-in's `BrowserWindow`: a window with one page, in its own Chromium.
import { EventEmitter } from "node:events";
import type { BrowserWindow as ElectronWindow, BrowserWindowConstructorOptions, Rectangle } from "electron";
import { app, PreventableEvent, runtime, type OwnedWindow } from "./app.ts";
import { BrowserProcess, partitionFolder } from "./browser.ts";
import { StandInContents } from "./contents.ts";
import { demandWhole } from "./preconditions.ts";
import { record } from "./record.ts";
import type { StandInSession } from "./session.ts";

export class BrowserWindow extends EventEmitter implements OwnedWindow {
  readonly #contents: StandInContents;
  readonly #process: BrowserProcess;
  #isDestroyed = false;

  constructor(options: BrowserWindowConstructorOptions) {
    super();
    if (!app.isReady()) throw new Error("Cannot create BrowserWindow before app is ready");
    if (runtime.windows.size > 0) throw new Error("the stand-in has one window at a time");
    const { webPreferences = {}, kiosk = false, x, y, width, height } = options;
    const session = webPreferences.session as unknown as StandInSession;
    record({ call: "new BrowserWindow", ...options, webPreferences: { ...webPreferences, session: session.partition } });
    const isWhole = kiosk && x === 0 && y === 0;
    const size = isWhole ? null : { width: width ?? 800, height: height ?? 600 };
    this.#process = new BrowserProcess(partitionFolder(session.partition), size, session.proxy);
    session.browser = this.#process.started;
    this.#contents = new StandInContents(this, session, this.#process.started, webPreferences);
    runtime.windows.add(this);
  }

  get webContents(): StandInContents {
    this.#check();
    return this.#contents;
  }

  get browserPid(): number {
    return this.#process.pid;
  }

  get gone(): Promise<void> {
    return this.#process.gone;
  }

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  setBounds({ x = 0, y = 0, width, height }: Partial<Rectangle>): void {
    this.#check();
    record({ call: "setBounds", x, y, width, height });
    if (width === undefined || height === undefined) throw new Error("the stand-in needs the whole bounds");
    for (const value of [x, y, width, height]) demandWhole(value);
    void this.#process.started.then(async ({ pipe, page, windowId }) => {
      await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 0, mobile: false });
      await pipe.browser.send("Browser.setWindowBounds", { windowId, bounds: { windowState: "normal" } });
      await pipe.browser.send("Browser.setWindowBounds", { windowId, bounds: { left: x, top: y, width: width + 1, height: height + 1 } });
    });
  }

  /** Emits "close", which listeners can prevent. */
  close(): void {
    this.#check();
    const event = new PreventableEvent();
    this.emit("close", event);
    record({ call: "close", prevented: event.defaultPrevented });
    // Browser::OnWindowCloseCancelled
    if (event.defaultPrevented) runtime.isQuitting = false;
    else this.destroy();
  }

  /** Cannot be prevented. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.#contents.end();
    this.#process.end();
    this.emit("closed");
    runtime.onWindowGone(this);
  }

  #check(): void {
    if (this.#isDestroyed) throw new TypeError("Object has been destroyed");
  }
}

BrowserWindow.prototype satisfies Pick<ElectronWindow, "isDestroyed" | "setBounds" | "close" | "destroy">;
