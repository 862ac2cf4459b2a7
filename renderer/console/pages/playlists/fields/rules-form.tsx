// The settings that every item has: how long it plays, when, how often, and how it appears.
import { texts } from "../../../i18n/texts.ts";
import { instantOf, localValueOf, ownTimeZone } from "../../../data/zones.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { OpeningsEditor } from "../../screen/settings/openings-editor.tsx";
import type { Opening } from "../../screen/settings/openings-editor.tsx";
import { ConditionsEditor } from "../../schedules/form/conditions-editor.tsx";
import type { Condition } from "../../schedules/model/conditions.ts";
import { newTransition } from "../model/defaults.ts";
import type { Item } from "../../../items/item.ts";
import type { Shared } from "../model/shared.ts";

const text = texts("playlistEditor");

interface RulesFormProps {
  commonValue: (name: string) => Shared;
  errorOf: (name: string) => string | undefined;
  isDisabled: boolean;
  /** @param isTyping whether it continues the change before, as typing does */
  onChange: (changes: Readonly<Record<string, unknown>>, isTyping?: boolean) => void;
}

export function RulesForm({ commonValue, errorOf, isDisabled, onChange }: RulesFormProps) {
  const limit = (name: "max_plays_per_hour" | "max_plays_per_day", most: number) => {
    const { value, isMixed } = commonValue(name);
    return (
      <NumberField
        label={text(name)}
        unit={text("plays")}
        description={text(isMixed ? "mixed" : "limitHint")}
        value={typeof value === "number" ? value : Number.NaN}
        minValue={1}
        maxValue={most}
        step={1}
        error={errorOf(name)}
        isDisabled={isDisabled}
        onChange={(plays) => {
          if (!Number.isNaN(plays)) onChange({ [name]: plays });
          else if (!isMixed && value !== undefined) onChange({ [name]: undefined });
        }}
      />
    );
  };
  const [dayparts, conditions] = [commonValue("dayparts"), commonValue("conditions")];
  const ownConditions = (conditions.value as Condition[] | undefined) ?? [];
  return (
    <>
      <InstantField name="valid_from" {...commonValue("valid_from")} error={errorOf("valid_from")} {...{ isDisabled, onChange }} />
      <InstantField name="valid_until" {...commonValue("valid_until")} error={errorOf("valid_until")} {...{ isDisabled, onChange }} />
      <fieldset className="field-group">
        <legend>{text("dayparts")}</legend>
        <p className="field-description">{text(dayparts.isMixed ? "mixedHint" : "daypartsHint")}</p>
        <OpeningsEditor
          value={(dayparts.value as Opening[] | undefined) ?? []}
          onChange={(openings) => onChange({ dayparts: openings.length === 0 ? undefined : openings })}
          isDisabled={isDisabled}
        />
        {errorOf("dayparts") === undefined ? null : <p className="field-error">{errorOf("dayparts")}</p>}
      </fieldset>
      <fieldset className="field-group">
        <legend>{text("conditions")}</legend>
        <ConditionsEditor
          conditions={ownConditions}
          most={10}
          hint={text(conditions.isMixed ? "mixedHint" : "conditionsHint")}
          isDisabled={isDisabled}
          onChange={(next) => onChange({ conditions: next.length === 0 ? undefined : next }, next.length === ownConditions.length)}
        />
        {errorOf("conditions") === undefined ? null : <p className="field-error">{errorOf("conditions")}</p>}
      </fieldset>
      <div className="field-pair grid top gap-3">
        {limit("max_plays_per_hour", 3_600)}
        {limit("max_plays_per_day", 10_000)}
      </div>
    </>
  );
}

interface InstantFieldProps extends Shared {
  name: "valid_from" | "valid_until";
  error: string | undefined;
  isDisabled: boolean;
  onChange: RulesFormProps["onChange"];
}

