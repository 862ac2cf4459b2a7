// Chromium's command line, flag by flag, and the part of it that Electron shares. Holds no secret: every user of the machine can read it.

/** What the flags depend on. Sizes in pixels. */
export interface FlagOptions {
  profileFolder: string;
  display: "x11" | "wayland" | "headless";
  window: { width: number; height: number };
  hasGpu: boolean;
  /** The proxy that everything goes through but the page itself, such as `http://127.0.0.1:41234`. */
  proxy: string;
}

/** A switch of Chromium's command line, without its dashes. */
export interface Switch {
  name: string;
  value?: string;
}

// The first page: black, inside an app window. about:blank would open a whole browser window with tabs, half a
// second slower, and it is white.
const firstPage = "data:text/html,<title>signage</title><body style=background:%23000>";

/** No display ends up this far to the right (X11 allows 32,767), so nobody sees the window before it has painted. */
export const offscreenLeft = 16_000;

const unwantedFeatures = [
  "Translate", // its bubble covers the content
  "MediaRouter", // Cast discovery: multicast, and a firewall prompt
  "OptimizationHints", // fetches models from the network
  "AutofillServerCommunication",
  "GlobalMediaControls",
  "HardwareMediaKeyHandling", // a remote control's keys would pause what plays
  "CalculateNativeWinOcclusion", // would stop painting a window it believes covered
];

/** What goes past the proxy: these hosts, and not whatever is on this machine, as it would without being told. */
export function bypassList(pages: string): string {
  return `<-loopback>;${pages}`;
}

// The browser starts before the address of its page is known, but for its port: the proxy's own, on another loopback
// address. As long as the proxy holds that port nobody else can have it on all addresses of this machine.
function pagesAt(port: string): string {
  return `127.*:${port}`;
}

/** Makes WebRTC use the proxy, and therefore no UDP, with which it could reach this machine. */
export const webRtcPolicy = "disable_non_proxied_udp";

const wantedFeatures = [
  // A process for each origin: else two dashboards of one server, on two of its ports, would die of each other's memory.
  "StrictOriginIsolation",
];

/** The arguments to start Chromium with. `--no-sandbox` is not among them, nor may it ever be. */
export function chromiumFlags({ profileFolder, display, window, hasGpu, proxy }: FlagOptions): string[] {
  return [
    `--user-data-dir=${profileFolder}`,
    "--remote-debugging-pipe",
    `--app=${firstPage}`,
    "--kiosk",
    `--proxy-server=${proxy}`,
    `--proxy-bypass-list=${bypassList(pagesAt(new URL(proxy).port))}`,
    ...ownWindow,
    ...screen(display, window),
    ...sharedSwitches(hasGpu).map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=${value}`)),
  ];
}

/** The switches that make Chromium's engine play unattended: the same on the system's Chromium and in Electron. */
export function sharedSwitches(hasGpu: boolean): Switch[] {
  return [
    ...quiet,
    ...locked,
    ...unattended,
    ...drawing,
    // Without a GPU the software compositor is quicker and smaller. SwiftShader drops two frames of three.
    ...(hasGpu ? [] : [{ name: "disable-gpu" }]),
    // Only the last switch of this name counts, hence one list.
    { name: "disable-features", value: unwantedFeatures.join(",") },
    { name: "enable-features", value: wantedFeatures.join(",") },
  ];
}

// What only a browser with a user interface of its own would ask, greet or bring along. Electron has none of it.
const ownWindow = [
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-search-engine-choice-screen",
  "--hide-crash-restore-bubble",
  "--disable-default-apps",
  // In Electron this could take the PDF viewer along, which is an extension.
  "--disable-extensions",
];

// Nothing that warns, asks a person or phones home.
const quiet: Switch[] = [
  { name: "noerrdialogs" },
  { name: "disable-hang-monitor" }, // its dialog asks a person; the host's probe decides instead
  { name: "disable-prompt-on-repost" },
  { name: "disable-background-networking" },
  { name: "disable-component-update" },
  { name: "disable-domain-reliability" },
  { name: "disable-client-side-phishing-detection" },
  { name: "disable-sync" },
  { name: "disable-breakpad" }, // a crash is reported by the player, not uploaded
  { name: "no-pings" },
  { name: "password-store", value: "basic" }, // a keyring would ask for its password
];

// What a page may not do.
const locked: Switch[] = [
  { name: "block-new-web-contents" },
  { name: "deny-permission-prompts" },
  { name: "webrtc-ip-handling-policy", value: webRtcPolicy },
  { name: "overscroll-history-navigation", value: "0" },
  { name: "disable-pinch" },
  // Processes apart, also where the browser would save memory: an item's endless loop is its own.
  { name: "site-per-process" },
];

// What a screen without a person needs.
const unattended: Switch[] = [
  { name: "autoplay-policy", value: "no-user-gesture-required" },
  { name: "disable-background-timer-throttling" },
  { name: "disable-backgrounding-occluded-windows" },
  { name: "disable-renderer-backgrounding" },
  // Otherwise the third loss of the GPU process in the browser's life aborts the browser.
  { name: "disable-gpu-process-crash-limit" },
  // The player keeps the media; the browser's cache is for web items.
  { name: "disk-cache-size", value: String(256 * 1024 * 1024) },
];

// Layouts are laid out in device pixels and the page scales them, so a 4K screen that reports a high density must
// not halve the page.
const drawing: Switch[] = [{ name: "force-device-scale-factor", value: "1" }, { name: "hide-scrollbars" }];

function screen(display: FlagOptions["display"], { width, height }: FlagOptions["window"]): string[] {
  switch (display) {
    case "headless":
      return ["--headless=new", `--screen-info={${width}x${height}}`, `--window-size=${width},${height}`];
    case "wayland":
      return ["--ozone-platform=wayland"];
    case "x11":
      // One pixel too large, see window.ts.
      return ["--ozone-platform=x11", `--window-size=${width + 1},${height + 1}`, `--window-position=${offscreenLeft},0`];
  }
}
