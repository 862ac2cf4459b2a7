// The options of the hosts, and the reports of a browser to its host.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { HostFault, IframeEvent } from "../../player/host.ts";
import type { Environment } from "./account.ts";
import type { Size } from "./display/window.ts";
import type { IframeLimits } from "../iframes/limits.ts";
import type { NetworkAccess } from "../proxy/proxy.ts";

/** How often a page is probed and how long it may take to respond, in ms. */
export interface Probe {
  intervalMs: number;
  limitMs: number;
}

/** Options of every host. */
interface HostOptions {
  /** The connections that content may open. */
  network?: NetworkAccess;
  /** Limits for the page, and for iframes of other sites. Those not given have the defaults of this file and of `iframes/limits.ts`. */
  limits?: { probe?: Probe; iframes?: Partial<IframeLimits> };
  clock: Clock;
  log: Log;
}

/** Options of the Chromium host. */
export interface ChromiumOptions extends HostOptions {
  /** Path of Chromium, see `findChromium`. */
  executable: string;
  /** Folder for the browser's settings and site data, kept between starts. As root another folder may be used, see `prepareAccount`. */
  profileFolder: string;
  /** The program's environment: display, language, drivers. */
  env: Environment;
  /** The size in pixels of a page that is drawn without a display; null for the whole display (headless: 1920x1080). */
  display: { headless: boolean; window: Size | null };
}

/** Options of the Electron host. `prepareApp` has to be called before Electron is ready. */
export interface ElectronOptions extends HostOptions {
  /** In pixels; null for the whole display. */
  window: Size | null;
}

/** A browser's reports to its host. */
export interface BrowserListener {
  onFault: (fault: HostFault) => void;
  onIframeEvent: (event: IframeEvent) => void;
  /** The browser's process or window has ended, whether or not that was intended. */
  onExit: () => void;
}

export const defaultProbe: Probe = { intervalMs: 5_000, limitMs: 2_000 };

/** The page's size in a headless browser without a given size. */
export const headlessSize: Size = { width: 1920, height: 1080 };