function InstantField({ name, value, isMixed, error, isDisabled, onChange }: InstantFieldProps) {
  const label = text(name);
  return (
    <div className="instant-field flex top gap-2">
      <TextField
        label={label}
        type="datetime-local"
        value={typeof value === "string" ? localValueOf(value, ownTimeZone) : ""}
        description={isMixed ? text("mixed") : text("validHint", { zone: ownTimeZone.replaceAll("_", " ") })}
        // While its parts are typed, the browser gives an empty value: only the button takes the time away.
        onChange={(local) => {
          const instant = instantOf(local, ownTimeZone);
          if (instant !== null) onChange({ [name]: instant });
        }}
        error={error}
        isDisabled={isDisabled}
      />
      {value === undefined || isDisabled ? null : (
        <Button kind="quiet" size="small" aria-label={text("validClear", { name: label })} onPress={() => onChange({ [name]: undefined })}>
          <Icon name="close" />
        </Button>
      )}
    </div>
  );
}

/** How long each item plays; empty: as long as its file. */
export function DurationField({ commonValue, errorOf, isDisabled, onChange }: RulesFormProps) {
  const { value, isMixed } = commonValue("duration_ms");
  const seconds = typeof value === "number" ? value / 1_000 : Number.NaN;
  return (
    <NumberField
      label={text("duration_ms")}
      unit={text("s")}
      description={text(isMixed ? "mixed" : "durationHint")}
      value={seconds}
      minValue={0.1}
      maxValue={86_400}
      formatOptions={{ maximumFractionDigits: 1 }}
      error={errorOf("duration_ms")}
      isDisabled={isDisabled}
      onChange={(input) => {
        if (!Number.isNaN(input)) onChange({ duration_ms: Math.round(input * 1_000) });
        else if (!isMixed && value !== undefined) onChange({ duration_ms: undefined });
      }}
    />
  );
}

type Transition = NonNullable<Item["transition"]>;
const types = ["cut", "crossfade", "slide", "wipe", "push", "zoom"] as const;
const directions = ["left", "right", "up", "down"] as const;
const easings = ["ease-in-out", "ease", "ease-in", "ease-out", "linear"] as const;

export function TransitionField({ commonValue, errorOf, isDisabled, onChange }: RulesFormProps) {
  const { value, isMixed } = commonValue("transition");
  const transition = value as Required<Transition> | undefined;
  const options = [
    { id: "zone" as const, name: text("transitionOfZone") },
    ...types.map((id) => ({ id, name: text(id === "zoom" ? "zoomTransition" : id) })),
  ];
  const set = (changes: Partial<Transition>): void => onChange({ transition: { ...transition, ...changes } });
  return (
    <>
      <Select
        label={text("transition")}
        options={options}
        selectedKey={isMixed ? null : (transition?.type ?? "zone")}
        {...(isMixed ? { placeholder: text("mixed") } : {})}
        error={errorOf("transition")}
        isDisabled={isDisabled}
        onSelectionChange={(type) =>
          onChange({ transition: type === "zone" ? undefined : { ...(transition ?? newTransition(type)), type } })
        }
      />
      {transition === undefined || transition.type === "cut" ? null : (
        <div className="field-pair grid top gap-3">
          <NumberField
            label={text("transition_duration")}
            unit={text("s")}
            value={transition.duration_ms / 1_000}
            minValue={0}
            maxValue={10}
            formatOptions={{ maximumFractionDigits: 2 }}
            isDisabled={isDisabled}
            onChange={(input) => {
              if (!Number.isNaN(input)) set({ duration_ms: Math.round(input * 1_000) });
            }}
          />
          {["slide", "wipe", "push"].includes(transition.type) ? (
            <Select
              label={text("transition_direction")}
              options={directions.map((id) => ({ id, name: text(id) }))}
              selectedKey={transition.direction}
              isDisabled={isDisabled}
              onSelectionChange={(direction) => set({ direction })}
            />
          ) : null}
          <Select
            label={text("transition_easing")}
            options={easings.map((id) => ({ id, name: text(id) }))}
            selectedKey={transition.easing}
            isDisabled={isDisabled}
            onSelectionChange={(easing) => set({ easing })}
          />
        </div>
      )}
    </>
  );
}
