// Where the machine's root user declares what commands may use: scripts, serial ports and hosts.
import type { DeclaredPlaces } from "../../player/control/declared-devices.ts";

const folder = "/etc/signage-player";
const rootUid = 0;

/** @param allowScripts the flag --allow-scripts. */
export function declaredPlaces(allowScripts: boolean): DeclaredPlaces {
  return {
    scripts: allowScripts ? `${folder}/scripts` : null,
    wiredDisplays: `${folder}/wired-displays.json`,
    ownerUid: rootUid,
  };
}
