// Opens Electron's one window: locked down, black until it has painted, and over the whole display whatever happens to the display.
import { BrowserWindow, nativeTheme, screen, session, type Session } from "electron";
import { webRtcPolicy } from "../chromium/flags.ts";

/** What a window needs. */
export interface WindowOptions {
  /** In pixels; null for the whole primary display. */
  size: { width: number; height: number } | null;
  /** Whether the page may go to this address. */
  mayNavigate: (url: string) => boolean;
  /** Something was kept from happening; for the log. */
  onBlocked: (what: string, url: string) => void;
  /** Aborts when the window is gone. */
  life: AbortController;
}

/** The session of the window. Electron is ready. */
export function pageSession(): Session {
  return session.fromPartition("persist:stage");
}

/** Opens the window on an empty page. Electron is ready. */
export function openWindow({ size, mayNavigate: mayGo, onBlocked, life }: WindowOptions): BrowserWindow {
  const stage = pageSession();
  lockSession(stage);
  // Pages are to look as they do on the system's Chromium, whatever the desktop's theme is.
  nativeTheme.themeSource = "light";
  const window = new BrowserWindow({
    ...(size ?? { ...screen.getPrimaryDisplay().bounds, kiosk: true, fullscreen: true }),
    frame: false,
    backgroundColor: "#000000", // no white flash
    webPreferences: {
      session: stage,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      devTools: false,
      disableDialogs: true,
      backgroundThrottling: false,
      autoplayPolicy: "no-user-gesture-required",
      spellcheck: false, // it would fetch dictionaries
      plugins: true, // without them a framed PDF is a download
    },
  });
  const { webContents } = window;
  webContents.setWebRTCIPHandlingPolicy(webRtcPolicy);
  webContents.setWindowOpenHandler(({ url }) => {
    onBlocked("a second window", url);
    return { action: "deny" };
  });
  const stay = (event: { url: string; isMainFrame: boolean; preventDefault(): void }): void => {
    if (!event.isMainFrame || mayGo(event.url)) return;
    onBlocked("leaving the page", event.url);
    event.preventDefault();
  };
  webContents.on("will-navigate", stay);
  webContents.on("will-redirect", stay);
  // The page does not decide whether it is left.
  webContents.on("will-prevent-unload", (event) => event.preventDefault());
  // Neither Alt+F4 nor the page's own window.close() closes it; the host destroys it.
  window.on("close", (event) => event.preventDefault());
  window.once("closed", () => life.abort());
  if (size === null) coverDisplay(window, life.signal);
  return window;
}

/** Keeps the window over the whole primary display: a television may wake late, or change its mode. */
function coverDisplay(window: BrowserWindow, signal: AbortSignal): void {
  const cover = (): void => window.setBounds(screen.getPrimaryDisplay().bounds);
  // One by one: the types of `on` know each event by itself.
  screen.on("display-metrics-changed", cover);
  screen.on("display-added", cover);
  screen.on("display-removed", cover);
  const leave = (): void => {
    screen.off("display-metrics-changed", cover);
    screen.off("display-added", cover);
    screen.off("display-removed", cover);
  };
  signal.addEventListener("abort", leave, { once: true });
}

/** Refuses every permission and download. */
function lockSession(stage: Session): void {
  stage.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  stage.setPermissionCheckHandler(() => false);
  stage.setDevicePermissionHandler(() => false);
  stage.removeAllListeners("will-download");
  stage.on("will-download", (event) => event.preventDefault());
}
