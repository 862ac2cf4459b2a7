// A field for a number.
import {
  FieldError,
  Input,
  Label,
  NumberField as AriaNumberField,
  Text,
  type NumberFieldProps as AriaNumberFieldProps,
} from "react-aria-components";

interface NumberFieldProps extends AriaNumberFieldProps {
  label: string;
  description?: string;
  error?: string | undefined;
}

export function NumberField({ label, description, error, ...props }: NumberFieldProps) {
  return (
    <AriaNumberField {...props} isInvalid={error !== undefined} className="field">
      <Label>{label}</Label>
      <Input className="input" />
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </AriaNumberField>
  );
}
