// Fields that most schedules leave as they are: priority, sharing time with other content, where loops begin, and conditions.
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { Switch } from "../../../ui/switch.tsx";
import type { Interrupt, Values } from "../model/form.ts";
import { ConditionsEditor } from "./conditions-editor.tsx";
import type { FieldsProps } from "./fields.ts";

const text = texts("schedules");

export function MoreFields(props: FieldsProps) {
  const { values, errors, onChange } = props;
  const { interrupt } = values;
  const mayWrite = useMay("schedules:write");
  const set = (change: Partial<Values>): void => onChange({ ...values, ...change });
  return (
    <>
      <fieldset className="form-part stack gap-4 shrink no-margin">
        <legend>{text("conditions")}</legend>
        <ConditionsEditor
          conditions={values.conditions}
          most={20}
          hint={text("noConditions")}
          startDate={values.startDate}
          isDisabled={!mayWrite}
          onChange={(conditions) => set({ conditions })}
        />
      </fieldset>
      <fieldset className="form-part stack gap-4 shrink no-margin">
        <legend>{text("sharing")}</legend>
        <Segments
          isLabelHidden
          label={text("sharing")}
          value={interrupt === null ? "replaces" : "shares"}
          onChange={(is) => set({ interrupt: is === "shares" ? (interrupt ?? { share_percent: 25 }) : null })}
          options={[
            { id: "replaces", name: text("replaces") },
            { id: "shares", name: text("shares") },
          ]}
        />
        {interrupt === null ? (
          <Segments
            label={text("loopStart")}
            value={values.loopFrom}
            onChange={(loopFrom) => set({ loopFrom })}
            options={[
              { id: "epoch", name: text("loopEpoch") },
              { id: "window", name: text("loopWindow") },
            ]}
          />
        ) : (
          <TurnFields interrupt={interrupt} errors={errors} onChange={(next) => set({ interrupt: next })} />
        )}
        <NumberField
          label={text("priority")}
          description={text("priorityText")}
          value={values.priority}
          minValue={-1_000}
          maxValue={1_000}
          onChange={(priority) => set({ priority: Number.isNaN(priority) ? 0 : Math.round(priority) })}
          error={errors["priority"]}
        />
        <Switch isSelected={values.isEnabled} onChange={(isEnabled) => set({ isEnabled })}>
          {text("enabled")}
        </Switch>
      </fieldset>
    </>
  );
}

interface TurnFieldsProps {
  interrupt: Interrupt;
  errors: FieldsProps["errors"];
  onChange: (interrupt: Interrupt) => void;
}

/** How often and how long it plays between the other content. */
function TurnFields({ interrupt, errors, onChange }: TurnFieldsProps) {
  const { share_percent: share, play_ms: playMs, max_plays_per_hour: most } = interrupt;
  const setOptional = (name: "play_ms" | "max_plays_per_hour", value: number): void => {
    const { [name]: _, ...rest } = interrupt;
    onChange(Number.isNaN(value) ? rest : { ...rest, [name]: value });
  };
  return (
    <div className="when-row wrap top gap-3">
      <NumberField
        label={text("share")}
        unit={text("percent")}
        value={share}
        minValue={0.1}
        maxValue={100}
        onChange={(next) => onChange({ ...interrupt, share_percent: Number.isNaN(next) ? 25 : next })}
        error={errors["share_percent"]}
      />
      <NumberField
        label={text("turnLength")}
        unit={text("seconds")}
        description={text("turnLengthText")}
        value={playMs === undefined ? Number.NaN : playMs / 1_000}
        minValue={1}
        maxValue={3_600}
        formatOptions={{ maximumFractionDigits: 1 }}
        onChange={(next) => setOptional("play_ms", Math.round(next * 1_000))}
        error={errors["play_ms"]}
      />
      <NumberField
        label={text("mostTurns")}
        unit={text("turns")}
        description={text("mostTurnsText")}
        value={most ?? Number.NaN}
        minValue={1}
        maxValue={3_600}
        step={1}
        onChange={(next) => setOptional("max_plays_per_hour", next)}
        error={errors["max_plays_per_hour"]}
      />
    </div>
  );
}
