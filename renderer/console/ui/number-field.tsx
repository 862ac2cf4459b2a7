// A field for a number, with its unit.
import { Group, Input, Label, NumberField as AriaNumberField, type NumberFieldProps as AriaNumberFieldProps } from "react-aria-components";
import { FieldNotes } from "./field-notes.tsx";
import { useFieldError } from "./use-field-error.ts";
import "./number-field.css";

export interface NumberFieldProps extends AriaNumberFieldProps {
  label: string;
  /** The unit behind the number, such as `minutes`; screen readers read it with the number. */
  unit?: string;
  description?: string;
  error?: string | undefined;
}

export function NumberField({ label, unit, description, error: errorText, onChange, ...props }: NumberFieldProps) {
  const [error, change] = useFieldError(errorText, onChange);
  return (
    <AriaNumberField {...props} onChange={change} isInvalid={error !== undefined} className="field number-field">
      <Label>{label}</Label>
      <Group className="row gap-2">
        <Input className="input" />
        {unit === undefined ? null : <span className="faint">{unit}</span>}
      </Group>
      <FieldNotes description={description} error={error} />
    </AriaNumberField>
  );
}
