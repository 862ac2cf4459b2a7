// What most schedules leave as it is: priority, sharing time with other content, where loops begin, and conditions.
import { schedules } from "../../../i18n/en/schedules.ts";
import { texts } from "../../../i18n/texts.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { Switch } from "../../../ui/switch.tsx";
import type { Values } from "../model/form.ts";
import { ConditionFields } from "./condition-fields.tsx";
import type { FieldsProps } from "./fields.ts";

const text = texts(schedules);

export function MoreFields(props: FieldsProps) {
  const { values, errors, onChange } = props;
  const { interrupt } = values;
  const set = (change: Partial<Values>): void => onChange({ ...values, ...change });
  return (
    <>
      <fieldset className="form-part">
        <legend>{text("conditions")}</legend>
        <ConditionFields {...props} />
      </fieldset>
      <fieldset className="form-part">
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
          <NumberField
            label={text("share")}
            unit={text("percent")}
            value={interrupt.share_percent}
            minValue={0.1}
            maxValue={100}
            onChange={(share) => set({ interrupt: { ...interrupt, share_percent: Number.isNaN(share) ? 25 : share } })}
            error={errors["share_percent"]}
          />
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
