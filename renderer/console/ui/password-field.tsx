// A field for a password, which can be shown while it is typed.
import { useState } from "react";
import { Group, Input, Label, TextField, Button, type TextFieldProps } from "react-aria-components";
import { texts } from "../i18n/texts.ts";
import { FieldNotes } from "./field-notes.tsx";
import { useFieldError } from "./use-field-error.ts";
import "./password-field.css";

const text = texts("common");

export interface PasswordFieldProps extends Omit<TextFieldProps, "autoComplete"> {
  label: string;
  description?: string;
  error?: string | undefined;
  /** For the browser's password store: whether it is the person's password or a new one. */
  autoComplete: "current-password" | "new-password";
}

export function PasswordField({ label, description, error: errorText, onChange, ...props }: PasswordFieldProps) {
  const [error, change] = useFieldError(errorText, onChange);
  const [isShown, setIsShown] = useState(false);
  return (
    <TextField {...props} onChange={change} type={isShown ? "text" : "password"} isInvalid={error !== undefined} className="field">
      <Label>{label}</Label>
      <Group className="password-group flex relative">
        <Input className="input" spellCheck={false} autoCapitalize="none" />
        <Button
          className="password-toggle small strong soft pointer bare"
          onPress={() => setIsShown(!isShown)}
          aria-label={text(isShown ? "hidePassword" : "showPassword")}
        >
          {text(isShown ? "hide" : "show")}
        </Button>
      </Group>
      <FieldNotes description={description} error={error} />
    </TextField>
  );
}
