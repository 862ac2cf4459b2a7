// A field for a password, which can be shown while it is typed.
import { useState } from "react";
import { FieldError, Group, Input, Label, Text, TextField, ToggleButton, type TextFieldProps } from "react-aria-components";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { useFieldError } from "./use-field-error.ts";
import "./password-field.css";

const text = texts(common);

export interface PasswordFieldProps extends Omit<TextFieldProps, "autoComplete"> {
  label: string;
  description?: string;
  error?: string | undefined;
  /** For the browser's password store: whether it is the person's password or a new one. */
  autoComplete: "current-password" | "new-password";
}

export function PasswordField({ label, description, error: given, onChange, ...props }: PasswordFieldProps) {
  const [error, changed] = useFieldError(given);
  const change = (value: string): void => {
    changed();
    onChange?.(value);
  };
  const [isShown, setIsShown] = useState(false);
  return (
    <TextField {...props} onChange={change} type={isShown ? "text" : "password"} isInvalid={error !== undefined} className="field">
      <Label>{label}</Label>
      <Group className="password-group">
        <Input className="input" spellCheck={false} autoCapitalize="none" />
        <ToggleButton className="password-toggle" isSelected={isShown} onChange={setIsShown} aria-label={text("showPassword")}>
          {text(isShown ? "hide" : "show")}
        </ToggleButton>
      </Group>
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </TextField>
  );
}
