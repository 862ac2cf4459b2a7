// A colour: chosen by the system's picker or typed. It may be none.
import { useId, useState } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";

const text = texts("layouts");
const pattern = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

interface ColorFieldProps {
  label: string;
  /** Null: transparent. */
  value: string | null;
  onChange: (value: string) => void;
  /** Without it, a colour is needed. */
  onClear?: () => void;
  isDisabled: boolean;
}

export function ColorField({ label, value, onChange, onClear, isDisabled }: ColorFieldProps) {
  const id = useId();
  const [hexInput, setHexInput] = useState<string | null>(null);
  const isWrong = hexInput !== null && hexInput.trim() !== "" && !pattern.test(hexInput.trim());
  const commit = (): void => {
    if (hexInput !== null && pattern.test(hexInput.trim())) onChange(hexInput.trim().toLowerCase());
    if (!isWrong) setHexInput(null);
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="color-row">
        <input
          type="color"
          className="color-swatch"
          aria-label={text("pickColor", { label })}
          value={sixDigits(value)}
          disabled={isDisabled}
          onChange={({ target }) => {
            setHexInput(null);
            onChange(target.value);
          }}
        />
        <input
          id={id}
          className="input"
          value={hexInput ?? value ?? ""}
          placeholder={onClear === undefined ? "#000000" : text("transparent")}
          disabled={isDisabled}
          aria-invalid={isWrong}
          spellCheck={false}
          maxLength={9}
          onChange={({ target }) => setHexInput(target.value)}
          onBlur={commit}
          onKeyDown={({ key }) => (key === "Enter" ? commit() : undefined)}
        />
        {onClear === undefined || value === null ? null : (
          <Button kind="quiet" size="small" aria-label={text("clearColor", { label })} isDisabled={isDisabled} onPress={onClear}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      {isWrong ? <span className="field-error">{text("colorWrong")}</span> : null}
    </div>
  );
}

/** The format that the system's picker understands. */
function sixDigits(value: string | null): string {
  if (value === null) return "#000000";
  if (value.length === 4) return value.replaceAll(/[0-9a-f]/gi, "$&$&");
  return value.slice(0, 7);
}
