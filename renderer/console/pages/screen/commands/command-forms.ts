// The form of each command that a person can send: its heading, and the controls of its arguments.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import type { CommandRequest } from "./use-command.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";

type Capabilities = Schemas["Capabilities"];
type Message = MessageKey<"screenCommands">;
export type CommandType = CommandRequest["type"];
export type Values = Readonly<Record<string, string>>;

/** A control for one argument. Its value is a text until the command is sent. */
export interface Field {
  name: string;
  label: Message;
  kind: "percent" | "choice" | "duration" | "text" | "lines" | "layout";
  /** Of a choice: the options of the device, or a fixed list; `value: ""` leaves the argument out. */
  options?: (capabilities: Capabilities) => readonly { value: string; label: Message | null }[];
  /** Of a duration, in seconds; 0: without an end. */
  durations?: readonly number[];
  initial: string;
}

export interface CommandForm {
  /** The heading on the page of a screen. */
  group: Message;
  /** The question that a person must confirm first: it names the loss that the command causes. */
  confirm?: MessageKey<"screenCommands", { name: string }>;
  fields?: readonly Field[];
  args?: (values: Values) => Record<string, unknown>;
}

const choice = (name: string, label: Message, options: NonNullable<Field["options"]>, initial = ""): Field => ({
  name,
  label,
  kind: "choice",
  options,
  initial,
});
const labelOptions =
  (...values: readonly (readonly [string, Message])[]) =>
  (): readonly { value: string; label: Message }[] =>
    values.map(([value, label]) => ({ value, label }));
const plainOptions = (values: readonly string[]): readonly { value: string; label: null }[] =>
  values.map((value) => ({ value, label: null }));
const percent: Field = { name: "percent", label: "percent", kind: "percent", initial: "50" };
const duration = (durations: readonly number[], initial: number): Field => ({
  name: "duration",
  label: "duration",
  kind: "duration",
  durations,
  initial: String(initial),
});

const percentArgs = ({ percent: value }: Values): Record<string, unknown> => ({ percent: Number(value) });
/** `duration_ms`; nothing for 0, which is without an end. */
const durationArgs = ({ duration: seconds = "0" }: Values): Record<string, unknown> =>
  seconds === "0" ? {} : { duration_ms: Number(seconds) * 1_000 };
const payload = { name: "text", label: "bytes", kind: "text", initial: "" } as const satisfies Field;
const levels = labelOptions(["debug", "levelDebug"], ["info", "levelInfo"], ["warn", "levelWarn"], ["error", "levelError"]);
const hour = 3_600;

