// The interface between the player and a browser. Independent of which browser it is.

/** The browser behind a host, as it reports itself. */
export interface BrowserEngine {
  name: "chromium" | "electron";
  version: string;
  headless: boolean;
}

/** The running browser in a heartbeat; null: none. */
export function describeEngine(engine: BrowserEngine | null): string {
  return engine === null ? "none" : `${engine.name} ${engine.version}${engine.headless ? " headless" : ""}`;
}

/** The page to show, and the cookie that authorizes the browser to load it. The secret is in no argument and no URL. */
export interface HostPage {
  url: string;
  cookie: { name: string; value: string };
}

/** How `Host.open` starts a browser. It changes nothing about one that runs already. */
export interface OpenOptions {
  /** Draws in software, because drawing with the GPU failed. Only if `canDrawWithoutGpu`. */
  withoutGpu?: boolean;
}

/** A failure of the browser. The host reports it; `recovery.ts` decides on the remedy. */
export type HostFault =
  | { is: "page-crashed"; detail: string }
  | { is: "page-hung"; detail: string }
  | { is: "browser-exited"; detail: string };

/** A site that iframes of the page may show. An iframe belongs to the site if its name begins with `id` and a dot. */
export interface IframeSite {
  id: string;
  /** http or https. Headers that forbid framing are removed only from responses of its origin. */
  url: string;
  /** Sent with every request to its origin and to no other. Secret: never log them or send them to the page. */
  headers: Readonly<Record<string, string>>;
  /** CSS added to its documents. */
  css: string | null;
  /** True if its iframes may not navigate to another origin. */
  isConfinedToOrigin: boolean;
}

/** Why an iframe shows nothing: it did not load, was too slow, stayed blank, hangs, or its renderer process ended. */
export type IframeFault = "load" | "timeout" | "blank" | "stalled" | "crashed";

/**
 * An event of the iframe with the name `frame`. `shown` comes once, when its document has painted; `failed` comes at most once.
 * Iframes whose renderer processes ended together have the same `crashId`: any of them may have caused it.
 */
export type IframeEvent =
  | { frame: string; is: "shown" }
  | { frame: string; is: "failed"; code: IframeFault; detail: string; crashId?: string };

/** Resident memory of the browser's processes in bytes, shared memory counted once. */
export interface BrowserMemory {
  /** The main process. */
  browser: number;
  /** The processes that draw the page and its iframes. */
  page: number;
  gpu: number;
  other: number;
}

/** The memory of no process. */
export const noBrowserMemory: BrowserMemory = { browser: 0, page: 0, gpu: 0, other: 0 };

/** A screenshot of the browser's window. */
export interface Capture {
  bytes: Buffer;
  mimeType: "image/jpeg" | "image/png";
}

/** The form in which the browser returns a screenshot. */
export interface CaptureOptions {
  format: "jpeg" | "png";
  /** Of JPEG, 1 to 100. */
  quality: number;
}

/** High enough that a conversion afterwards adds no visible loss. */
export const defaultCapture: CaptureOptions = { format: "jpeg", quality: 90 };

/**
 * A browser that shows one page fullscreen. The program owns it. `open` starts the browser, also after it has exited.
 * Calls reject with a Fault: `browser-missing`, `browser-failed`, `page-dead` or `timeout`.
 */
export interface Host extends AsyncDisposable {
  /**
   * The port on which to serve the page, known once `prepare` has resolved. The browser loads the page from this port directly,
   * and from any other port through the proxy that blocks requests to this machine. Null: all ports are equal.
   */
  readonly pagePort: number | null;
  /** True if its browser draws with a GPU, and `open` can start one that does not. Electron cannot choose that after its start. */
  readonly canDrawWithoutGpu: boolean;
  /** Starts the browser before `open`, to save time. Resolves once its process runs. Never rejects: `open` reports failures. */
  prepare(): Promise<void>;
  /** Starts the browser if none runs and shows the page on the display. Resolves once the page has been requested. */
  open(page: HostPage, signal: AbortSignal, options?: OpenOptions): Promise<BrowserEngine>;
  /** Reloads the page, even if it hangs or has crashed. */
  reload(signal: AbortSignal): Promise<void>;
  /** Ends the browser, even if it hangs. `open` starts another. */
  close(): Promise<void>;
  /**
   * Captures the whole display at full size, within 4.5 s. By default as {@link defaultCapture}.
   * @throws Fault `page-hung` if the page does not respond, `timeout` if it responds but there is no picture.
   */
  capture(signal: AbortSignal, options?: CaptureOptions): Promise<Capture>;
  /** Resident memory of the browser's whole process tree, in bytes. */
  memoryBytes(): Promise<number>;
  /** The same by kind of process. */
  memoryByKind(): Promise<BrowserMemory>;
  /**
   * Sets which sites iframes may show, replacing the sites set before. An iframe with another name loads nothing, and none
   * loads from the page's own host. An endless loop or crash in an iframe affects neither the page nor another origin.
   */
  setIframeSites(sites: readonly IframeSite[]): void;
  /** Calls `listener` with the events of iframes until `signal` aborts. */
  onIframeEvent(listener: (event: IframeEvent) => void, signal: AbortSignal): void;
  /** Calls `listener` with the failures of the browser until `signal` aborts. */
  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void;
}
