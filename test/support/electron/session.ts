// The stand-in's `session`: cookies, permissions and downloads of one partition.
import { EventEmitter } from "node:events";
import type { CookiesSetDetails, Session } from "electron";
import { app } from "./app.ts";
import type { Browser } from "./browser.ts";

const sameSites = { strict: "Strict", lax: "Lax", no_restriction: "None" } as const;

class StandInSession extends EventEmitter {
  readonly partition: string;
  /** The browser that holds the session's data, while a window of it is there. */
  browser: Promise<Browser> | undefined;
  /** Without a handler Electron grants what a page asks for. */
  grants = true;

  constructor(partition: string) {
    super();
    this.partition = partition;
  }

  readonly cookies = {
    set: async ({ url, name = "", value = "", httpOnly = false, sameSite }: CookiesSetDetails): Promise<void> => {
      if (this.browser === undefined) throw new Error("the stand-in sets cookies only while a window is open");
      const { page } = await this.browser;
      if (sameSite === "unspecified") throw new Error("the stand-in does not know sameSite: unspecified");
      const site = sameSite === undefined ? {} : { sameSite: sameSites[sameSite] };
      await page.send("Network.setCookie", { url, name, value, httpOnly, ...site });
    },
  };

  setPermissionRequestHandler(handler: unknown): void {
    this.grants = handler === null;
  }

  setPermissionCheckHandler(handler: unknown): void {
    this.grants = handler === null;
  }

  setDevicePermissionHandler(_handler: unknown): void {
    // No device is ever offered.
  }
}

export type { StandInSession };

const sessions = new Map<string, StandInSession>();

export const session = {
  fromPartition: (partition: string): StandInSession => {
    if (!app.isReady()) throw new Error("Session can only be received when app is ready");
    const known = sessions.get(partition) ?? new StandInSession(partition);
    sessions.set(partition, known);
    return known;
  },
};
type Handlers = Pick<Session, "setPermissionRequestHandler" | "setPermissionCheckHandler" | "setDevicePermissionHandler">;
StandInSession.prototype satisfies Handlers;
