// The field for a pairing code: large, and forgiving about spaces, dashes, lower case and whole addresses.
import { useLayoutEffect, useRef, type Ref } from "react";
import { FieldError, Input, Label, Text, TextField } from "react-aria-components";
import { texts } from "../../i18n/texts.ts";
import { codeLetters, examineCode, formatCode } from "./code.ts";

const text = texts("pair");

export interface CodeFieldProps {
  /** The letters, without a dash. */
  value: string;
  onChange: (letters: string) => void;
  /** Called when the last letter was typed or pasted. */
  onComplete?: () => void;
  error?: string | undefined;
  autoFocus?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}

export function CodeField({ value, onChange, onComplete, error, autoFocus = false, inputRef }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const caret = useRef<number | null>(null);
  const { wrong } = examineCode(value);
  useLayoutEffect(() => {
    if (caret.current === null) return;
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  const change = (next: string): void => {
    const letters = codeLetters(next);
    // The dash that is added moves the letters behind it: the caret stays behind the same letter.
    const before = codeLetters(next.slice(0, input.current?.selectionStart ?? next.length)).length;
    caret.current = Math.min(before + (before > 4 ? 1 : 0), formatCode(letters).length);
    onChange(letters);
    if (letters !== value && examineCode(letters).isComplete) onComplete?.();
  };
  const message = wrong === null ? error : text("codeWrongLetter", { letter: wrong });
  return (
    <TextField
      className="field code-field"
      name="code"
      value={formatCode(value)}
      onChange={change}
      isInvalid={message !== undefined}
      autoFocus={autoFocus}
      autoComplete="off"
      spellCheck="false"
    >
      <Label>{text("code")}</Label>
      <Input
        ref={(element) => {
          input.current = element;
          if (typeof inputRef === "function") inputRef(element);
          else if (inputRef !== undefined && inputRef !== null) inputRef.current = element;
        }}
        className="input code-input"
        placeholder="WDJB-MJHT"
        autoCapitalize="characters"
        enterKeyHint="next"
      />
      <Text slot="description" className="field-description">
        {text("codeDescription")}
      </Text>
      <FieldError className="field-error">{message}</FieldError>
    </TextField>
  );
}
