// A choice of one out of a few that are all seen at once.
import type { ReactNode } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import "./segments.css";

export interface Segment<K extends string> {
  id: K;
  name: ReactNode;
}

export interface SegmentsProps<K extends string> {
  label: string;
  options: readonly Segment<K>[];
  /** Null: nothing is chosen yet. */
  value: K | null;
  onChange: (value: K) => void;
  /** The label is only read aloud: where the meaning is seen. */
  isLabelHidden?: boolean;
}

export function Segments<K extends string>({ label, options, value, onChange, isLabelHidden = false }: SegmentsProps<K>) {
  return (
    <RadioGroup className="field" value={value} onChange={(key) => onChange(key as K)} orientation="horizontal">
      <Label className={isLabelHidden ? "visually-hidden" : "label"}>{label}</Label>
      <div className="segments wrap gap-hair sunken rounded">
        {options.map(({ id, name }) => (
          <Radio key={id} value={id} className="segment inline-row gap-2 soft pointer centered">
            {name}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
