// What the player asks of a browser. Nothing here knows which one it is.

/** The browser behind a host, as it names itself. */
export interface BrowserEngine {
  name: "chromium" | "electron";
  version: string;
  headless: boolean;
}

/** The page to show and the cookie that opens its door; the secret stands in no argument and no address. */
export interface HostPage {
  url: string;
  cookie: { name: string; value: string };
}

/** What a host found wrong with its browser. It reports; `recovery.ts` decides. */
export type HostFault =
  | { is: "page-crashed"; detail: string }
  | { is: "page-hung"; detail: string }
  | { is: "browser-exited"; detail: string };

/** A site that frames of the page may show. A frame is of this site when its name begins with `id` and a dot. */
export interface IframeSite {
  id: string;
  /** http or https. Only answers of its origin are freed from headers that forbid framing. */
  url: string;
  /** Sent with every request to its origin, and to no other. Secrets: never logged, never told to the page. */
  headers: Readonly<Record<string, string>>;
  /** Style added to its documents. */
  css: string | null;
  /** Whether its frames may go nowhere but to its origin. */
  isConfinedToOrigin: boolean;
}

/** Why a frame has nothing to show: not to be had, too slow, empty, hangs, or its renderer ended. */
export type IframeFault = "load" | "timeout" | "blank" | "stalled" | "crashed";

/**
 * What became of a frame, by its name. `shown` comes once, when its document has painted; `failed` at most once. Frames
 * whose renderer process ended are told with an equal `death` when it was the same one: any of them may have caused it.
 */
export type IframeEvent =
  | { frame: string; is: "shown" }
  | { frame: string; is: "failed"; code: IframeFault; detail: string; death?: string };

/** A picture of the glass, as the browser presented it. */
export interface Capture {
  bytes: Buffer;
  mimeType: "image/jpeg" | "image/png";
}

/**
 * A browser that shows one page fullscreen. The program owns it; `open` starts the browser, and again after it
 * exited. Every call rejects with a Fault: `browser-missing`, `browser-failed`, `page-dead` or `timeout`.
 */
export interface Host extends AsyncDisposable {
  /**
   * The port at which the page is best served, known once `prepare` has resolved: there the browser fetches it straight, and elsewhere
   * by way of the proxy that keeps content from this machine. Null where every port is as good.
   */
  readonly pagePort: number | null;
  /**
   * Starts the browser ahead of `open`, which then has less to wait for. Resolves once its process runs; never
   * rejects: what goes wrong is told by `open`.
   */
  prepare(): Promise<void>;
  /** Starts the browser if none runs and shows the page on the display. Resolves once the page has been requested. */
  open(page: HostPage, signal: AbortSignal): Promise<BrowserEngine>;
  /** Loads the page anew, also when it hangs or has crashed. */
  reload(signal: AbortSignal): Promise<void>;
  /** Ends the browser, however stuck it is; `open` starts another. */
  close(): Promise<void>;
  /** The glass as it is now, whole and at full size. */
  capture(signal: AbortSignal): Promise<Capture>;
  /** Resident memory of the browser's whole process tree, in bytes. */
  memoryBytes(): Promise<number>;
  /**
   * Says which sites may be framed, instead of those said before. Frames of other names load nothing, and none loads
   * from the host of the page itself. A frame's endless loop or crash touches neither the page nor another origin.
   */
  setIframeSites(sites: readonly IframeSite[]): void;
  /** Hears what becomes of frames until `signal` aborts. */
  onIframeEvent(listener: (news: IframeEvent) => void, signal: AbortSignal): void;
  /** Hears of faults until `signal` aborts. */
  onFault(listener: (fault: HostFault) => void, signal: AbortSignal): void;
}
