// Chooses how a list is shown, by icons that are all seen at once.
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-paths.ts";
import "./segments.css";

export interface View<K extends string> {
  id: K;
  name: string;
  icon: IconName;
}

export interface ViewChoiceProps<K extends string> {
  label: string;
  views: readonly View<K>[];
  value: K;
  onChange: (value: K) => void;
}

export function ViewChoice<K extends string>({ label, views, value, onChange }: ViewChoiceProps<K>) {
  return (
    <ToggleButtonGroup
      className="segments view-choice wrap gap-hair sunken rounded rigid push-end"
      aria-label={label}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => onChange(views.find(({ id }) => keys.has(id))!.id)}
    >
      {views.map(({ id, name, icon }) => (
        <ToggleButton key={id} id={id} className="segment inline-row gap-2 soft pointer centered" aria-label={name}>
          <Icon name={icon} />
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
