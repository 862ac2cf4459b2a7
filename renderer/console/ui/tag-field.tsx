// A field for tags: each is a chip that can be removed; Enter or a comma adds what was typed.
import { useState } from "react";
import { Button, Input, Label, Tag, TagGroup, TagList, Text, TextField } from "react-aria-components";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";
import "./tag-field.css";

const text = texts(common);

export interface TagFieldProps {
  label: string;
  description?: string;
  value: readonly string[];
  onChange: (tags: readonly string[]) => void;
  isDisabled?: boolean;
}

export function TagField({ label, description, value, onChange, isDisabled = false }: TagFieldProps) {
  const [typed, setTyped] = useState("");
  const add = (): void => {
    const added = typed.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
    setTyped("");
    if (added.some((tag) => !value.includes(tag))) onChange([...new Set([...value, ...added])]);
  };
  return (
    <div className="field tag-field">
      <TagGroup aria-label={label} {...(isDisabled ? {} : { onRemove: (removed) => onChange(value.filter((tag) => !removed.has(tag))) })}>
        <TagList className="tag-list" items={value.map((tag) => ({ id: tag }))}>
          {({ id }) => (
            <Tag id={id} textValue={id} className="tag">
              <span className="tag-name">{id}</span>
              {isDisabled ? null : (
                <Button slot="remove" className="tag-remove" aria-label={text("delete")}>
                  <Icon name="close" />
                </Button>
              )}
            </Tag>
          )}
        </TagList>
      </TagGroup>
      {isDisabled ? null : (
        <TextField
          className="field"
          value={typed}
          onChange={setTyped}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key === "Enter" || event.key === ",") {
              event.preventDefault();
              add();
            } else event.continuePropagation();
          }}
        >
          <Label>{label}</Label>
          <Input className="input" />
          {description === undefined ? null : (
            <Text slot="description" className="field-description">
              {description}
            </Text>
          )}
        </TextField>
      )}
    </div>
  );
}
