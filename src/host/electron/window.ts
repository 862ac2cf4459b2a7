// Opens Electron's window: locked down, black until it has painted, and covering the display even when the display changes.
import { BrowserWindow, nativeTheme, screen, session, type Session } from "electron";
import { webRtcPolicy } from "../chromium/flags.ts";

export interface WindowOptions {
  /** In pixels; null for the whole primary display. */
  size: { width: number; height: number } | null;
  /** True if the page may navigate to this address. */
  mayNavigate: (url: string) => boolean;
  /** Called for the log when something was prevented. */
  onBlocked: (what: string, url: string) => void;
  /** Aborted when the window is closed. */
  lifetime: AbortController;
}

/** The window's session. Electron has to be ready. */
export function pageSession(): Session {
  return session.fromPartition("persist:stage");
}

/** Opens the window with an empty page. Electron has to be ready. */
export function openWindow({ size, mayNavigate, onBlocked, lifetime }: WindowOptions): BrowserWindow {
  const pages = pageSession();
  lockSession(pages);
  // Pages use the light theme as on the system's Chromium, regardless of the desktop's theme.
  nativeTheme.themeSource = "light";
  const window = new BrowserWindow({
    ...(size ?? { ...screen.getPrimaryDisplay().bounds, kiosk: true, fullscreen: true }),
    frame: false,
    backgroundColor: "#000000", // no white flash
    webPreferences: {
      session: pages,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      devTools: false,
      disableDialogs: true,
      backgroundThrottling: false,
      autoplayPolicy: "no-user-gesture-required",
      spellcheck: false, // it would download dictionaries
      plugins: true, // without them a PDF in an iframe becomes a download
    },
  });
  const { webContents } = window;
  webContents.setWebRTCIPHandlingPolicy(webRtcPolicy);
  webContents.setWindowOpenHandler(({ url }) => {
    onBlocked("a second window", url);
    return { action: "deny" };
  });
  const preventNavigation = (event: { url: string; isMainFrame: boolean; preventDefault(): void }): void => {
    if (!event.isMainFrame || mayNavigate(event.url)) return;
    onBlocked("leaving the page", event.url);
    event.preventDefault();
  };
  webContents.on("will-navigate", preventNavigation);
  webContents.on("will-redirect", preventNavigation);
  // The page cannot prevent the host from leaving it.
  webContents.on("will-prevent-unload", (event) => event.preventDefault());
  // Only the host closes the window, by destroy(): not Alt+F4, and not the page's window.close().
  window.on("close", (event) => event.preventDefault());
  window.once("closed", () => lifetime.abort());
  if (size === null) coverDisplay(window, lifetime.signal);
  return window;
}

/** Keeps the window covering the primary display: a television may wake late or change its mode. */
function coverDisplay(window: BrowserWindow, signal: AbortSignal): void {
  const cover = (): void => window.setBounds(screen.getPrimaryDisplay().bounds);
  screen.on("display-metrics-changed", cover);
  screen.on("display-added", cover);
  screen.on("display-removed", cover);
  const stop = (): void => {
    screen.off("display-metrics-changed", cover);
    screen.off("display-added", cover);
    screen.off("display-removed", cover);
  };
  signal.addEventListener("abort", stop, { once: true });
}

/** Denies every permission and download. */
function lockSession(pages: Session): void {
  pages.setPermissionRequestHandler((_contents, _permission, respond) => respond(false));
  pages.setPermissionCheckHandler(() => false);
  pages.setDevicePermissionHandler(() => false);
  pages.removeAllListeners("will-download");
  pages.on("will-download", (event) => event.preventDefault());
}
