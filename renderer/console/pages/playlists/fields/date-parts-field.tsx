// Which parts of the date a clock shows, and how each is written.
import { texts } from "../../../i18n/texts.ts";
import { Select } from "../../../ui/select.tsx";
import type { FieldProps } from "./field-props.ts";

const text = texts("playlistEditor");

const words = ["long", "short", "narrow"] as const;
const numbers = ["numeric", "2-digit"] as const;
const parts = {
  weekday: words,
  day: numbers,
  month: [...numbers, ...words],
  year: numbers,
  era: words,
} as const;

export function DatePartsField({ label, value, isDisabled, onChange }: FieldProps) {
  const values = (value ?? {}) as Readonly<Record<string, string>>;
  const names = Object.keys(parts) as (keyof typeof parts)[];
  return (
    <fieldset className="field-group">
      <legend>{label}</legend>
      {names.map((part) => (
        <Select
          key={part}
          label={text(part)}
          options={["none" as const, ...parts[part]].map((id) => ({ id, name: text(id) }))}
          selectedKey={(values[part] ?? "none") as "none"}
          isDisabled={isDisabled}
          onSelectionChange={(id: string) => {
            const { [part]: _, ...others } = values;
            onChange(id === "none" ? others : { ...others, [part]: id });
          }}
        />
      ))}
    </fieldset>
  );
}
