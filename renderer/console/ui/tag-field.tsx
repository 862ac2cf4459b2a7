// A field for tags: Enter or a comma ends one, Backspace in the empty field takes back the last.
import { useState } from "react";
import { Button as AriaButton, Input, Label, Tag, TagGroup, TagList, Text, TextField as AriaTextField } from "react-aria-components";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";
import "./tag-field.css";

const text = texts(common);

export interface TagFieldProps {
  label: string;
  description?: string;
  placeholder?: string;
  value: readonly string[];
  onChange: (tags: readonly string[]) => void;
  autoFocus?: boolean;
}

export function TagField({ label, description, placeholder, value, onChange, autoFocus = false }: TagFieldProps) {
  const [typed, setTyped] = useState("");
  const add = (names: readonly string[]): void => {
    const added = names.map((name) => name.trim()).filter((name) => name !== "");
    setTyped("");
    if (added.length > 0) onChange([...new Set([...value, ...added])]);
  };
  const type = (next: string): void => {
    const parts = next.split(/[,\n]/);
    if (parts.length > 1) add(parts);
    else setTyped(next);
  };
  return (
    <div className="tag-field">
      <AriaTextField
        className="field"
        value={typed}
        onChange={type}
        autoFocus={autoFocus}
        onBlur={() => add([typed])}
        onKeyDown={(event) => {
          if (event.key === "Enter" && typed.trim() !== "") {
            event.preventDefault();
            add([typed]);
          } else if (event.key === "Backspace" && typed === "") onChange(value.slice(0, -1));
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
      </AriaTextField>
      {value.length === 0 ? null : (
        <TagGroup aria-label={label} onRemove={(keys) => onChange(value.filter((tag) => !keys.has(tag)))}>
          <TagList className="tag-list">
            {value.map((tag) => (
              <Tag key={tag} id={tag} textValue={tag} className="tag">
                <span className="tag-name">{tag}</span>
                <AriaButton slot="remove" className="tag-remove" aria-label={text("removeTag", { tag })}>
                  <Icon name="close" />
                </AriaButton>
              </Tag>
            ))}
          </TagList>
        </TagGroup>
      )}
    </div>
  );
}
