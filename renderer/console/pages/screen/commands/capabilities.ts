// The capabilities of a screen's device.
import type { PlayerDetails } from "../data.ts";

type Capabilities = NonNullable<PlayerDetails["capabilities"]>;

/** Those of an older player, which reports none: it rejects commands that it does not support. */
const untold: Capabilities = {
  commands: [
    "screenshot",
    "identify",
    "reload",
    "restart",
    "skip",
    "pause",
    "resume",
    "override.set",
    "override.clear",
    "variables.set",
    "variables.clear",
  ],
  unavailable: [],
  displays: [],
  inputs: [],
  audio_outputs: [],
  scripts: [],
  serial_ports: [],
  network_hosts: [],
};

export function capabilitiesOf({ capabilities }: Pick<PlayerDetails, "capabilities">): Capabilities {
  return capabilities ?? untold;
}
