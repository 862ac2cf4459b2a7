// A field for a number, with its unit.
import {
  FieldError,
  Group,
  Input,
  Label,
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
} from "react-aria-components";
import "./number-field.css";

export interface NumberFieldProps extends AriaNumberFieldProps {
  label: string;
  /** Shown behind the number, such as `minutes`; part of what is read aloud. */
  unit?: string;
  error?: string | undefined;
}

export function NumberField({ label, unit, error, ...props }: NumberFieldProps) {
  return (
    <AriaNumberField {...props} isInvalid={error !== undefined} className="field number-field">
      <Label>{label}</Label>
      <Group className="number-group">
        <Input className="input" />
        {unit === undefined ? null : <span className="faint">{unit}</span>}
      </Group>
      <FieldError className="field-error">{error}</FieldError>
    </AriaNumberField>
  );
}
