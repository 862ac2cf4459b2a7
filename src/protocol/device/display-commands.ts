// Commands for the display and the sound of a player: power, brightness, rotation, mode, input, volume, mute, output.
import { z } from "zod";
import { deviceText } from "../text.ts";
import type { CommandDefinitions } from "./command-definition.ts";

/** Degrees clockwise by which the output turns the picture. Touch input turns along. */
export const DisplayRotation = z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]).meta({ id: "DisplayRotation" });
export type DisplayRotation = z.infer<typeof DisplayRotation>;

/** A mode of an output, in pixels before the rotation. */
export const DisplayMode = z
  .strictObject({
    width: z.int().min(1).max(16_384),
    height: z.int().min(1).max(16_384),
    refresh_hz: z.number().min(1).max(1_000).optional().describe("Default: the highest that the display offers at this size"),
  })
  .meta({ id: "DisplayMode" });
export type DisplayMode = z.infer<typeof DisplayMode>;

export const Power = z.enum(["on", "off"]).meta({ id: "Power" });
export type Power = z.infer<typeof Power>;

const PowerArgs = z.strictObject({
  power: Power,
  duration_ms: z
    .int()
    .min(1_000)
    .max(31_536_000_000)
    .optional()
    .describe(
      "1 s to 365 days. Default: until the display's opening hours begin or end next; without opening hours until the next command",
    ),
});
const BrightnessArgs = z.strictObject({ percent: z.number().min(0).max(100) });
const RotateArgs = z.strictObject({ degrees: DisplayRotation });
const ModeArgs = z.strictObject({ mode: DisplayMode.nullable().describe("null: the mode that the display prefers") });
/** The name of an input of a display, as its capabilities list them. */
const DisplayInput = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, "must be an input such as hdmi-1, as the screen's capabilities list them")
  .meta({ examples: ["hdmi-1"] });
const InputArgs = z.strictObject({ input: DisplayInput });
const VolumeArgs = z.strictObject({ percent: z.number().min(0).max(100) });
const MuteArgs = z.strictObject({ muted: z.boolean() });
const OutputArgs = z.strictObject({
  output: deviceText(200).min(1).nullable().describe("The name of an output in the player's capabilities; null: the system's default"),
});

// A display must not change its mode while the machine goes down, nor have its mode and its rotation changed at once.
export const displayCommands = {
  "display.power": { args: PowerArgs, takesTurns: true },
  "display.brightness": { args: BrightnessArgs, takesTurns: true, mayRecur: true },
  "display.rotate": { args: RotateArgs, takesTurns: true },
  "display.mode": { args: ModeArgs, takesTurns: true },
  "display.input": { args: InputArgs, takesTurns: true, mayRecur: true },
  "audio.volume": { args: VolumeArgs, takesTurns: true, mayRecur: true },
  "audio.mute": { args: MuteArgs, takesTurns: true, mayRecur: true },
  "audio.output": { args: OutputArgs, takesTurns: true, mayRecur: true },
} as const satisfies CommandDefinitions;
