// One recurring command: its type, its times and its days.
import { useId, useState, type FormEvent } from "react";
import type { Calendar } from "../../../../data/calendars.ts";
import { texts } from "../../../../i18n/texts.ts";
import { Button } from "../../../../ui/button.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { Select } from "../../../../ui/select.tsx";
import { TextField } from "../../../../ui/text-field.tsx";
import { CommandFields, initialValues, isComplete, type Capabilities } from "../../commands/command-fields.tsx";
import { commandForms } from "../../commands/command-forms.ts";
import { commandAbout, commandName } from "../../commands/command-names.ts";
import { WeekdaysField } from "../weekdays-field.tsx";
import { recurringTypes, valuesOf, type Recurring, type RecurringType } from "./recurring.ts";
import { TimesField } from "./times-field.tsx";

const text = texts("common", "screenSettings");

interface RecurringDialogProps {
  /** Null: a new one. */
  recurring: Recurring | null;
  /** The names of the screen's other commands. */
  otherNames: readonly string[];
  calendars: readonly Calendar[];
  capabilities: Capabilities;
  onDone: (recurring: Recurring) => void;
  onClose: () => void;
}

export function RecurringDialog({ recurring, otherNames, calendars, capabilities, onDone, onClose }: RecurringDialogProps) {
  const form = useId();
  const types = recurringTypes.filter((each) => capabilities.commands.includes(each) || each === recurring?.command.type);
  const [type, setType] = useState<RecurringType>(
    recurring?.command.type ?? (types.includes("restart") ? "restart" : types[0]) ?? "restart",
  );
  const { fields = [], args } = commandForms[type];
  /** Null: the command has arguments that the controls do not know, and that stay. */
  const [values, setValues] = useState(() => {
    const commandValues = recurring === null ? {} : valuesOf(recurring.command);
    return commandValues === null ? null : { ...initialValues(fields, capabilities), ...commandValues };
  });
  const [times, setTimes] = useState<readonly string[]>(recurring?.at ?? ["04:00"]);
  const [weekdays, setWeekdays] = useState(recurring?.weekdays);
  const [dates, setDates] = useState(recurring?.calendar);
  /** Null: the person has not named it. */
  const [input, setInput] = useState<string | null>(recurring?.name ?? null);
  const name = input ?? freeName(commandName(type), otherNames);
  const isTaken = otherNames.includes(name.trim());
  const validTimes = [...new Set(times.filter((time) => time !== ""))].toSorted();
  const isReady = name.trim() !== "" && !isTaken && validTimes.length > 0 && (values === null || isComplete(fields, values, capabilities));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The dialog is within the form of the settings, which would be saved too.
    event.stopPropagation();
    if (!isReady) return;
    onDone({
      name: name.trim(),
      command: { type, args: values === null ? recurring!.command.args : (args?.(values) ?? {}) },
      at: validTimes,
      ...(weekdays === undefined ? {} : { weekdays }),
      ...(dates === undefined ? {} : { calendar: dates }),
      enabled: recurring?.enabled ?? true,
    });
  };
  return (
    <Dialog
      title={recurring === null ? text("recurringAdd") : text("recurringEdit", { name: recurring.name })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{text("cancel")}</Button>
          <Button kind="primary" type="submit" form={form} isDisabled={!isReady}>
            {text("recurringDone")}
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={submit}>
        <Select
          label={text("recurringCommand")}
          options={types.map((id) => ({ id, name: commandName(id), description: commandAbout(id) }))}
          selectedKey={type}
          onSelectionChange={(next) => {
            if (next === type) return;
            setType(next);
            setValues(initialValues(commandForms[next].fields ?? [], capabilities));
          }}
        />
        {values === null ? (
          <p className="faint">{text("recurringKept")}</p>
        ) : (
          <CommandFields fields={fields} capabilities={capabilities} values={values} onChange={setValues} />
        )}
        <TimesField value={times} onChange={setTimes} />
        <WeekdaysField value={weekdays} onChange={setWeekdays} />
        {calendars.length === 0 ? null : (
          <Select
            label={text("recurringDates")}
            options={[{ id: "", name: text("recurringEveryDate") }, ...calendars.flatMap(choicesOf)]}
            selectedKey={dates === undefined ? "" : keyOf(dates.calendar_id, dates.is_listed)}
            onSelectionChange={(key) => setDates(key === "" ? undefined : { calendar_id: key.slice(1), is_listed: key.startsWith("+") })}
          />
        )}
        <TextField
          label={text("recurringName")}
          value={name}
          onChange={setInput}
          maxLength={200}
          error={isTaken ? text("recurringNameTaken") : undefined}
        />
      </form>
    </Dialog>
  );
}

function choicesOf({ id, name }: Calendar): { id: string; name: string }[] {
  return [
    { id: keyOf(id, true), name: text("recurringOnlyDates", { name }) },
    { id: keyOf(id, false), name: text("recurringExceptDates", { name }) },
  ];
}

function keyOf(id: string, isListed: boolean): string {
  return `${isListed ? "+" : "-"}${id}`;
}

/** The name, with a number if another command has it. */
function freeName(name: string, names: readonly string[]): string {
  if (!names.includes(name)) return name;
  let number = 2;
  while (names.includes(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
