// A row of short choices of which exactly one is chosen, such as hour, day, week.
import "./controls.css";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";

interface SegmentsProps<K extends string> {
  label: string;
  selected: K;
  onSelect: (key: K) => void;
  choices: readonly { id: K; name: string }[];
}

export function Segments<K extends string>({ label, selected, onSelect, choices }: SegmentsProps<K>) {
  return (
    <ToggleButtonGroup
      className="segments"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[selected]}
      onSelectionChange={(keys) => {
        const chosen = choices.find(({ id }) => keys.has(id));
        if (chosen !== undefined) onSelect(chosen.id);
      }}
    >
      {choices.map(({ id, name }) => (
        <ToggleButton key={id} id={id} className="segment">
          {name}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
