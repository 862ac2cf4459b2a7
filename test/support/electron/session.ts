// The stand-in's `session`: cookies, permissions and downloads of one partition.
import { EventEmitter } from "node:events";
import type { CookiesSetDetails, ProxyConfig, Session } from "electron";
import { app } from "./app.ts";
import type { Browser } from "./browser.ts";
import { demandCookie, demandHandler, demandProxy, demandText } from "./preconditions.ts";
import { record } from "./record.ts";

const sameSites = { strict: "Strict", lax: "Lax", no_restriction: "None" } as const;

class StandInSession extends EventEmitter {
  readonly partition: string;
  /** The browser with the session's data, while a window of it is open. */
  browser: Promise<Browser> | undefined;
  /** The proxy for the window's browser; changes have no effect while the browser runs. */
  proxy: ProxyConfig = {};
  /** Without a handler Electron grants every permission. */
  grants = true;

  constructor(partition: string) {
    super();
    this.partition = partition;
  }

  readonly cookies = {
    set: async (details: CookiesSetDetails): Promise<void> => {
      demandCookie(details);
      const { url, name = "", value = "", httpOnly = false, sameSite } = details;
      if (this.browser === undefined) throw new Error("the stand-in sets cookies only while a window is open");
      const { page } = await this.browser;
      if (sameSite === "unspecified") throw new Error("the stand-in does not know sameSite: unspecified");
      const site = sameSite === undefined ? {} : { sameSite: sameSites[sameSite] };
      await page.send("Network.setCookie", { url, name, value, httpOnly, ...site });
    },
  };

  setProxy(proxy: ProxyConfig): Promise<void> {
    demandProxy(proxy);
    this.proxy = proxy;
    record({ call: "session.setProxy", partition: this.partition, ...proxy });
    return Promise.resolve();
  }

  /** Uses only the switches of the command line. */
  resolveProxy(url: string): Promise<string> {
    demandText(url);
    const server = app.commandLine.getSwitchValue("proxy-server");
    if (server === "" || app.commandLine.hasSwitch("no-proxy-server")) return Promise.resolve("DIRECT");
    const { hostname } = new URL(url);
    const bypassed = app.commandLine.getSwitchValue("proxy-bypass-list").split(";");
    if (bypassed.some((rule) => rule !== "" && hostname.endsWith(rule.replace(/^\*/, "")))) return Promise.resolve("DIRECT");
    const [, scheme = "http", address = ""] = /^(?:(\w+):\/\/)?(.*)$/.exec(server) ?? [];
    return Promise.resolve(`${scheme === "http" ? "PROXY" : scheme.toUpperCase()} ${address}`);
  }

  setPermissionRequestHandler(handler: unknown): void {
    demandHandler(handler);
    this.grants = handler === null;
  }

  setPermissionCheckHandler(handler: unknown): void {
    demandHandler(handler);
    this.grants = handler === null;
  }

  setDevicePermissionHandler(handler: unknown): void {
    // The stand-in has no devices.
    demandHandler(handler);
  }
}

export type { StandInSession };

const sessions = new Map<string, StandInSession>();

export const session = {
  get defaultSession(): StandInSession {
    return session.fromPartition("");
  },
  fromPartition: (partition: string): StandInSession => {
    if (!app.isReady()) throw new Error("Session can only be received when app is ready");
    demandText(partition);
    const known = sessions.get(partition) ?? new StandInSession(partition);
    sessions.set(partition, known);
    return known;
  },
};
type Handlers = Pick<
  Session,
  "setProxy" | "resolveProxy" | "setPermissionRequestHandler" | "setPermissionCheckHandler" | "setDevicePermissionHandler"
>;
StandInSession.prototype satisfies Handlers;
