// Tags: each can be removed, and another is added by typing it and pressing Enter.
import "./tag-field.css";
import { useState } from "react";
import { Button, Input, Label, Tag, TagGroup, TagList, TextField } from "react-aria-components";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";

const text = texts(common);

interface TagFieldProps {
  label: string;
  /** The label of the field that adds one. */
  addLabel: string;
  value: readonly string[];
  onChange: (tags: string[]) => void;
  isDisabled?: boolean;
}

export function TagField({ label, addLabel, value, onChange, isDisabled = false }: TagFieldProps) {
  const [typed, setTyped] = useState("");
  const add = (): void => {
    const tag = typed.trim();
    setTyped("");
    if (tag !== "" && !value.includes(tag)) onChange([...value, tag]);
  };
  return (
    <div className="field tag-field">
      <TagGroup
        className="tag-group"
        {...(isDisabled ? {} : { onRemove: (keys: Set<unknown>) => onChange(value.filter((tag) => !keys.has(tag))) })}
      >
        <Label className="label">{label}</Label>
        <TagList className="tag-list" items={value.map((id) => ({ id }))}>
          {({ id }) => (
            <Tag id={id} textValue={id} className="tag">
              <span className="tag-name">{id}</span>
              {isDisabled ? null : (
                <Button slot="remove" className="tag-remove" aria-label={text("removeTag", { tag: id })}>
                  <Icon name="close" />
                </Button>
              )}
            </Tag>
          )}
        </TagList>
      </TagGroup>
      <TextField
        className="tag-add"
        aria-label={addLabel}
        value={typed}
        onChange={setTyped}
        onBlur={add}
        maxLength={200}
        isDisabled={isDisabled}
      >
        <Input
          className="input"
          placeholder={addLabel}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            // Enter adds the tag; it does not send the form.
            event.preventDefault();
            add();
          }}
        />
      </TextField>
    </div>
  );
}
