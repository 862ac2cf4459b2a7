// What Electron demands of each call that this project makes. The stand-in throws where Electron throws, and with the same words where its
// source has them, so that a call that ends real Electron ends the tests too.
//
// | call                                                     | demanded before and of its arguments                                     | from |
// | -------------------------------------------------------- | ------------------------------------------------------------------------ | ---- |
// | app.setPath(name, path)                                  | a name of app.getPath; an absolute path that exists; sessionData: before ready | D S |
// | app.enableSandbox()                                      | before ready                                                             | D S |
// | app.commandLine.appendSwitch(name, value?)               | before ready, because later ones have no effect; texts; a name in lower case | D S |
// | app.commandLine.getSwitchValue(name)                     | a text                                                                   | D   |
// | app.exit(code?)                                          | a whole number                                                           | D   |
// | app.whenReady(), getVersion(), getAppMetrics(), isPackaged | nothing; `ready` comes only after the entry has been evaluated         | S   |
// | Menu.setApplicationMenu(menu)                            | a Menu or null                                                           | S   |
// | utilityProcess.fork(path, args?, options?)               | after ready; a path; args and execArgv are lists of texts; serviceName a text; stdio inherit, pipe or ignore | D S |
// | utilityProcess: postMessage(message), parentPort         | a message that can be cloned                                             | D   |
// | session.fromPartition(name), session.defaultSession      | after ready; a text                                                      | S   |
// | session.setProxy(config)                                 | known modes only; rules are texts                                        | D   |
// | session.resolveProxy(url)                                | a text                                                                   | D   |
// | session.cookies.set(details)                             | an address with a host; a known sameSite; no control characters or `;`   | D S |
// | session.setPermissionRequestHandler, setPermissionCheckHandler, setDevicePermissionHandler | a function or null                                                       | S   |
// | nativeTheme.themeSource = source                         | system, light or dark                                                    | D S |
// | screen: any use, such as getPrimaryDisplay()             | after ready                                                              | D S |
// | powerSaveBlocker.start(type), stop(id)                   | a known type; a whole number                                             | D   |
// | new BrowserWindow(options)                               | after ready                                                              | S   |
// | window and webContents: any call, such as isCrashed(), isLoadingMainFrame(), capturePage(), forcefullyCrashRenderer() | before they are destroyed                                                | S   |
// | window.setBounds(bounds)                                 | whole numbers                                                            | D   |
// | webContents.loadURL(url)                                 | an address with its scheme                                               | D   |
// | webContents.executeJavaScript(code)                      | a text                                                                   | D   |
// | webContents.setWebRTCIPHandlingPolicy(policy)            | one of the four policies                                                 | D   |
// | webContents.setWindowOpenHandler(handler)                | a function                                                               | D   |
// | debugger.attach(version?), sendCommand(method, …)        | not attached yet, a text; attached, a text and an object                 | D S |
// | image.toJPEG(quality)                                    | a whole number from 0 to 100                                             | D   |
// | image.isEmpty(), toPNG()                                 | nothing                                                                  | D   |
//
// D: electron.d.ts, which is Electron's documentation. S: its source (shell/browser/api/electron_api_app.cc, electron_api_session.cc,
// electron_api_cookies.cc; lib/browser/api/utility-process.ts, menu.ts, screen.ts).
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";

/** The names that `app.getPath` documents. */
const pathNames: readonly string[] = [
  "home",
  "appData",
  "assets",
  "userData",
  "sessionData",
  "temp",
  "exe",
  "module",
  "desktop",
  "documents",
  "downloads",
  "music",
  "pictures",
  "videos",
  "recent",
  "logs",
  "crashDumps",
];

/** Electron's error for an argument of another type. @param index 0 for the first. */
export function conversionFailure(index: number, value: unknown): TypeError {
  return new TypeError(`Error processing argument at index ${index}, conversion failure from ${String(value)}`);
}

export function demandText(value: unknown, index = 0): void {
  if (typeof value !== "string") throw conversionFailure(index, value);
}

export function demandWhole(value: unknown, index = 0): void {
  if (!Number.isInteger(value)) throw conversionFailure(index, value);
}

export function demandOneOf(value: unknown, known: readonly string[], index = 0): void {
  if (typeof value !== "string" || !known.includes(value)) throw conversionFailure(index, value);
}

