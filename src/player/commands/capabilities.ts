// The heartbeat's share of the commands: which the player carries out, and on which devices.
import { Capabilities } from "../../protocol/device/capabilities.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { DeclaredDevices } from "../control/declared-devices.ts";
import type { MachineControls } from "../machine-controls.ts";
import type { CommandSet } from "./command-set.ts";

export function reportCapabilities(
  commands: CommandSet,
  { display, audio }: MachineControls,
  { scripts, displays }: DeclaredDevices,
): Pick<Heartbeat, "capabilities"> {
  return {
    capabilities: Capabilities.parse({
      ...commands.announce(),
      displays: display.outputs,
      inputs: display.inputs,
      audio_outputs: audio.outputs,
      scripts: scripts.is === "declared" ? scripts.value : [],
      serial_ports: displays.is === "declared" ? displays.value.serial.map(({ name }) => name) : [],
      network_hosts: displays.is === "declared" ? displays.value.network.map(({ name }) => name) : [],
    }),
  };
}
