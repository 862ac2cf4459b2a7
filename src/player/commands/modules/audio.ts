// The commands for sound: volume, mute and output. The requested values are stored, so that they hold after a restart.
import type { Clock } from "../../../base/clock.ts";
import { Fault, isFault } from "../../../base/fault.ts";
import type { AskedSettingsStore } from "../../control/asked-settings.ts";
import { setAndWait } from "../../control/set-and-read.ts";
import type { AudioControls, Control } from "../../machine-controls.ts";
import { done, type CommandModule } from "../command-module.ts";

export interface AudioModulesDependencies {
  /** As found by the last probe of the machine. */
  audio: () => AudioControls;
  asked: AskedSettingsStore;
  clock: Clock;
}

// Each tool may take five seconds, and some commands need several.
const deadlineMs = 45_000;
const noVolume =
  "no sound output was found, or no tool for it: PipeWire (wpctl of wireplumber), PulseAudio (pactl of pulseaudio-utils) or ALSA (amixer of alsa-utils)";
const noMute = "the sound card cannot be muted, or no tool for it was found: wpctl, pactl or amixer";
const noOutput =
  "outputs can be chosen with PipeWire (wpctl) or PulseAudio (pactl) only; with ALSA alone /etc/asound.conf on the device decides";

export function audioModules({ audio, asked, clock }: AudioModulesDependencies): readonly CommandModule[] {
  const volume: CommandModule<"audio.volume"> = {
    type: "audio.volume",
    deadlineMs,
    missing: () => (audio().volume === null ? noVolume : null),
    async run({ args: { percent } }, signal) {
      // Tools take whole percent only.
      const rounded = Math.round(percent);
      const applied = await setAndWait(present(audio().volume, noVolume), rounded, clock, signal);
      await asked.change({ volume: rounded });
      return done({ ...applied });
    },
  };
  const mute: CommandModule<"audio.mute"> = {
    type: "audio.mute",
    deadlineMs,
    missing: () => (audio().muted === null ? noMute : null),
    async run({ args: { muted } }, signal) {
      const applied = await setAndWait(present(audio().muted, noMute), muted, clock, signal);
      await asked.change({ muted });
      return done({ ...applied });
    },
  };
  const output: CommandModule<"audio.output"> = {
    type: "audio.output",
    deadlineMs,
    missing: () => (audio().output === null ? noOutput : null),
    async run({ args }, signal) {
      const control = present(audio().output, noOutput);
      // Which output is the system's default is known only afterwards: whatever is read back then is right.
      const applied =
        args.output === null
          ? await setDefault(control, clock, signal)
          : await setAndWait<string | null>(control, args.output, clock, signal);
      await asked.change({ audioOutput: args.output });
      await carryOver(audio(), asked, signal);
      return done({ ...applied });
    },
  };
  return [volume, mute, output];
}

// The sound server needs a moment to choose.
const defaultSettlesMs = 500;

async function setDefault(control: Control<string | null>, clock: Clock, signal: AbortSignal) {
  await control.set(null, signal);
  await clock.wait(defaultSettlesMs, signal);
  return { asked: null, read_back: await control.read(signal) };
}

/** Each output has a volume of its own: sets the requested one on the chosen output too. */
async function carryOver({ volume, muted }: AudioControls, { settings }: AskedSettingsStore, signal: AbortSignal): Promise<void> {
  const { volume: percent, muted: isMuted } = settings.value;
  try {
    if (percent !== undefined) await volume?.set(percent, signal);
    if (isMuted !== undefined) await muted?.set(isMuted, signal);
  } catch (error) {
    // The output was switched, as the command asked. The next reports tell the volume.
    if (!isFault(error)) throw error;
  }
}

function present<T>(control: Control<T> | null, missing: string): Control<T> {
  if (control === null) throw new Fault("unsupported", missing);
  return control;
}
