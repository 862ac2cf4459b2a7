// A few choices of which one is taken, each a tile with a name and perhaps a picture.
import type { ReactNode } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import "./choices.css";

export interface ChoicesProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  choices: readonly { id: T; name: string; picture?: ReactNode }[];
}

export function Choices<T extends string>({ label, value, onChange, choices }: ChoicesProps<T>) {
  return (
    <RadioGroup className="field" value={value} onChange={(next) => onChange(next as T)} orientation="horizontal">
      <Label className="label">{label}</Label>
      <div className="choices grid gap-2">
        {choices.map(({ id, name, picture }) => (
          <Radio key={id} value={id} className="choice row gap-2 pad-2-3 outlined surface break-words pointer">
            {picture}
            <span>{name}</span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
