// A field with a list of choices that typing filters.
import { Button as AriaButton, ComboBox as AriaComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { texts } from "../i18n/texts.ts";
import { FieldNotes } from "./field-notes.tsx";
import { Icon } from "./icon.tsx";
import "./combo-box.css";

const text = texts("common");

export interface Choice {
  id: string;
  name: string;
}

export interface ComboBoxProps {
  label: string;
  choices: readonly Choice[];
  /** The id of the choice; null: none. */
  value: string | null;
  onChange: (id: string | null) => void;
  description?: string;
  error?: string | undefined;
  placeholder?: string;
  isDisabled?: boolean;
}

export function ComboBox({ label, choices, value, onChange, description, error, placeholder, isDisabled = false }: ComboBoxProps) {
  return (
    <AriaComboBox
      className="field combo-box"
      defaultItems={choices}
      value={value}
      onChange={(key) => onChange(key === null ? null : String(key))}
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      menuTrigger="focus"
    >
      <Label>{label}</Label>
      <div className="combo-box-row relative">
        <Input className="input" {...(placeholder === undefined ? {} : { placeholder })} />
        <AriaButton className="combo-box-open center faint pointer bare" aria-label={text("more")}>
          <Icon name="chevronDown" />
        </AriaButton>
      </div>
      <FieldNotes description={description} error={error} />
      <Popover className="popover combo-box-popover">
        <ListBox<Choice> className="menu combo-box-list" renderEmptyState={() => <p className="pad-3 faint">{text("noMatch")}</p>}>
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item combo-box-choice truncate">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}
