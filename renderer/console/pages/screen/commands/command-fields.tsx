// The controls of a command's arguments: on a screen's page, and for many screens at once.
import "./commands.css";
import { useQuery } from "@tanstack/react-query";
import { texts } from "../../../i18n/texts.ts";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { Select } from "../../../ui/select.tsx";
import { Slider } from "../../../ui/slider.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { layoutNamesQuery } from "../../../data/layout-names.ts";
import type { PlayerDetails } from "../data.ts";
import type { Field, Values } from "./command-forms.ts";

const text = texts("screenCommands");
export type Capabilities = NonNullable<PlayerDetails["capabilities"]>;

interface CommandFieldsProps {
  fields: readonly Field[];
  /** Of the screen, or of all of them together. */
  capabilities: Capabilities;
  values: Values;
  onChange: (values: Values) => void;
}

export function CommandFields({ fields, capabilities, values, onChange }: CommandFieldsProps) {
  if (fields.length === 0) return null;
  return (
    <div className="command-fields grid gap-3">
      {fields.map((field) => (
        <FieldControl
          key={field.name}
          field={field}
          capabilities={capabilities}
          value={values[field.name] ?? ""}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
    </div>
  );
}

/** The values that the controls show at first. */
export function initialValues(fields: readonly Field[], capabilities: Capabilities): Values {
  return Object.fromEntries(fields.map((field) => [field.name, initialOf(field, capabilities)]));
}

/** True if the command can be sent with these values. */
export function isComplete(fields: readonly Field[], values: Values, capabilities: Capabilities): boolean {
  return fields.every(({ kind, name, options }) =>
    kind === "layout" || kind === "text" ? values[name] !== "" : kind !== "choice" || options!(capabilities).length > 0,
  );
}

interface FieldControlProps {
  field: Field;
  capabilities: Capabilities;
  value: string;
  onChange: (value: string) => void;
}

function FieldControl({ field, capabilities, value, onChange }: FieldControlProps) {
  const label = text(field.label);
  switch (field.kind) {
    case "percent":
      return <Slider label={label} minValue={0} maxValue={100} value={Number(value)} onChange={(percent) => onChange(String(percent))} />;
    case "choice": {
      const options = field.options!(capabilities).map((each) => ({
        id: each.value,
        name: each.label === null ? each.value : text(each.label),
      }));
      return <Select label={label} options={options} selectedKey={value} onSelectionChange={onChange} isDisabled={options.length === 0} />;
    }
    case "duration": {
      const options = field.durations!.map((seconds) => ({ id: String(seconds), name: durationName(seconds) }));
      return <Select label={label} options={options} selectedKey={value} onSelectionChange={onChange} />;
    }
    case "layout":
      return <LayoutField label={label} value={value} onChange={onChange} />;
    case "text":
    case "lines":
      return <TextField label={label} value={value} onChange={onChange} isMultiline={field.kind === "lines"} />;
  }
}

function LayoutField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const { data } = useQuery(layoutNamesQuery);
  if (data === undefined) return null;
  return <ComboBox label={label} choices={data} value={value === "" ? null : value} onChange={(id) => onChange(id ?? "")} />;
}

function initialOf({ kind, initial, options }: Field, capabilities: Capabilities): string {
  if (kind !== "choice") return initial;
  const all = options!(capabilities);
  return all.some(({ value }) => value === initial) ? initial : (all[0]?.value ?? "");
}

function durationName(seconds: number): string {
  if (seconds === 0) return text("noEnd");
  if (seconds < 60) return text("seconds", { count: seconds });
  return seconds < 3_600 ? text("minutes", { count: seconds / 60 }) : text("hours", { count: seconds / 3_600 });
}
