// What a device of a test says that it is able to do.
import type { Capabilities } from "../../src/protocol/device/capabilities.ts";

/** @param more what it has besides; default: no displays, scripts or anything else */
export function capabilitiesOf(commands: Capabilities["commands"], more: Partial<Capabilities> = {}): Capabilities {
  const nothing = { unavailable: [], displays: [], inputs: [], audio_outputs: [], scripts: [], serial_ports: [], network_hosts: [] };
  return { commands, ...nothing, ...more };
}
