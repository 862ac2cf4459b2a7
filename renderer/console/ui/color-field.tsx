// A field for a colour: its code, and the choice that the browser offers.
import { Input, Label, TextField as AriaTextField } from "react-aria-components";
import { FieldNotes } from "./field-notes.tsx";
import "./color-field.css";

interface ColorFieldProps {
  label: string;
  /** The name of the choice by eye. */
  pickLabel: string;
  /** Such as `#102030`, also with opacity as `#10203080`; empty: none. */
  value: string;
  onChange: (value: string) => void;
  /** The person is done with the field. */
  onDone?: () => void;
  description?: string | undefined;
  error?: string | undefined;
  isDisabled?: boolean;
}

export function ColorField({ label, pickLabel, value, onChange, onDone, description, error, isDisabled = false }: ColorFieldProps) {
  return (
    <AriaTextField
      className="field"
      value={value}
      onChange={(text) => onChange(text.trim())}
      onBlur={() => onDone?.()}
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      maxLength={9}
    >
      <Label>{label}</Label>
      <div className="color-row">
        <input
          type="color"
          className="color-swatch"
          aria-label={pickLabel}
          value={plainOf(value)}
          disabled={isDisabled}
          onChange={({ target }) => onChange(target.value)}
          onBlur={() => onDone?.()}
        />
        <Input className="input" spellCheck={false} autoComplete="off" />
      </div>
      <FieldNotes description={description} error={error} />
    </AriaTextField>
  );
}

/** The colour as the browser's choice knows it: six digits, without opacity. */
function plainOf(value: string): string {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(value)?.[1] ?? "000000";
  return `#${digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits.slice(0, 6)}`.toLowerCase();
}
