// The parts that a player has with and without a pairing, in groups by subject. A part takes the groups that it needs.
import type { CorrectedClock } from "../base/clock.ts";
import type { OutboundHttp } from "../base/http/outbound-http.ts";
import type { Log } from "../base/log.ts";
import type { AskedSettingsStore } from "./control/asked-settings.ts";
import type { DeclaredDevices } from "./control/declared-devices.ts";
import type { Host } from "./host.ts";
import type { KeyFiles } from "./key-files.ts";
import type { ServiceApi } from "./link/service-api.ts";
import type { Machine } from "./machine.ts";
import type { PlayerConfig } from "./player-config.ts";
import type { Recovery } from "./surface/recovery.ts";
import type { Surface } from "./surface/surface.ts";
import type { Updates } from "./update/updates.ts";
import type { WebItems } from "./web-items/web-items.ts";

export interface PlayerParts {
  config: PlayerConfig;
  files: KeyFiles;
  /** The machine, the settings that commands have asked of it, and the devices that its root user has declared. */
  device: { machine: Machine; asked: AskedSettingsStore; declared: DeclaredDevices };
  /** The clients of the service, and of feeds and streams. */
  http: { api: ServiceApi; outboundHttp: OutboundHttp };
  browser: Browser;
  /** Brings the program to the wanted version; null: no launcher started it. */
  updates: Updates | null;
  clock: CorrectedClock;
  log: Log;
}

/** The browser, the page that it shows, the sites and bundles in the page, and the recovery that keeps it on the display. */
export interface Browser {
  host: Host;
  surface: Surface;
  webItems: WebItems;
  recovery: Recovery;
}

/** The parts that are there before the browser. */
export type BasicParts = Omit<PlayerParts, "browser" | "updates">;
