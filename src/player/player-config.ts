// The player's configuration, which its program reads once. A part takes the slice that it needs.
import type { DeclaredPlaces } from "./control/declared-devices.ts";
import type { NtpServer } from "./link/ntp.ts";
import type { LauncherOptions } from "./update/updates.ts";

export interface PlayerConfig {
  /** Folder for identity, desired state and content. */
  folder: string;
  /** Folder of the built page. */
  rendererFolder: string;
  version: string;
  /** The machine's own IANA time zone. */
  deviceZone: string;
  /** The first notice on the pairing screen, such as a problem with the machine's settings; null: none. */
  notice: string | null;
  /** Time servers to use while the service is unreachable. Empty: none. */
  ntp: readonly NtpServer[];
  /** True if sensors and buttons may set variables over a socket in `folder`. */
  triggers: boolean;
  /** Where the device's root user declares scripts, serial ports and hosts. */
  declared: DeclaredPlaces;
  /** A folder to take content files from before they are downloaded; null: none. */
  preload: string | null;
  /** The limit for all files of content together, in bytes; null: the whole disk. */
  quota: number | null;
  /** True if feeds and streams may come from this host and port of the machine itself. */
  mayReachLocal: (host: string, port: number) => boolean;
  /** The launcher that started this program; null: there is none, and the player does not care about releases. */
  launcher: LauncherOptions | null;
}

/** The settings that the player itself changes, kept in the program's own store. */
export interface PlayerSettings {
  /** Stores the address of the service that paired this player. */
  rememberServer(server: string): Promise<void>;
}