/** The form of each command. The order within a group is that on the page. */
export const commandForms: Readonly<Record<CommandType, CommandForm>> = {
  screenshot: { group: "groupLook" },
  identify: { group: "groupLook", fields: [duration([10, 30, 60, 300], 10)], args: durationArgs },
  test_card: { group: "groupLook", fields: [duration([60, 300, 900, hour], 60)], args: durationArgs },
  "override.set": {
    group: "groupPlay",
    fields: [{ name: "layout", label: "layout", kind: "layout", initial: "" }, duration([300, 900, hour, 4 * hour, 24 * hour, 0], hour)],
    args: (values) => ({ layout_id: values["layout"], ...durationArgs(values) }),
  },
  "override.clear": { group: "groupPlay" },
  skip: { group: "groupPlay" },
  pause: { group: "groupPlay", fields: [duration([60, 300, 900, hour], 300)], args: durationArgs },
  resume: { group: "groupPlay" },
  "content.refresh": { group: "groupPlay" },
  reload: { group: "groupPlay" },
  "variables.set": {
    group: "groupPlay",
    fields: [
      { name: "name", label: "variableName", kind: "text", initial: "" },
      { name: "value", label: "variableValue", kind: "text", initial: "" },
      duration([900, hour, 24 * hour, 0], 0),
    ],
    args: (values) => ({ variables: { [values["name"] ?? ""]: values["value"] }, ...durationArgs(values) }),
  },
  "variables.clear": { group: "groupPlay" },
  "display.power": {
    group: "groupDisplay",
    fields: [choice("power", "power", labelOptions(["on", "on"], ["off", "off"]), "on"), duration([0, 900, hour, 4 * hour, 24 * hour], 0)],
    args: (values) => ({ power: values["power"], ...durationArgs(values) }),
  },
  "display.brightness": { group: "groupDisplay", fields: [percent], args: percentArgs },
  "display.rotate": {
    group: "groupDisplay",
    fields: [choice("degrees", "degrees", () => plainOptions(["0", "90", "180", "270"]), "0")],
    args: ({ degrees }) => ({ degrees: Number(degrees) }),
  },
  "display.mode": {
    group: "groupDisplay",
    fields: [choice("mode", "mode", ({ displays }) => [{ value: "", label: "preferred" }, ...plainOptions(modesOf(displays))])],
    args: ({ mode }) => ({ mode: mode === "" || mode === undefined ? null : parseMode(mode) }),
  },
  "display.input": {
    group: "groupDisplay",
    fields: [choice("input", "input", ({ inputs }) => plainOptions(inputs))],
    args: ({ input }) => ({ input }),
  },
  "audio.volume": { group: "groupSound", fields: [percent], args: percentArgs },
  "audio.mute": {
    group: "groupSound",
    fields: [choice("muted", "sound", labelOptions(["true", "muted"], ["false", "audible"]), "true")],
    args: ({ muted }) => ({ muted: muted === "true" }),
  },
  "audio.output": {
    group: "groupSound",
    fields: [
      choice("output", "output", ({ audio_outputs: all }) => [
        { value: "", label: "preferred" },
        ...plainOptions(all.map(({ name }) => name)),
      ]),
    ],
    args: ({ output }) => ({ output: output === "" ? null : output }),
  },
  ping: { group: "groupMachine" },
  diagnose: { group: "groupMachine" },
  "logs.collect": { group: "groupMachine", fields: [choice("level", "level", levels, "info")], args: ({ level }) => ({ level }) },
  "logs.level": {
    group: "groupMachine",
    fields: [choice("level", "level", levels, "debug"), duration([900, hour, 24 * hour], hour)],
    args: (values) => ({ level: values["level"], ...durationArgs(values) }),
  },
  update: { group: "groupMachine" },
  restart: { group: "groupMachine", confirm: "confirmRestart" },
  reboot: { group: "groupMachine", confirm: "confirmReboot" },
  shutdown: { group: "groupMachine", confirm: "confirmShutdown" },
  "content.clear_cache": { group: "groupMachine", confirm: "confirmClearCache" },
  unpair: { group: "groupMachine", confirm: "confirmUnpair" },
  factory_reset: { group: "groupMachine", confirm: "confirmFactoryReset" },
  run: {
    group: "groupWired",
    fields: [
      choice("script", "script", ({ scripts }) => plainOptions(scripts)),
      { name: "argv", label: "argv", kind: "lines", initial: "" },
    ],
    args: ({ script, argv = "" }) => ({ script, argv: argv.split("\n").filter((line) => line !== "") }),
  },
  "serial.write": {
    group: "groupWired",
    fields: [choice("port", "port", ({ serial_ports: ports }) => plainOptions(ports)), payload],
    args: ({ port, text }) => ({ port, text }),
  },
  "network.send": {
    group: "groupWired",
    fields: [choice("host", "host", ({ network_hosts: hosts }) => plainOptions(hosts)), payload],
    args: ({ host, text }) => ({ host, text }),
  },
};
export const commandTypes = Object.keys(commandForms) as readonly CommandType[];

function modesOf(displays: Capabilities["displays"]): string[] {
  const all = displays.flatMap(({ modes }) =>
    modes.map(({ width, height, refresh_hz: hz }) => `${width}×${height}${hz === undefined ? "" : ` ${hz} Hz`}`),
  );
  return [...new Set(all)];
}

function parseMode(mode: string): Record<string, number> {
  const [, width, height, hz] = /^([0-9]+)×([0-9]+)(?: ([0-9.]+) Hz)?$/.exec(mode)!;
  return { width: Number(width), height: Number(height), ...(hz === undefined ? {} : { refresh_hz: Number(hz) }) };
}
