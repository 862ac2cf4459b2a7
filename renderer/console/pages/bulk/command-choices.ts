// The commands that can be sent to many screens at once.
import { useQueries, useQuery } from "@tanstack/react-query";
import { hourMs } from "../../../../src/base/time.ts";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { playerQuery } from "../screen/data.ts";
import type { Capabilities } from "../screen/commands/command-fields.tsx";
import { commandForms, type CommandForm, type CommandType } from "../screen/commands/command-forms.ts";
import { sendWithoutFailing } from "./outcomes.ts";
import type { MessageKey } from "../../i18n/catalogue.ts";

/** A command with its arguments, as `POST /commands` takes it. */
export type BulkCommand = Pick<Schemas["Command"], "type" | "args">;

interface CommandChoice extends BulkCommand {
  /** The form of its arguments, as on a screen's page; `args` is then only for asking which screens support it. */
  form?: CommandForm;
  /** The key of its name in the messages. */
  name: MessageKey<"bulk">;
  /** True if it darkens or restarts the screens: sent in waves unless the person says otherwise. */
  isRisky?: boolean;
}

function formOf<T extends CommandType>(type: T): { type: T; form: CommandForm } {
  return { type, form: commandForms[type] };
}

export const commandChoices = {
  identify: { name: "identify", type: "identify", args: {} },
  screenshot: { name: "screenshot", type: "screenshot", args: {} },
  test_card: { name: "testCard", type: "test_card", args: {} },
  reload: { name: "reload", type: "reload", args: {} },
  refresh: { name: "refresh", type: "content.refresh", args: {} },
  display_on: { name: "displayOn", type: "display.power", args: { power: "on" } },
  display_off: { name: "displayOff", type: "display.power", args: { power: "off" } },
  mute: { name: "mute", type: "audio.mute", args: { muted: true } },
  unmute: { name: "unmute", type: "audio.mute", args: { muted: false } },
  brightness: { name: "brightness", ...formOf("display.brightness"), args: { percent: 50 } },
  input: { name: "input", ...formOf("display.input"), args: { input: "hdmi-1" } },
  mode: { name: "mode", ...formOf("display.mode"), args: { mode: null } },
  rotate: { name: "rotate", ...formOf("display.rotate"), args: { degrees: 0 } },
  volume: { name: "volume", ...formOf("audio.volume"), args: { percent: 50 } },
  output: { name: "output", ...formOf("audio.output"), args: { output: null } },
  log_level: { name: "logLevel", ...formOf("logs.level"), args: { level: "debug", duration_ms: hourMs } },
  logs: { name: "logs", type: "logs.collect", args: {} },
  restart: { name: "restart", type: "restart", args: {}, isRisky: true },
  update: { name: "update", type: "update", args: {}, isRisky: true },
  reboot: { name: "reboot", type: "reboot", args: {}, isRisky: true },
} as const satisfies Record<string, CommandChoice>;

export type CommandChoiceId = keyof typeof commandChoices;
// Asking for each command costs the service a dry run on all selected screens.
const mostAsked = 200;

/** By command: how many of the screens support it. Null: there are too many screens to ask before one is chosen. */
export function useSupport(ids: readonly string[], dialogId: string): ReadonlyMap<CommandChoiceId, number> | null {
  const { data } = useQuery({
    queryKey: ["bulk-command-support", dialogId, ids.length],
    enabled: ids.length <= mostAsked,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const counts = new Map<string, number>();
      for (const { type, args } of Object.values(commandChoices)) {
        if (!counts.has(type)) counts.set(type, await countSupporting(ids, { type, args }, signal));
      }
      return new Map(Object.entries(commandChoices).map(([id, { type }]) => [id as CommandChoiceId, counts.get(type)!]));
    },
  });
  return data ?? null;
}

async function countSupporting(ids: readonly string[], command: BulkCommand, signal: AbortSignal): Promise<number> {
  const { result } = await sendWithoutFailing(ids, async (player_ids) => {
    const body = { target: { player_ids }, ...command } as Schemas["BulkCommandRequest"];
    return (await client.post("/api/v1/commands", { params: { query: { dry_run: "true" } }, body, signal })).data;
  });
  return result?.count ?? 0;
}

// Of more screens only some are asked for their capabilities: the others of a fleet have mostly the same.
const mostRead = 20;

/** The capabilities of all devices together: their inputs, outputs and modes. Null: not all have been read. */
export function useCapabilities(ids: readonly string[], isNeeded: boolean): Capabilities | null {
  const read = useQueries({ queries: ids.slice(0, mostRead).map((id) => ({ ...playerQuery(id), enabled: isNeeded })) });
  if (!isNeeded || read.some(({ isPending }) => isPending)) return null;
  const all = read.flatMap(({ data }) => data?.player.capabilities ?? []);
  return {
    commands: [],
    unavailable: [],
    displays: all.flatMap(({ displays }) => displays),
    inputs: [...new Set(all.flatMap(({ inputs }) => inputs))],
    audio_outputs: [...new Map(all.flatMap(({ audio_outputs: outputs }) => outputs.map((each) => [each.name, each]))).values()],
    scripts: [],
    serial_ports: [],
    network_hosts: [],
  };
}
