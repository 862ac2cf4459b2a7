// A field for text, with its label, an explanation and what is wrong with it.
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from "react-aria-components";
import { useFieldError } from "./use-field-error.ts";

export interface TextFieldProps extends AriaTextFieldProps {
  label: string;
  description?: string;
  /** What is wrong; undefined: nothing. */
  error?: string | undefined;
  placeholder?: string;
  isMultiline?: boolean;
}

export function TextField({ label, description, error: given, placeholder, isMultiline = false, onChange, ...props }: TextFieldProps) {
  const [error, changed] = useFieldError(given);
  const change = (value: string): void => {
    changed();
    onChange?.(value);
  };
  const more = placeholder === undefined ? {} : { placeholder };
  return (
    <AriaTextField {...props} onChange={change} isInvalid={error !== undefined} className="field">
      <Label>{label}</Label>
      {isMultiline ? <TextArea className="input" rows={4} {...more} /> : <Input className="input" {...more} />}
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  );
}
