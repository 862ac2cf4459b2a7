// The variables of a screen, by name and value.
import { useState } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { Settings } from "./draft.ts";

const text = texts("screenSettings");
const validName = /^[a-z][a-z0-9_]{0,63}$/;

type Variables = Settings["variables"];

interface VariablesEditorProps {
  value: Variables;
  onChange: (variables: Variables) => void;
  isDisabled: boolean;
}

export function VariablesEditor({ value, onChange, isDisabled }: VariablesEditorProps) {
  const [name, setName] = useState("");
  const isBad = name !== "" && !validName.test(name);
  const add = (): void => {
    onChange({ ...value, [name]: value[name] ?? "" });
    setName("");
  };
  return (
    <fieldset className="editor stack top gap-2 shrink no-padding no-margin">
      <legend className="strong no-padding">{text("variables")}</legend>
      <p className="field-description">{text("variablesAbout")}</p>
      {Object.entries(value).map(([each, current]) => (
        <div key={each} className="editor-row flex bottom gap-2 full-width">
          <TextField
            label={each}
            value={String(current)}
            onChange={(input) => onChange({ ...value, [each]: parse(input, current) })}
            isDisabled={isDisabled}
          />
          <Button
            kind="quiet"
            size="small"
            aria-label={text("removeVariable", { name: each })}
            isDisabled={isDisabled}
            onPress={() => onChange(Object.fromEntries(Object.entries(value).filter(([other]) => other !== each)))}
          >
            <Icon name="trash" />
          </Button>
        </div>
      ))}
      {isDisabled ? null : (
        <div className="editor-row flex bottom gap-2 full-width">
          <TextField label={text("variableName")} value={name} onChange={setName} error={isBad ? text("variableNameBad") : undefined} />
          <Button size="small" isDisabled={name === "" || isBad} onPress={add}>
            <Icon name="plus" /> {text("addVariable")}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** Numbers stay numbers and yes-or-no stays that, as conditions compare them. */
function parse(input: string, before: Variables[string]): Variables[string] {
  if (typeof before === "number" && input.trim() !== "" && Number.isFinite(Number(input))) return Number(input);
  if (typeof before === "boolean" && (input === "true" || input === "false")) return input === "true";
  return input;
}
