// The controls and sensors of a Linux machine: one part for each kind of device.
import { isDeepStrictEqual } from "node:util";
import { runAll } from "../../base/async/run-all.ts";
import { Signal } from "../../base/async/signal.ts";
import { createSystemClock, type Clock } from "../../base/clock.ts";
import { type DisplayControls, type MachineControls, noControls, type Power } from "../../player/machine-controls.ts";
import { LinuxAudio } from "./audio-controls/linux-audio.ts";
import { watchSoundCards } from "./audio-controls/sound-cards.ts";
import { followHotplug, tellsOnlyPlugs } from "./display-controls/hotplug.ts";
import { type ProbedDisplays, probeDisplays } from "./display-controls/probe.ts";
import { createTools } from "./display-controls/tools.ts";
import type { MachinePower } from "./machine-power.ts";
import { createLinuxSensors, type LinuxSensorsOptions } from "./sensors/linux-sensors.ts";

export interface LinuxControls extends MachineControls {
  /** The power of the outputs as the compositor or the X server tells, without that of a TV; null: cannot tell. */
  outputPower(): Promise<Power | null>;
}

/** `env` names the compositor or X server, the sound server, and by PATH the tools; `root` is the folder that holds `proc`, `sys` and `dev`. */
export interface LinuxControlsOptions extends LinuxSensorsOptions {
  power: MachinePower;
  clock?: Clock;
}

const endless = new AbortController().signal;

/** The controls, which are those of a machine without any until the first probe. */
export function createLinuxControls({ power, clock = createSystemClock(), ...options }: LinuxControlsOptions): LinuxControls {
  const { env, root } = options;
  const tools = createTools(env, root);
  const audio = new LinuxAudio(env);
  let displays: ProbedDisplays = { controls: noControls().display, outputPower: null };
  const probeDisplay = async (signal: AbortSignal): Promise<void> => {
    displays = await probeDisplays(tools, signal);
  };
  const probe = async (signal: AbortSignal): Promise<void> => {
    await Promise.all([probeDisplay(signal), audio.probe(signal), power.probe(signal)]);
  };
  return {
    get display() {
      return displays.controls;
    },
    get audio() {
      return audio.controls;
    },
    sensors: createLinuxSensors(options),
    get shutdown() {
      return power.shutdown;
    },
    get powerObstacles() {
      return power.obstacles;
    },
    probe,
    async follow(listener, signal) {
      await probe(signal);
      listener();
      const onDisplays = async (end: AbortSignal): Promise<void> => {
        const before = displaySummary(displays.controls);
        await probeDisplay(end);
        // A display that was away for a moment has lost its settings, and looks as before.
        if (tellsOnlyPlugs(env) || !isDeepStrictEqual(displaySummary(displays.controls), before)) listener();
      };
      const soundCards = new Signal();
      watchSoundCards(() => soundCards.notify(), signal);
      const followSound = async (end: AbortSignal): Promise<never> => {
        for (;;) {
          await soundCards.wait(clock, Number.POSITIVE_INFINITY, end);
          await audio.probe(end);
          listener();
        }
      };
      return runAll([(end) => followHotplug(env, clock, onDisplays, end), followSound], signal);
    },
    outputPower: async () => (await displays.outputPower?.read(endless)) ?? null,
  };
}

/** Which displays are connected, and by which tools the player reaches them. */
function displaySummary({ outputs, power, brightness, rotation, mode, input }: DisplayControls) {
  return {
    outputs: outputs.map(({ name, make, model, modes }) => ({ name, make, model, modes })),
    by: [power, brightness, rotation, mode, input].map((each) => each?.by ?? null),
  };
}
