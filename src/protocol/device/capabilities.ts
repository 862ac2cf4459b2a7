// A player's abilities, as it announces them: its commands, displays, sound outputs, scripts, serial ports and hosts.
import { z } from "zod";
import { deviceText } from "../text.ts";
import { DisplayMode } from "./display-commands.ts";

const maxListed = 64;

/** An output of the machine with the display that is connected to it. */
export const DisplayOutput = z
  .object({
    name: deviceText(64).describe("Such as HDMI-A-1"),
    make: deviceText(100).nullable(),
    model: deviceText(100).nullable(),
    mode: DisplayMode.nullable().describe("The present mode; null: unknown or off"),
    modes: z.array(DisplayMode).max(maxListed),
  })
  .meta({ id: "DisplayOutput" });
export type DisplayOutput = z.infer<typeof DisplayOutput>;

/** A sound output. Commands name it by `name`, which stays the same after a restart. */
export const AudioOutput = z.object({ name: deviceText(200), description: deviceText(200) }).meta({ id: "AudioOutput" });
export type AudioOutput = z.infer<typeof AudioOutput>;

/** A command that a player knows but is not able to carry out, and why. */
const UnavailableCommand = z.object({ type: deviceText(64), reason: deviceText(300) }).meta({ id: "UnavailableCommand" });

export const Capabilities = z
  .object({
    commands: z.array(deviceText(64)).max(200).describe("The types of the commands that it carries out"),
    unavailable: z.array(UnavailableCommand).max(200).default([]).describe("The types that it knows, and what it lacks for them"),
    displays: z.array(DisplayOutput).max(16).default([]),
    inputs: z.array(deviceText(32)).max(maxListed).default([]).describe("The inputs that `display.input` selects"),
    audio_outputs: z.array(AudioOutput).max(maxListed).default([]),
    scripts: z.array(deviceText(64)).max(maxListed).default([]).describe("The scripts that `run` starts"),
    serial_ports: z.array(deviceText(64)).max(maxListed).default([]),
    network_hosts: z.array(deviceText(64)).max(maxListed).default([]),
  })
  .meta({ id: "Capabilities" });
export type Capabilities = z.infer<typeof Capabilities>;
