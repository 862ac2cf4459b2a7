// A field with a list of any length, such as all screens: it shows the first choices whose names contain what was typed.
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
  const chosen = useMemo(() => choices.find(({ id }) => id === value), [choices, value]);
  /** Null: nothing is being typed, and the field has the name of the choice. */
  const [typed, setTyped] = useState<string | null>(null);
  const shown = useMemo(() => matchesOf(choices, typed ?? "", chosen), [choices, typed, chosen]);
  const name = chosen?.name ?? "";
  return (
    <AriaComboBox
      className="field combo-box"
      items={shown}
      inputValue={typed ?? name}
      onInputChange={(next) => setTyped(next === name ? null : next)}
      value={value}
      onChange={(key) => {
        setTyped(null);
        if (key !== null && key !== value) onChange(String(key));
      }}
      onOpenChange={(isOpen) => (isOpen ? undefined : setTyped(null))}
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
function matchesOf(choices: readonly Choice[], typed: string, chosen: Choice | undefined): readonly Choice[] {
  const words = typed.toLocaleLowerCase();
  const found: Choice[] = [];
  for (const choice of choices) {
    if (!choice.name.toLocaleLowerCase().includes(words)) continue;
    found.push(choice);
    if (found.length === mostShown) break;
  }
  return chosen === undefined || found.includes(chosen) ? found : [...found, chosen];
}
