// The commands that a person can send, in groups, each with the controls of its arguments.
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
  /** Of a choice: what the device has, or a fixed list; `value: ""` leaves the argument out. */
  options?: (capabilities: Capabilities) => readonly { value: string; label: Message | null }[];
  /** Of a duration, in seconds; 0: without an end. */
  durations?: readonly number[];
  initial: string;
}

export interface CommandSpec {
  type: CommandType;
  /** What is lost by it: the person has to confirm. */
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

export const commandGroups: readonly { name: Message; commands: readonly CommandSpec[] }[] = [
  {
    name: "groupLook",
    commands: [
      { type: "screenshot" },
      { type: "identify", fields: [duration([10, 30, 60, 300], 10)], args: durationArgs },
      { type: "test_card", fields: [duration([60, 300, 900, hour], 60)], args: durationArgs },
    ],
  },
  {
    name: "groupPlay",
    commands: [
      {
        type: "override.set",
        fields: [
          { name: "layout", label: "layout", kind: "layout", initial: "" },
          duration([300, 900, hour, 4 * hour, 24 * hour, 0], hour),
        ],
        args: (values) => ({ layout_id: values["layout"], ...durationArgs(values) }),
      },
      { type: "override.clear" },
      { type: "skip" },
      { type: "pause", fields: [duration([60, 300, 900, hour], 300)], args: durationArgs },
      { type: "resume" },
      { type: "content.refresh" },
      { type: "reload" },
      {
        type: "variables.set",
        fields: [
          { name: "name", label: "variableName", kind: "text", initial: "" },
          { name: "value", label: "variableValue", kind: "text", initial: "" },
          duration([900, hour, 24 * hour, 0], 0),
        ],
        args: (values) => ({ variables: { [values["name"] ?? ""]: values["value"] }, ...durationArgs(values) }),
      },
      { type: "variables.clear" },
    ],
  },
  {
    name: "groupDisplay",
    commands: [
      {
        type: "display.power",
        fields: [
          choice("power", "power", labelOptions(["on", "on"], ["off", "off"]), "on"),
          duration([0, 900, hour, 4 * hour, 24 * hour], 0),
        ],
        args: (values) => ({ power: values["power"], ...durationArgs(values) }),
      },
      { type: "display.brightness", fields: [percent], args: percentArgs },
      {
        type: "display.rotate",
        fields: [choice("degrees", "degrees", () => plainOptions(["0", "90", "180", "270"]), "0")],
        args: ({ degrees }) => ({ degrees: Number(degrees) }),
      },
      {
        type: "display.mode",
        fields: [choice("mode", "mode", ({ displays }) => [{ value: "", label: "preferred" }, ...plainOptions(modesOf(displays))])],
        args: ({ mode }) => ({ mode: mode === "" || mode === undefined ? null : parseMode(mode) }),
      },
      { type: "display.input", fields: [choice("input", "input", ({ inputs }) => plainOptions(inputs))], args: ({ input }) => ({ input }) },
    ],
  },
  {
    name: "groupSound",
    commands: [
      { type: "audio.volume", fields: [percent], args: percentArgs },
      {
        type: "audio.mute",
        fields: [choice("muted", "sound", labelOptions(["true", "muted"], ["false", "audible"]), "true")],
        args: ({ muted }) => ({ muted: muted === "true" }),
      },
      {
        type: "audio.output",
        fields: [
          choice("output", "output", ({ audio_outputs: all }) => [
            { value: "", label: "preferred" },
            ...plainOptions(all.map(({ name }) => name)),
          ]),
        ],
        args: ({ output }) => ({ output: output === "" ? null : output }),
      },
    ],
  },
  {
    name: "groupMachine",
    commands: [
      { type: "ping" },
      { type: "diagnose" },
      { type: "logs.collect", fields: [choice("level", "level", levels, "info")], args: ({ level }) => ({ level }) },
      {
        type: "logs.level",
        fields: [choice("level", "level", levels, "debug"), duration([900, hour, 24 * hour], hour)],
        args: (values) => ({ level: values["level"], ...durationArgs(values) }),
      },
      { type: "update" },
      { type: "restart", confirm: "confirmRestart" },
      { type: "reboot", confirm: "confirmReboot" },
      { type: "shutdown", confirm: "confirmShutdown" },
      { type: "content.clear_cache", confirm: "confirmClearCache" },
      { type: "unpair", confirm: "confirmUnpair" },
      { type: "factory_reset", confirm: "confirmFactoryReset" },
    ],
  },
  {
    name: "groupWired",
    commands: [
      {
        type: "run",
        fields: [
          choice("script", "script", ({ scripts }) => plainOptions(scripts)),
          { name: "argv", label: "argv", kind: "lines", initial: "" },
        ],
        args: ({ script, argv = "" }) => ({ script, argv: argv.split("\n").filter((line) => line !== "") }),
      },
      {
        type: "serial.write",
        fields: [choice("port", "port", ({ serial_ports: ports }) => plainOptions(ports)), payload],
        args: ({ port, text }) => ({ port, text }),
      },
      {
        type: "network.send",
        fields: [choice("host", "host", ({ network_hosts: hosts }) => plainOptions(hosts)), payload],
        args: ({ host, text }) => ({ host, text }),
      },
    ],
  },
];

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
