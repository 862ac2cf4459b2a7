// Sound by PipeWire's session manager, with the tool wpctl. Its numbers change with every start: outputs are remembered by name.
import type { AudioControls, AudioOutput } from "../../../player/machine-controls.ts";
import { noSound, numberIn, type SoundTool, toolControl, unknownOutput } from "./audio-tools.ts";

const current = "@DEFAULT_AUDIO_SINK@";
// PipeWire's stand-in while there is no real output.
const standIn = "auto_null";

/** An output with its number in this run of PipeWire. */
interface Sink extends AudioOutput {
  id: string;
}

/** The controls; null if PipeWire does not run in this session. */
export async function probeWpctl(tool: SoundTool, signal: AbortSignal): Promise<AudioControls | null> {
  const sinks = await listSinks(tool, signal);
  if (sinks === null) return null;
  if (sinks.length === 0) return noSound;
  const outputs = sinks.map(({ name, description }) => ({ name, description }));
  return {
    volume: toolControl<number>(tool, {
      set: async (percent, end) => void (await tool.run(["set-volume", current, (percent / 100).toFixed(2)], end)),
      read: async (end) => volumeIn(await tool.ask(["get-volume", current], end)),
    }),
    muted: toolControl<boolean>(tool, {
      set: async (muted, end) => void (await tool.run(["set-mute", current, muted ? "1" : "0"], end)),
      read: async (end) => (await tool.ask(["get-volume", current], end))?.includes("[MUTED]") ?? null,
    }),
    output: toolControl<string | null>(tool, {
      set: (name, end) => setOutput(tool, name, end),
      read: async (end) => nameIn(await tool.ask(["inspect", current], end)),
    }),
    outputs,
  };
}

async function setOutput(tool: SoundTool, name: string | null, signal: AbortSignal): Promise<void> {
  if (name === null) return void (await tool.run(["clear-default"], signal));
  // An output that was unplugged and came back has another number.
  const sinks = (await listSinks(tool, signal)) ?? [];
  const sink = sinks.find((each) => each.name === name);
  if (sink === undefined) throw unknownOutput(name, sinks);
  await tool.run(["set-default", sink.id], signal);
}

/** The outputs, with names by one call and descriptions by another; null if wpctl does not work. */
async function listSinks(tool: SoundTool, signal: AbortSignal): Promise<Sink[] | null> {
  const names = sinksIn(await tool.ask(["status", "--name"], signal));
  if (names === null) return null;
  const descriptions = sinksIn(await tool.ask(["status"], signal)) ?? new Map<string, string>();
  return [...names].filter(([, name]) => name !== standIn).map(([id, name]) => ({ id, name, description: descriptions.get(id) ?? name }));
}

/** The texts of the sinks by their numbers, from a tree such as ` │  *   47. Sink one   [vol: 0.40 MUTED]`. */
function sinksIn(status: string | null): Map<string, string> | null {
  // Without WirePlumber there is no section for sound.
  const [, audio] = /^Audio\n(.*?)^\S/ms.exec(status ?? "") ?? [];
  const [, sinks] = /Sinks:\n(.*?)(?:[├└]─ |$)/s.exec(audio ?? "") ?? [];
  if (sinks === undefined) return null;
  const matches = [...sinks.matchAll(/^[ │]*\*?\s+([0-9]+)\. (.*?)\s*(?:\[vol:[^\]]*\])?\s*$/gm)];
  return new Map(matches.map(([, id = "", text = ""]) => [id, text]));
}

/** From `Volume: 0.40 [MUTED]`. */
function volumeIn(text: string | null): number | null {
  const volume = numberIn(/Volume:\s*([0-9.]+)/.exec(text ?? "")?.[1]);
  return volume === null ? null : Math.round(volume * 100);
}

function nameIn(text: string | null): string | null {
  const name = /node\.name = "(.*)"/.exec(text ?? "")?.[1] ?? null;
  return name === standIn ? null : name;
}
