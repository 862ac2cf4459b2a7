// A choice of one out of some.
import type { ReactNode } from "react";
import {
  Button as AriaButton,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
  type Key,
} from "react-aria-components";
import { FieldNotes } from "./field-notes.tsx";
import { Icon } from "./icon.tsx";
import "./select.css";

export interface SelectOption<K extends string> {
  id: K;
  name: string;
  /** Explains the choice below its name. */
  description?: string;
}

export interface SelectProps<K extends string> {
  label: string;
  options: readonly SelectOption<K>[];
  /** Null: nothing is chosen yet. */
  selectedKey: K | null;
  onSelectionChange: (key: K) => void;
  description?: string;
  error?: string | undefined;
  /** The label is only read aloud: for filters and rows whose meaning is seen. */
  isLabelHidden?: boolean;
  isDisabled?: boolean;
  /** Shown while nothing is chosen. */
  placeholder?: string;
}

export function Select<K extends string>(props: SelectProps<K>): ReactNode {
  const {
    label,
    options,
    selectedKey,
    onSelectionChange,
    description,
    error,
    isLabelHidden = false,
    isDisabled = false,
    placeholder,
  } = props;
  return (
    <AriaSelect
      className="field"
      selectedKey={selectedKey}
      onSelectionChange={(key: Key | null) => {
        const choice = options.find(({ id }) => id === key);
        if (choice !== undefined) onSelectionChange(choice.id);
      }}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
    >
      <Label className={isLabelHidden ? "visually-hidden" : "label"}>{label}</Label>
      <AriaButton className="input select-button row between gap-2 text-start pointer">
        <SelectValue>{options.find(({ id }) => id === selectedKey)?.name ?? selectedKey ?? placeholder}</SelectValue>
        <Icon name="chevronDown" />
      </AriaButton>
      <FieldNotes description={description} error={error} />
      <Popover className="popover">
        <ListBox className="menu select-list" items={options}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.name} className="menu-item">
              <span className="option stack shrink break-words">
                <Text slot="label">{option.name}</Text>
                {option.description === undefined ? null : <Text slot="description">{option.description}</Text>}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
