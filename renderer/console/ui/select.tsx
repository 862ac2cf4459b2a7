// A choice of one out of a few.
import "./select.css";
import {
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
  type SelectProps as AriaSelectProps,
} from "react-aria-components";
import { Icon } from "./icon.tsx";

export interface SelectOption {
  id: string;
  name: string;
}

export interface SelectProps extends Omit<
  AriaSelectProps<SelectOption>,
  "children" | "selectedKey" | "onSelectionChange" | "value" | "onChange"
> {
  label: string;
  description?: string;
  error?: string | undefined;
  options: readonly SelectOption[];
  selectedKey: string | null;
  onSelectionChange: (key: string) => void;
}

export function Select({ label, description, error, options, selectedKey, onSelectionChange, ...props }: SelectProps) {
  return (
    <AriaSelect
      {...props}
      className="field"
      isInvalid={error !== undefined}
      value={selectedKey}
      onChange={(key) => (key === null ? undefined : onSelectionChange(String(key)))}
    >
      <Label className="label">{label}</Label>
      <Button className="input select-button">
        <SelectValue />
        <Icon name="chevronDown" />
      </Button>
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover select-popover">
        <ListBox className="menu" items={options}>
          {({ id, name }) => (
            <ListBoxItem id={id} textValue={name} className="menu-item">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
