// A field for tags: each is a chip that can be removed; Enter or a comma adds the typed tag, Backspace in the empty field removes the last.
import { useState } from "react";
import { Button, Input, Label, Tag, TagGroup, TagList, Text, TextField } from "react-aria-components";
import { texts } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";
import "./tag-field.css";

const text = texts("common");

export interface TagFieldProps {
  label: string;
  description?: string;
  placeholder?: string;
  value: readonly string[];
  onChange: (tags: readonly string[]) => void;
  autoFocus?: boolean;
  isDisabled?: boolean;
}

export function TagField({ label, description, placeholder, value, onChange, autoFocus = false, isDisabled = false }: TagFieldProps) {
  const [input, setInput] = useState("");
  const add = (names: readonly string[]): void => {
    const newTags = names.flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
    setInput("");
    if (newTags.some((tag) => !value.includes(tag))) onChange([...new Set([...value, ...newTags])]);
  };
  const type = (next: string): void => {
    const parts = next.split(/[,\n]/);
    if (parts.length > 1) add(parts);
    else setInput(next);
  };
  return (
    <div className="field tag-field">
      {value.length === 0 ? null : (
        <TagGroup aria-label={label} {...(isDisabled ? {} : { onRemove: (removed) => onChange(value.filter((tag) => !removed.has(tag))) })}>
          <TagList className="wrap gap-1" items={value.map((tag) => ({ id: tag }))}>
            {({ id }) => (
              <Tag id={id} textValue={id} className="tag inline-row gap-1 tint round small strong accent max-full">
                <span className="truncate">{id}</span>
                {isDisabled ? null : (
                  <Button
                    slot="remove"
                    className="tag-remove center rigid pointer no-padding bare"
                    aria-label={text("removeTag", { tag: id })}
                  >
                    <Icon name="close" />
                  </Button>
                )}
              </Tag>
            )}
          </TagList>
        </TagGroup>
      )}
      <TextField
        className="field"
        value={input}
        onChange={type}
        onBlur={() => add([input])}
        autoFocus={autoFocus}
        isDisabled={isDisabled}
        maxLength={200}
        onKeyDown={(event) => {
          if (event.key === "Enter" && input.trim() !== "" && !event.nativeEvent.isComposing) {
            // Enter adds the tag; it does not send the form.
            event.preventDefault();
            add([input]);
          } else if (event.key === "Backspace" && input === "") onChange(value.slice(0, -1));
          else event.continuePropagation();
        }}
      >
        <Label>{label}</Label>
        <Input className="input" enterKeyHint="enter" {...(placeholder === undefined ? {} : { placeholder })} />
        {description === undefined ? null : (
          <Text slot="description" className="field-description">
            {description}
          </Text>
        )}
      </TextField>
    </div>
  );
}
