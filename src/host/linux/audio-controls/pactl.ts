// Sound by PulseAudio, or by PipeWire in its place, with the tool pactl.
import { z } from "zod";
import type { AudioControls, AudioOutput } from "../../../player/machine-controls.ts";
import { noSound, numberIn, type SoundTool, toolControl, unknownOutput } from "./audio-tools.ts";

const current = "@DEFAULT_SINK@";
const standIn = "auto_null";
const Sinks = z.array(z.object({ name: z.string(), description: z.string().nullish() }));

/** The controls; null if no sound server answers. */
export async function probePactl(tool: SoundTool, signal: AbortSignal): Promise<AudioControls | null> {
  const outputs = await listOutputs(tool, signal);
  if (outputs === null) return null;
  if (outputs.length === 0) return noSound;
  return {
    volume: toolControl<number>(tool, {
      set: async (percent, end) => void (await tool.run(["set-sink-volume", current, `${Math.round(percent)}%`], end)),
      // The first channel: a command sets all alike.
      read: async (end) => numberIn(/([0-9]+)%/.exec((await tool.ask(["get-sink-volume", current], end)) ?? "")?.[1]),
    }),
    muted: toolControl<boolean>(tool, {
      set: async (muted, end) => void (await tool.run(["set-sink-mute", current, muted ? "1" : "0"], end)),
      read: async (end) => mutedIn(await tool.ask(["get-sink-mute", current], end)),
    }),
    output: toolControl<string | null>(tool, {
      async set(name, end) {
        const present = (await listOutputs(tool, end)) ?? [];
        if (name !== null && !present.some((output) => output.name === name)) throw unknownOutput(name, present);
        await tool.run(["set-default-sink", name ?? "@NONE@"], end);
      },
      async read(end) {
        const name = (await tool.ask(["get-default-sink"], end))?.trim() ?? "";
        return name === "" || name === standIn || name.startsWith("@") ? null : name;
      },
    }),
    outputs,
  };
}

async function listOutputs(tool: SoundTool, signal: AbortSignal): Promise<AudioOutput[] | null> {
  const text = await tool.ask(["--format=json", "list", "sinks"], signal);
  const sinks = text === null ? null : Sinks.safeParse(parseJson(text));
  if (sinks === null || !sinks.success) return null;
  return sinks.data.filter(({ name }) => name !== standIn).map(({ name, description }) => ({ name, description: description ?? name }));
}

function mutedIn(text: string | null): boolean | null {
  const value = /Mute:\s*(yes|no)/.exec(text ?? "")?.[1];
  return value === undefined ? null : value === "yes";
}

/** Null, which no schema accepts, if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