export function demandFunction(value: unknown, index = 0): void {
  if (typeof value !== "function") throw conversionFailure(index, value);
}

/** For the handlers of a session. */
export function demandHandler(value: unknown): void {
  if (value !== null && typeof value !== "function") throw new TypeError("Must pass null or function");
}

/** @param what names what is used in the error. */
export function demandReady(isReady: boolean, what: string): void {
  if (!isReady) throw new Error(`The '${what}' module can't be used before the app 'ready' event`);
}

/** The preconditions of `app.setPath`. The documentation demands that a folder exists; the present source does not look. */
export function demandPath(name: unknown, path: unknown, isReady: boolean): void {
  demandText(name, 0);
  demandText(path, 1);
  if (!isAbsolute(path as string)) throw new Error("Path must be absolute");
  if (!pathNames.includes(name as string)) throw new Error("Failed to set path");
  if (statSync(path as string, { throwIfNoEntry: false }) === undefined) throw new Error("Failed to set path");
  if (name === "sessionData" && isReady) throw new Error("sessionData has to be set before the app is ready: later it has no effect");
}

export function demandSwitch(name: unknown, value: unknown, isReady: boolean): void {
  demandText(name, 0);
  if (value !== undefined) demandText(value, 1);
  if (name !== String(name).toLowerCase()) throw new Error(`Chromium's switches are in lower case: ${String(name)}`);
  if (isReady) throw new Error(`--${String(name)} has to be appended before the app is ready: later it has no effect`);
}

/** Of `utilityProcess.fork`, in the order of its source. */
export function demandFork(modulePath: unknown, args: unknown, options: Readonly<Record<string, unknown>>): void {
  if (!modulePath) throw new Error("Missing UtilityProcess entry script.");
  demandText(modulePath, 0);
  const { execArgv, serviceName, cwd, stdio } = options;
  if (execArgv != null && !isTexts(execArgv)) throw new Error("execArgv must be an array of strings.");
  if (serviceName != null && typeof serviceName !== "string") throw new Error("serviceName must be a string.");
  if (cwd != null && typeof cwd !== "string") throw new Error("cwd path must be a string.");
  if (typeof stdio === "string" && !["inherit", "pipe", "ignore"].includes(stdio))
    throw new Error("stdio must be of the following values: inherit, pipe, ignore");
  if (!isTexts(args)) throw conversionFailure(1, args);
}

/** Throws a DataCloneError, as Electron does, for what another process cannot get. */
export function demandCloneable(message: unknown): void {
  structuredClone(message);
}

const proxyModes = ["direct", "auto_detect", "pac_script", "fixed_servers", "system"];

export function demandProxy(config: unknown): void {
  if (typeof config !== "object" || config === null) throw conversionFailure(0, config);
  const { mode, ...rules } = config as Record<string, unknown>;
  if (mode !== undefined) demandOneOf(mode, proxyModes);
  for (const rule of Object.values(rules)) demandText(rule);
}

const sameSites = ["unspecified", "no_restriction", "lax", "strict"];

/** Of `cookies.set`, whose promise is rejected with these errors. */
export function demandCookie({
  url,
  name = "",
  value = "",
  sameSite,
}: Partial<Record<"url" | "name" | "value" | "sameSite", string>>): void {
  if (sameSite !== undefined && !sameSites.includes(sameSite))
    throw new Error(`Failed to convert '${sameSite}' to an appropriate cookie same site value`);
  if (typeof url !== "string" || !URL.canParse(url) || new URL(url).hostname === "")
    throw new Error("Failed to set cookie - The cookie was set with an invalid Domain attribute.");
  // oxlint-disable-next-line no-control-regex -- exactly these must not be in a cookie
  if (/[\u0000-\u001f\u007f;]/.test(`${name}${value}`))
    throw new Error("Failed to set cookie - The cookie contains ASCII control characters");
}

/** Of `loadURL`, whose promise is rejected with this error. */
export function demandAddress(url: unknown): void {
  demandText(url);
  if (!URL.canParse(url as string)) throw new Error(`ERR_INVALID_URL (-300) loading '${String(url)}'`);
}

export const webRtcPolicies = [
  "default",
  "default_public_interface_only",
  "default_public_and_private_interfaces",
  "disable_non_proxied_udp",
];

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
