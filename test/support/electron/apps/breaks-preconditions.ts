// An app for the stand-in that makes each call of this project wrongly, and prints as JSON lines what Electron's stand-in says to it.
import { app, BrowserWindow, Menu, nativeTheme, powerSaveBlocker, screen, session, utilityProcess } from "electron";

type Wrong = Readonly<Record<string, () => unknown>>;

// What the types forbid is what has to be tried here.
const wrong = (value: unknown): never => value as never;

const beforeReady: Wrong = {
  "app.setPath relative": () => app.setPath("userData", "data/electron"),
  "app.setPath unknown": () => app.setPath(wrong("signage"), "/tmp"),
  "app.setPath missing": () => app.setPath("userData", "/nowhere/at/all"),
  "app.setPath type": () => app.setPath("userData", wrong(5)),
  "commandLine.appendSwitch type": () => app.commandLine.appendSwitch("lang", wrong(5)),
  "commandLine.appendSwitch case": () => app.commandLine.appendSwitch("Lang"),
  "commandLine.getSwitchValue type": () => app.commandLine.getSwitchValue(wrong(undefined)),
  "app.exit type": () => app.exit(wrong("0")),
  "Menu.setApplicationMenu": () => Menu.setApplicationMenu(wrong({})),
  "session.fromPartition early": () => session.fromPartition("persist:stage"),
  "session.defaultSession early": () => session.defaultSession,
  "screen early": () => screen.getPrimaryDisplay(),
  "utilityProcess.fork early": () => utilityProcess.fork("/service.js"),
  "BrowserWindow early": () => new BrowserWindow(),
  "nativeTheme.themeSource": () => (nativeTheme.themeSource = wrong("bright")),
  "powerSaveBlocker.start": () => powerSaveBlocker.start(wrong("prevent-sleep")),
  "powerSaveBlocker.stop": () => powerSaveBlocker.stop(wrong("1")),
};

const afterReady: Wrong = {
  "app.enableSandbox late": () => app.enableSandbox(),
  "app.setPath sessionData late": () => app.setPath("sessionData", "/tmp"),
  "commandLine.appendSwitch late": () => app.commandLine.appendSwitch("lang", "de"),
  "session.fromPartition type": () => session.fromPartition(wrong(1)),
  "session.setProxy mode": () => session.defaultSession.setProxy({ mode: wrong("manual") }),
  "session.setProxy rules": () => session.defaultSession.setProxy({ proxyRules: wrong(8080) }),
  "session.resolveProxy": () => session.defaultSession.resolveProxy(wrong(undefined)),
  "session.setPermissionRequestHandler": () => session.defaultSession.setPermissionRequestHandler(wrong(undefined)),
  "session.setPermissionCheckHandler": () => session.defaultSession.setPermissionCheckHandler(wrong(true)),
  "session.setDevicePermissionHandler": () => session.defaultSession.setDevicePermissionHandler(wrong({})),
  "cookies.set url": () => session.defaultSession.cookies.set({ url: "page" }),
  "cookies.set value": () => session.defaultSession.cookies.set({ url: "http://127.0.0.1/", value: "a;b" }),
  "cookies.set sameSite": () => session.defaultSession.cookies.set({ url: "http://127.0.0.1/", sameSite: wrong("some") }),
  "utilityProcess.fork path": () => utilityProcess.fork(""),
  "utilityProcess.fork args": () => utilityProcess.fork("/service.js", wrong([8080])),
  "utilityProcess.fork execArgv": () => utilityProcess.fork("/service.js", [], { execArgv: wrong("--flag") }),
  "utilityProcess.fork serviceName": () => utilityProcess.fork("/service.js", [], { serviceName: wrong(1) }),
  "utilityProcess.fork stdio": () => utilityProcess.fork("/service.js", [], { stdio: wrong("all") }),
};

function inWindow(window: BrowserWindow): Wrong {
  const { webContents } = window;
  return {
    "window.setBounds": () => window.setBounds({ x: 0, y: 0, width: 100.5, height: 100 }),
    "webContents.loadURL": () => webContents.loadURL("index.html"),
    "webContents.executeJavaScript": () => webContents.executeJavaScript(wrong(1)),
    "webContents.setWebRTCIPHandlingPolicy": () => webContents.setWebRTCIPHandlingPolicy(wrong("none")),
    "webContents.setWindowOpenHandler": () => webContents.setWindowOpenHandler(wrong(null)),
    "debugger.sendCommand early": () => webContents.debugger.sendCommand("Page.enable"),
    "debugger.attach type": () => webContents.debugger.attach(wrong(1.3)),
    "debugger.sendCommand type": () => webContents.debugger.sendCommand("Page.enable", wrong("x")),
    "image.toJPEG": async () => (await webContents.capturePage()).toJPEG(wrong(900)),
    "window after its end": () => {
      window.destroy();
      return window.webContents;
    },
  };
}

void run();

async function run(): Promise<void> {
  await tryEach(beforeReady);
  await app.whenReady();
  await tryEach(afterReady);
  app.on("window-all-closed", () => undefined);
  const window = new BrowserWindow({ width: 320, height: 240, webPreferences: { session: session.fromPartition("persist:stage") } });
  await window.webContents.loadURL("about:blank");
  await tryEach(inWindow(window));
  process.stdout.write(`${JSON.stringify({ msg: "tried" })}\n`);
  app.exit(0);
}

async function tryEach(calls: Wrong): Promise<void> {
  for (const [call, act] of Object.entries(calls)) {
    let said: string | null = null;
    try {
      await act();
    } catch (error) {
      said = String(error);
    }
    process.stdout.write(`${JSON.stringify({ msg: "wrong call", call, said })}\n`);
  }
}
