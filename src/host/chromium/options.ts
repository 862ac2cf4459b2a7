// The options of the Chromium host.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { IframeLimits } from "../iframes/limits.ts";
import type { NetworkAccess } from "../proxy/proxy.ts";
import type { Environment } from "./account.ts";
import type { Size } from "./display/window.ts";

/** Options of the Chromium host. */
export interface ChromiumOptions extends NetworkAccess {
  /** Path of Chromium, see `findChromium`. */
  executable: string;
  /** Folder for the browser's settings and site data, kept between starts. As root another folder may be used, see `prepareAccount`. */
  profileFolder: string;
  headless: boolean;
  /** In pixels; null for the whole display (headless: 1920x1080). */
  window: Size | null;
  /** The program's environment: display, language, drivers. */
  env: Environment;
  log: Log;
  clock: Clock;
  /** How often the page is probed and how long it may take to respond; by default every 5 s and 2 s. */
  probe?: { intervalMs: number; limitMs: number };
  /** Limits for iframes of other sites; those not given have the defaults of `iframes/limits.ts`. */
  iframes?: Partial<IframeLimits>;
}

/** The page's size in a headless browser without a given size. */
export const headlessSize: Size = { width: 1920, height: 1080 };
