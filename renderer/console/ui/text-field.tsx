// A field for text, with its label, an explanation and its error.
import { Input, Label, TextArea, TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from "react-aria-components";
import { FieldNotes } from "./field-notes.tsx";
import { useFieldError } from "./use-field-error.ts";

export interface TextFieldProps extends AriaTextFieldProps {
  label: string;
  description?: string;
  /** The error of the field; undefined: none. */
  error?: string | undefined;
  placeholder?: string;
  isMultiline?: boolean;
}

export function TextField({ label, description, error: errorText, placeholder, isMultiline = false, onChange, ...props }: TextFieldProps) {
  const [error, change] = useFieldError(errorText, onChange);
  const more = placeholder === undefined ? {} : { placeholder };
  return (
    <AriaTextField {...props} onChange={change} isInvalid={error !== undefined} className="field">
      <Label>{label}</Label>
      {isMultiline ? <TextArea className="input" rows={4} {...more} /> : <Input className="input" {...more} />}
      <FieldNotes description={description} error={error} />
    </AriaTextField>
  );
}
