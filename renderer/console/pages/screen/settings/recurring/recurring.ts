// Recurring commands of a screen: their types, and their description in words.
import type { Schemas } from "../../../../../../sdk/typescript/client.ts";
import { recurringTypes as apiTypes } from "../../../../../../src/protocol/device/command-request.ts";
import type { Calendar } from "../../../../data/calendars.ts";
import { texts } from "../../../../i18n/texts.ts";
import type { Capabilities } from "../../commands/command-fields.tsx";
import { commandName } from "../../commands/command-names.ts";
import { commandForms, commandTypes, type Field, type Values } from "../../commands/command-forms.ts";
import type { Settings } from "../draft.ts";

const text = texts("screenSettings");
const ofCommands = texts("screenCommands");

export type Recurring = Settings["recurring_commands"][number];
export type RecurringType = Schemas["RecurringCommandInput"]["command"]["type"];

/** The commands that may recur, in the order of the list of all commands. */
export const recurringTypes: readonly RecurringType[] = commandTypes.flatMap((type) => apiTypes.filter((each) => each === type));

/** The values of the controls for a command's arguments; null: it has arguments without a control. */
export function valuesOf({ type, args }: Recurring["command"]): Values | null {
  const { fields = [] } = commandForms[type];
  const entries = Object.entries(args);
  if (entries.some(([name]) => fields.every((field) => field.name !== name))) return null;
  return Object.fromEntries(entries.map(([name, value]) => [name, controlText(value)]));
}

function controlText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(controlText).join("\n");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Such as `Every day at 04:00: Restart the program`. */
export function recurringText(recurring: Recurring, calendars: readonly Calendar[], capabilities: Capabilities): string {
  const { at, weekdays, calendar, command } = recurring;
  const words = text("recurringWords", { days: daysText(weekdays), times: at.join(", "), command: commandText(command, capabilities) });
  if (calendar === undefined) return words;
  const name = calendars.find(({ id }) => id === calendar.calendar_id)?.name ?? calendar.calendar_id;
  return text(calendar.is_listed ? "recurringOnly" : "recurringExcept", { words, name });
}

function daysText(days: Recurring["weekdays"]): string {
  if (days === undefined) return text("everyDay");
  const all = days.join();
  if (all === "MO,TU,WE,TH,FR") return text("workdays");
  return all === "SA,SU" ? text("weekend") : days.map((day) => text(day)).join(", ");
}

function commandText(command: Recurring["command"], capabilities: Capabilities): string {
  const { fields = [] } = commandForms[command.type];
  const values = valuesOf(command) ?? {};
  const details = fields
    .filter(({ name }) => (values[name] ?? "") !== "")
    .map((field) => valueText(field, values[field.name]!, capabilities));
  const name = commandName(command.type);
  return details.length === 0 ? name : text("recurringDetail", { command: name, detail: details.join(", ") });
}

function valueText({ kind, options }: Field, value: string, capabilities: Capabilities): string {
  if (kind === "percent") return text("percentValue", { percent: value });
  const label = kind === "choice" ? options!(capabilities).find((option) => option.value === value)?.label : undefined;
  return label === undefined || label === null ? value : ofCommands(label);
}
