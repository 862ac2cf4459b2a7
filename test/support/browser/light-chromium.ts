// What a test's Chromium leaves out: pages of its own interface that nobody sees.

// Chromium starts a process for the suggestions of its address bar with each window: a quarter of the CPU time of a short test.
const addressBar = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];

// Playwright's own list (playwright-core, chromiumSwitches.ts), since only the last switch of this name counts.
const unwanted = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

/** The argument for Playwright's `launch`. */
export const withoutInterface = `--disable-features=${[...unwanted, ...addressBar].join(",")}`;
