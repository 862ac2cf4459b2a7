// Chooses days of the week.
import "./weekdays-field.css";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { texts } from "../../../i18n/texts.ts";

const text = texts("screenSettings");

export type Weekday = NonNullable<Schemas["Opening"]["weekdays"]>[number];

const weekdays: readonly Weekday[] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

interface WeekdaysFieldProps {
  /** Undefined: every day. */
  value: readonly Weekday[] | undefined;
  onChange: (days: Weekday[] | undefined) => void;
  isDisabled?: boolean;
}

export function WeekdaysField({ value, onChange, isDisabled = false }: WeekdaysFieldProps) {
  return (
    <ToggleButtonGroup
      className="days wrap gap-hair"
      aria-label={text("weekdays")}
      selectionMode="multiple"
      disallowEmptySelection
      isDisabled={isDisabled}
      selectedKeys={value ?? weekdays}
      onSelectionChange={(keys) => {
        const selection = weekdays.filter((day) => keys.has(day));
        onChange(selection.length === weekdays.length ? undefined : selection);
      }}
    >
      {weekdays.map((day) => (
        <ToggleButton key={day} id={day} className="day outlined surface small strong soft pointer">
          {text(day)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
