// Chromium's command-line flags, and those that Electron shares. They contain no secrets, because every local user can read them.

/** The values that the flags depend on. Sizes in pixels. */
export interface FlagOptions {
  profileFolder: string;
  display: "x11" | "wayland" | "headless";
  window: { width: number; height: number };
  hasGpu: boolean;
  /** The proxy for everything but the page itself, such as `http://127.0.0.1:41234`. */
  proxy: string;
  /** Where the HTTP and code caches are, and the largest size of each in bytes; null for the profile. */
  cache: { path: string; cacheBytes: number } | null;
}

/** A Chromium switch, without its dashes. */
export interface Switch {
  name: string;
  value?: string;
}

// The first page: black, in an app window. about:blank would open a white browser window with tabs, half a second slower.
const firstPage = "data:text/html,<title>signage</title><body style=background:%23000>";

// The player caches media itself; the browser's cache is for web items.
const diskCacheBytes = 256 * 1024 * 1024;

/** Further right than any display (X11 allows 32,767), so that the window is invisible until it has painted. */
export const offscreenLeft = 16_000;

const unwantedFeatures = [
  "Translate", // its bubble covers the content
  "MediaRouter", // Cast discovery: multicast, and a firewall prompt
  "OptimizationHints", // fetches models from the network
  "AutofillServerCommunication",
  "GlobalMediaControls",
  "HardwareMediaKeyHandling", // a remote control's keys would pause the content
  "CalculateNativeWinOcclusion", // would stop painting a window that it takes for covered
];

/** The hosts that bypass the proxy. By default Chromium would let all loopback hosts bypass it. */
export function bypassList(pages: string): string {
  return `<-loopback>;${pages}`;
}

// The browser starts before the page's address is known, except for its port: that of the proxy, on another loopback address.
// While the proxy listens on it, no other program can use that port on all of this machine's addresses.
function pageHosts(port: string): string {
  return `127.*:${port}`;
}

/** Makes WebRTC use the proxy and so no UDP, by which it could reach this machine. */
export const webRtcPolicy = "disable_non_proxied_udp";

const wantedFeatures = [
  // One process per origin: two dashboards on two ports of one server must not share their memory limit.
  "StrictOriginIsolation",
];

/** The arguments to start Chromium with. They must never include `--no-sandbox`. */
export function chromiumFlags({ profileFolder, display, window, hasGpu, proxy, cache }: FlagOptions): string[] {
  return [
    `--user-data-dir=${profileFolder}`,
    "--remote-debugging-pipe",
    `--app=${firstPage}`,
    "--kiosk",
    `--proxy-server=${proxy}`,
    `--proxy-bypass-list=${bypassList(pageHosts(new URL(proxy).port))}`,
    ...noBrowserInterface,
    ...(cache === null ? [] : [`--disk-cache-dir=${cache.path}`]),
    ...screen(display, window),
    ...sharedSwitches(hasGpu, cache?.cacheBytes).map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=${value}`)),
  ];
}

/**
 * The switches for unattended playback, the same for the system's Chromium and Electron.
 * @param cacheBytes the largest size of the HTTP cache, and of Chromium's code cache.
 */
export function sharedSwitches(hasGpu: boolean, cacheBytes = diskCacheBytes): Switch[] {
  return [
    ...quiet,
    ...restrictions,
    ...kioskSwitches,
    ...drawing,
    { name: "disk-cache-size", value: String(cacheBytes) },
    // Without a GPU the software compositor is faster and smaller than SwiftShader, which drops two of three frames.
    ...(hasGpu ? [] : [{ name: "disable-gpu" }]),
    // Only the last switch of this name counts, so all features are in one.
    { name: "disable-features", value: unwantedFeatures.join(",") },
    { name: "enable-features", value: wantedFeatures.join(",") },
  ];
}

// Disables features of a browser's user interface. Electron has none of them.
const noBrowserInterface = [
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-search-engine-choice-screen",
  "--hide-crash-restore-bubble",
  "--disable-default-apps",
  // Not for Electron, where the PDF viewer is an extension.
  "--disable-extensions",
];

// No warnings, questions or requests to the vendor.
const quiet: Switch[] = [
  { name: "noerrdialogs" },
  { name: "disable-hang-monitor" }, // it shows a dialog; the host probes the page instead
  { name: "disable-prompt-on-repost" },
  { name: "disable-background-networking" },
  { name: "disable-component-update" },
  { name: "disable-domain-reliability" },
  { name: "disable-client-side-phishing-detection" },
  { name: "disable-sync" },
  { name: "disable-breakpad" }, // the player reports crashes; they are not uploaded
  { name: "no-pings" },
  { name: "password-store", value: "basic" }, // a keyring would ask for a password
];

// Restrictions for pages.
const restrictions: Switch[] = [
  { name: "block-new-web-contents" },
  { name: "deny-permission-prompts" },
  { name: "webrtc-ip-handling-policy", value: webRtcPolicy },
  { name: "overscroll-history-navigation", value: "0" },
  { name: "disable-pinch" },
  // Separate processes even where the browser would save memory, so that an endless loop stops only its own site.
  { name: "site-per-process" },
];

// Nobody is there to click, and the window is always in use.
const kioskSwitches: Switch[] = [
  { name: "autoplay-policy", value: "no-user-gesture-required" },
  { name: "disable-background-timer-throttling" },
  { name: "disable-backgrounding-occluded-windows" },
  { name: "disable-renderer-backgrounding" },
  // Otherwise the third crash of the GPU process aborts the browser.
  { name: "disable-gpu-process-crash-limit" },
];

// Layouts use device pixels and the page scales them, so the density of a 4K screen must not scale the page again.
const drawing: Switch[] = [{ name: "force-device-scale-factor", value: "1" }, { name: "hide-scrollbars" }];

function screen(display: FlagOptions["display"], { width, height }: FlagOptions["window"]): string[] {
  switch (display) {
    case "headless":
      return ["--headless=new", `--screen-info={${width}x${height}}`, `--window-size=${width},${height}`];
    case "wayland":
      return ["--ozone-platform=wayland"];
    case "x11":
      // One pixel too large: see window.ts.
      return ["--ozone-platform=x11", `--window-size=${width + 1},${height + 1}`, `--window-position=${offscreenLeft},0`];
  }
}
