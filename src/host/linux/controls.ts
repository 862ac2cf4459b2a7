// What the player can change on a Linux machine: one part for each kind of device.
import { isDeepStrictEqual } from "node:util";
import { createSystemClock, type Clock } from "../../base/clock.ts";
import { type DisplayControls, type MachineControls, noControls, type Power } from "../../player/machine-controls.ts";
import { followHotplug, tellsOnlyPlugs } from "./display-controls/hotplug.ts";
import { type ProbedDisplays, probeDisplays } from "./display-controls/probe.ts";
import { createTools } from "./display-controls/tools.ts";

export interface LinuxControls extends MachineControls {
  /** The power of the outputs as the compositor or the X server tells, without that of a TV; null: cannot tell. */
  outputPower(): Promise<Power | null>;
}

const endless = new AbortController().signal;

/**
 * The controls, which are those of a machine without any until the first probe.
 * @param env names the compositor or X server, and where tools are
 * @param root the folder that holds `sys` and `dev`
 */
export function createLinuxControls(env: NodeJS.ProcessEnv = {}, root = "/", clock: Clock = createSystemClock()): LinuxControls {
  const tools = createTools(env, root);
  const none = noControls();
  let displays: ProbedDisplays = { controls: none.display, outputPower: null };
  const probe = async (signal: AbortSignal): Promise<void> => {
    displays = await probeDisplays(tools, signal);
  };
  return {
    get display() {
      return displays.controls;
    },
    audio: none.audio,
    sensors: none.sensors,
    shutdown: none.shutdown,
    probe,
    async follow(listener, signal) {
      await probe(signal);
      listener();
      const onChange = async (end: AbortSignal): Promise<void> => {
        const before = connected(displays.controls);
        await probe(end);
        // A display that was away for a moment has lost its settings, and looks as before.
        if (tellsOnlyPlugs(env) || !isDeepStrictEqual(connected(displays.controls), before)) listener();
      };
      return followHotplug(env, clock, onChange, signal);
    },
    outputPower: async () => (await displays.outputPower?.read(endless)) ?? null,
  };
}

/** Which displays are connected, and by which tools the player reaches them. */
function connected({ outputs, power, brightness, rotation, mode, input }: DisplayControls) {
  return {
    outputs: outputs.map(({ name, make, model, modes }) => ({ name, make, model, modes })),
    by: [power, brightness, rotation, mode, input].map((each) => each?.by ?? null),
  };
}
