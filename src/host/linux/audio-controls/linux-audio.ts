// The sound of a Linux machine, by the first of its tools that works in this session.
import type { AudioControls } from "../../../player/machine-controls.ts";
import { probeAmixer } from "./amixer.ts";
import { noSound, SoundTool } from "./audio-tools.ts";
import { probePactl } from "./pactl.ts";
import { probeWpctl } from "./wpctl.ts";

// PipeWire names an output by its kind and stores the choice itself. ALSA has no names that a browser could follow.
const probes = [
  ["wpctl", probeWpctl],
  ["pactl", probePactl],
  ["amixer", probeAmixer],
] as const;

export class LinuxAudio {
  readonly #tools: readonly (readonly [SoundTool, (tool: SoundTool, signal: AbortSignal) => Promise<AudioControls | null>])[];
  #controls = noSound;

  /** @param env names PATH and XDG_RUNTIME_DIR, where the sound server listens. */
  constructor(env: NodeJS.ProcessEnv) {
    this.#tools = probes.map(([name, probe]) => [new SoundTool(name, env), probe]);
  }

  /** As found by the last probe. */
  get controls(): AudioControls {
    return this.#controls;
  }

  /** Probes the machine's sound tools again. */
  async probe(signal: AbortSignal): Promise<void> {
    for (const [tool, probe] of this.#tools) {
      const controls = await probe(tool, signal);
      if (controls !== null) return void (this.#controls = controls);
    }
    this.#controls = noSound;
  }
}
