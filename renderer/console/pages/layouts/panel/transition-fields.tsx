// How one picture replaces another: the kind of the transition, how long it takes, and its direction.
import { texts } from "../../../i18n/texts.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import type { EditedLayout } from "../model/edited-layout.ts";
import { transitionNames } from "../words.ts";

const text = texts("layouts");

type Transition = NonNullable<EditedLayout["transition"]>;
type Kind = Transition["type"] | "none";

const kinds = Object.keys(transitionNames) as Transition["type"][];
const withDirection: readonly Kind[] = ["slide", "push", "wipe"];
const directionNames = { left: "directionLeft", right: "directionRight", up: "directionUp", down: "directionDown" } as const;
const directions = Object.keys(directionNames) as Transition["direction"][];
const firstOne: Transition = { type: "crossfade", duration_ms: 600, easing: "ease-in-out", direction: "left" };

interface TransitionFieldsProps {
  label: string;
  value: Transition | null;
  onChange: (transition: Transition | null) => void;
  isDisabled: boolean;
}

export function TransitionFields({ label, value, onChange, isDisabled }: TransitionFieldsProps) {
  const options = [
    { id: "none" as Kind, name: text("transitionNone") },
    ...kinds
      .filter((kind) => kind !== "cut" || value?.type === "cut")
      .map((kind) => ({ id: kind as Kind, name: text(transitionNames[kind]) })),
  ];
  return (
    <>
      <Select
        label={label}
        options={options}
        selectedKey={value?.type ?? "none"}
        isDisabled={isDisabled}
        onSelectionChange={(kind) => onChange(kind === "none" ? null : { ...(value ?? firstOne), type: kind })}
      />
      {value === null || value.type === "cut" ? null : (
        <div className="panel-pair grid gap-3">
          <NumberField
            label={text("transitionTime")}
            unit={text("secondsShort")}
            value={value.duration_ms / 1_000}
            minValue={0}
            maxValue={10}
            step={0.1}
            isDisabled={isDisabled}
            onChange={(seconds) => {
              if (!Number.isNaN(seconds)) onChange({ ...value, duration_ms: Math.round(seconds * 1_000) });
            }}
          />
          {withDirection.includes(value.type) ? (
            <Select
              label={text("direction")}
              options={directions.map((id) => ({ id, name: text(directionNames[id]) }))}
              selectedKey={value.direction}
              isDisabled={isDisabled}
              onSelectionChange={(direction) => onChange({ ...value, direction })}
            />
          ) : null}
        </div>
      )}
    </>
  );
}
