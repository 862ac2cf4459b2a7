// The controls of a Linux machine that the player may not switch off.
import type { Clock } from "../../src/base/clock.ts";
import { createLinuxControls, type LinuxControls } from "../../src/host/linux/controls.ts";
import { MachinePower } from "../../src/host/linux/machine-power.ts";

export function linuxControls(env: NodeJS.ProcessEnv, root = "/", clock?: Clock): LinuxControls {
  const power = new MachinePower(env, false);
  return createLinuxControls({ env, root, power, run: null, stateFolder: null, ...(clock === undefined ? {} : { clock }) });
}
