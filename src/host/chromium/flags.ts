// Chromium's command line, flag by flag. Holds no secret: every user of the machine can read it.

/** What the flags depend on. Sizes in pixels. */
export interface FlagOptions {
  profileFolder: string;
  display: "x11" | "wayland" | "headless";
  window: { width: number; height: number };
  hasGpu: boolean;
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

/** The arguments to start Chromium with. `--no-sandbox` is not among them, nor may it ever be. */
export function chromiumFlags({ profileFolder, display, window, hasGpu }: FlagOptions): string[] {
  return [
    `--user-data-dir=${profileFolder}`,
    "--remote-debugging-pipe",
    `--app=${firstPage}`,
    "--kiosk",
    ...quiet,
    ...locked,
    ...unattended,
    ...drawing,
    ...screen(display, window),
    // Without a GPU the software compositor is quicker and smaller. SwiftShader drops two frames of three.
    ...(hasGpu ? [] : ["--disable-gpu"]),
    // Only the last flag of this name counts, hence one list.
    `--disable-features=${unwantedFeatures.join(",")}`,
  ];
}

// Nothing that asks, greets, warns or phones home.
const quiet = [
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-search-engine-choice-screen",
  "--hide-crash-restore-bubble",
  "--noerrdialogs",
  "--disable-hang-monitor", // its dialog asks a person; the host's probe decides instead
  "--disable-prompt-on-repost",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--disable-sync",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-breakpad", // a crash is reported by the player, not uploaded
  "--no-pings",
  "--password-store=basic", // a keyring would ask for its password
];

// What a page may not do.
const locked = [
  "--block-new-web-contents",
  "--deny-permission-prompts",
  "--overscroll-history-navigation=0",
  "--disable-pinch",
  // Each site in a process of its own, also where the browser would save memory: an item's endless loop is its own.
  "--site-per-process",
];

// What a screen without a person needs.
const unattended = [
  "--autoplay-policy=no-user-gesture-required",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  // Otherwise the third loss of the GPU process in the browser's life aborts the browser.
  "--disable-gpu-process-crash-limit",
  // The player keeps the media; the browser's cache is for web items.
  `--disk-cache-size=${256 * 1024 * 1024}`,
];

// Layouts are laid out in device pixels and the page scales them, so a 4K screen that reports a high density must
// not halve the page.
const drawing = ["--force-device-scale-factor=1", "--hide-scrollbars"];

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
