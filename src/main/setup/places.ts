// Where setup reads and writes: the machine's files, under a root folder that tests replace.
import { join } from "node:path";

/** The absolute paths of everything that setup touches. */
export interface Places {
  root: string;
  /** The player's data folder. */
  data: string;
  /** The variables of the player's unit. */
  playerEnv: string;
  /** The variables of the display session. */
  sessionEnv: string;
  localtime: string;
  zones: string;
  /** NetworkManager's own folder: it is there exactly where NetworkManager is installed. */
  networkManager: string;
  wifiProfile: string;
  passwd: string;
  /** The list of the files that setup has applied. */
  applied: string;
  /** The problem with the newest file; the player shows it. */
  report: string;
  /** Where a `signage.toml` may be, the first one counts. */
  bootFolders: string[];
}

const defaultDataFolder = "/var/lib/signage-player";

/** @param root prefix of all paths, `/` on a real machine. */
export function placesIn(root = "/", data = defaultDataFolder): Places {
  const at = (path: string): string => join(root, path);
  return {
    root,
    data: at(data),
    playerEnv: at("/etc/signage-player/player.env"),
    sessionEnv: at("/etc/signage-player/session.env"),
    localtime: at("/etc/localtime"),
    zones: at("/usr/share/zoneinfo"),
    networkManager: at("/etc/NetworkManager"),
    wifiProfile: at("/etc/NetworkManager/system-connections/signage.nmconnection"),
    passwd: at("/etc/passwd"),
    applied: at("/var/lib/signage-setup/applied.json"),
    report: at("/var/lib/signage-setup/report.json"),
    bootFolders: ["/boot/firmware", "/boot/efi", "/boot"].map(at),
  };
}
