// What the player can change and measure on a Linux machine.
import { type MachineControls, noControls } from "../../player/machine-controls.ts";
import { LinuxAudio } from "./audio-controls/linux-audio.ts";
import { watchSoundCards } from "./audio-controls/sound-cards.ts";
import type { MachinePower } from "./machine-power.ts";
import { createLinuxSensors, type LinuxSensorsOptions } from "./sensors/linux-sensors.ts";

export interface LinuxControlsOptions extends LinuxSensorsOptions {
  power: MachinePower;
}

export function createLinuxControls({ power, ...options }: LinuxControlsOptions): MachineControls {
  const audio = new LinuxAudio(options.env);
  const { display } = noControls();
  const probe = async (signal: AbortSignal): Promise<void> => {
    await Promise.all([audio.probe(signal), power.probe(signal)]);
  };
  return {
    display,
    get audio() {
      return audio.controls;
    },
    sensors: createLinuxSensors(options),
    probe,
    async follow(listener, signal) {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const probeAndTell = (): void => void probe(signal).then(listener).catch(reject);
      signal.throwIfAborted();
      probeAndTell();
      watchSoundCards(probeAndTell, signal);
      return promise;
    },
    get shutdown() {
      return power.shutdown;
    },
    get powerObstacles() {
      return power.obstacles;
    },
  };
}
