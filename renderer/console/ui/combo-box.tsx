// A choice of one out of many, found by typing a part of its name.
import "./combo-box.css";
import { Button, ComboBox as AriaComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, Text } from "react-aria-components";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";

const text = texts(common);

interface Choice {
  id: string;
  name: string;
}

interface ComboBoxProps {
  label: string;
  description?: string;
  error?: string | undefined;
  options: readonly Choice[];
  selectedKey: string | null;
  onSelectionChange: (key: string) => void;
  isDisabled?: boolean;
}

export function ComboBox({ label, description, error, options, selectedKey, onSelectionChange, isDisabled = false }: ComboBoxProps) {
  return (
    <AriaComboBox
      className="field"
      defaultItems={options}
      value={selectedKey}
      onChange={(key) => (key === null ? undefined : onSelectionChange(String(key)))}
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      menuTrigger="focus"
    >
      <Label>{label}</Label>
      <div className="combo-frame">
        <Input className="input" />
        <Button className="combo-button" aria-label={text("more")}>
          <Icon name="chevronDown" />
        </Button>
      </div>
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover combo-popover">
        <ListBox<Choice> className="menu">
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}
