// A field for a number, with its unit.
import {
  FieldError,
  Group,
  Input,
  Label,
  NumberField as AriaNumberField,
  Text,
  type NumberFieldProps as AriaNumberFieldProps,
} from "react-aria-components";
import { useFieldError } from "./use-field-error.ts";
import "./number-field.css";

export interface NumberFieldProps extends AriaNumberFieldProps {
  label: string;
  /** Shown behind the number, such as `minutes`; part of what is read aloud. */
  unit?: string;
  description?: string;
  error?: string | undefined;
}

export function NumberField({ label, unit, description, error: given, onChange, ...props }: NumberFieldProps) {
  const [error, changed] = useFieldError(given);
  const change = (value: number): void => {
    changed();
    onChange?.(value);
  };
  return (
    <AriaNumberField {...props} onChange={change} isInvalid={error !== undefined} className="field number-field">
      <Label>{label}</Label>
      <Group className="number-group">
        <Input className="input" />
        {unit === undefined ? null : <span className="faint">{unit}</span>}
      </Group>
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </AriaNumberField>
  );
}
