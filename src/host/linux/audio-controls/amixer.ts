// Sound by ALSA alone, with the tool amixer: volume and mute of the default card. Which output plays is set in /etc/asound.conf.
import type { AudioControls } from "../../../player/machine-controls.ts";
import { numberIn, type SoundTool, toolControl } from "./audio-tools.ts";

// The controls that a listener hears, the one for all outputs first. Cards name them differently.
const preferredNames = ["Master", "PCM", "HDMI", "Headphone", "Speaker", "Digital", "Line Out"];

/** The controls of the first control with a volume; null if the card has none. */
export async function probeAmixer(tool: SoundTool, signal: AbortSignal): Promise<AudioControls | null> {
  const controls = controlsIn((await tool.ask(["scontents"], signal)) ?? "");
  const names = [...preferredNames, ...controls.keys()];
  const name = names.find((each) => controls.get(each)?.hasVolume === true);
  if (name === undefined) return null;
  const selected = `'${name}',${controls.get(name)!.index}`;
  const state = (end: AbortSignal): Promise<string | null> => tool.ask(["-M", "sget", selected], end);
  return {
    volume: toolControl<number>(tool, {
      // -M: as loud as the percentage sounds, as PipeWire and PulseAudio do.
      set: async (percent, end) => void (await tool.run(["-M", "sset", selected, `${Math.round(percent)}%`], end)),
      read: async (end) => numberIn(/\[([0-9]+)%\]/.exec((await state(end)) ?? "")?.[1]),
    }),
    muted: !controls.get(name)!.hasSwitch
      ? null
      : toolControl<boolean>(tool, {
          set: async (muted, end) => void (await tool.run(["-M", "sset", selected, muted ? "mute" : "unmute"], end)),
          read: async (end) => mutedIn(await state(end)),
        }),
    // Chromium opens ALSA's default device, which only a file of root decides.
    output: null,
    outputs: [],
  };
}

interface MixerControl {
  index: string;
  hasVolume: boolean;
  hasSwitch: boolean;
}

/** The first control of each name, from blocks such as `Simple mixer control 'Master',0` with a line `Capabilities: pvolume pswitch`. */
function controlsIn(contents: string): Map<string, MixerControl> {
  const blocks = contents.matchAll(/^Simple mixer control '(.*)',([0-9]+)\n((?:^ .*\n?)*)/gm);
  const controls = new Map<string, MixerControl>();
  for (const [, name = "", index = "", block = ""] of blocks) {
    const capabilities = /Capabilities: (.*)/.exec(block)?.[1]?.split(" ") ?? [];
    const has = (...names: readonly string[]): boolean => names.some((each) => capabilities.includes(each));
    const control = { index, hasVolume: has("pvolume", "volume", "pvolume-joined"), hasSwitch: has("pswitch", "switch", "pswitch-joined") };
    if (!controls.has(name)) controls.set(name, control);
  }
  return controls;
}

function mutedIn(text: string | null): boolean | null {
  const value = /\[(on|off)\]/.exec(text ?? "")?.[1];
  return value === undefined ? null : value === "off";
}
