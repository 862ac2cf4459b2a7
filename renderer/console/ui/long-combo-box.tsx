// A field with a list of any length, such as all screens: it shows the first choices whose names contain the typed text.
import { useMemo, useState } from "react";
import { Button as AriaButton, ComboBox as AriaComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import { texts } from "../i18n/texts.ts";
import type { Choice, ComboBoxProps } from "./combo-box.tsx";
import { Icon } from "./icon.tsx";
import "./combo-box.css";

const text = texts("common");
// All of a list are drawn at once.
const mostShown = 100;

export function LongComboBox({
  label,
  choices,
  value,
  onChange,
  placeholder,
}: Pick<ComboBoxProps, "label" | "choices" | "value" | "onChange" | "placeholder">) {
  const selection = useMemo(() => choices.find(({ id }) => id === value), [choices, value]);
  /** Null: nothing is being typed, and the field has the name of the choice. */
  const [input, setInput] = useState<string | null>(null);
  const matches = useMemo(() => matchesOf(choices, input ?? "", selection), [choices, input, selection]);
  const name = selection?.name ?? "";
  return (
    <AriaComboBox
      className="field combo-box"
      items={matches}
      inputValue={input ?? name}
      onInputChange={(next) => setInput(next === name ? null : next)}
      value={value}
      onChange={(key) => {
        setInput(null);
        if (key !== null && key !== value) onChange(String(key));
      }}
      onOpenChange={(isOpen) => (isOpen ? undefined : setInput(null))}
      menuTrigger="focus"
      allowsEmptyCollection
    >
      <Label>{label}</Label>
      <div className="combo-box-row relative">
        <Input className="input" {...(placeholder === undefined ? {} : { placeholder })} />
        <AriaButton className="combo-box-open center faint pointer bare" aria-label={text("more")}>
          <Icon name="chevronDown" />
        </AriaButton>
      </div>
      <Popover className="popover combo-box-popover">
        <ListBox<Choice> className="menu combo-box-list" renderEmptyState={() => <p className="pad-3 faint">{text("noMatch")}</p>}>
          {({ id, name: each }) => (
            <ListBoxItem id={id} textValue={each} className="menu-item combo-box-choice truncate">
              {each}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}

/** The choice itself is among them, so that the field knows it. */
function matchesOf(choices: readonly Choice[], query: string, selection: Choice | undefined): readonly Choice[] {
  const words = query.toLocaleLowerCase();
  const matches: Choice[] = [];
  for (const choice of choices) {
    if (!choice.name.toLocaleLowerCase().includes(words)) continue;
    matches.push(choice);
    if (matches.length === mostShown) break;
  }
  return selection === undefined || matches.includes(selection) ? matches : [...matches, selection];
}
