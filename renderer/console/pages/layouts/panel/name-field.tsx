// A name that is taken over when the field is left or Enter is pressed. It cannot be empty.
import { useState } from "react";
import { texts } from "../../../i18n/texts.ts";
import { TextField } from "../../../ui/text-field.tsx";

const text = texts("layouts");

interface NameFieldProps {
  value: string;
  onChange: (name: string) => void;
  isDisabled: boolean;
}

export function NameField({ value, onChange, isDisabled }: NameFieldProps) {
  const [input, setInput] = useState<string | null>(null);
  const commit = (): void => {
    const name = input?.trim() ?? "";
    if (name !== "" && name !== value) onChange(name);
    setInput(null);
  };
  return (
    <TextField
      label={text("name")}
      value={input ?? value}
      onChange={setInput}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
      maxLength={200}
      isDisabled={isDisabled}
    />
  );
}
