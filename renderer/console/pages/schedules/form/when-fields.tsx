// When a schedule plays: its first window, whole days or times, and its time zone.
import { ownTimeZone } from "../../../data/zones.ts";
import { texts } from "../../../i18n/texts.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { withStart, type Values } from "../model/form.ts";
import type { FieldsProps } from "./fields.ts";

const text = texts("schedules");
const screensZone = "screens";
const zones = [
  { id: screensZone, name: text("screensZone") },
  ...[ownTimeZone, "UTC", ...Intl.supportedValuesOf("timeZone").filter((id) => id !== ownTimeZone && id !== "UTC")].map((id) => ({
    id,
    name: id,
  })),
];

export function WhenFields({ values, errors, onChange, isInstant }: FieldsProps & { isInstant: boolean }) {
  const { isAllDay, hasEnd, recurrence } = values;
  const set = (change: Partial<Values>): void => onChange({ ...values, ...change });
  return (
    <>
      <Checkbox isSelected={isAllDay} onChange={(selected) => set({ isAllDay: selected })} isDisabled={isInstant}>
        {text("isAllDay")}
      </Checkbox>
      <div className="when-row wrap bottom gap-3">
        <TextField
          label={text("start")}
          type="date"
          value={values.startDate}
          onChange={(date) => onChange(withStart(values, date, values.startTime))}
          error={errors["starts_at"]}
          isRequired
        />
        {isAllDay ? null : (
          <TextField
            label={text("startTime")}
            type="time"
            value={values.startTime}
            onChange={(time) => onChange(withStart(values, values.startDate, time))}
            isRequired
          />
        )}
      </div>
      {hasEnd ? (
        <div className="when-row wrap bottom gap-3">
          <TextField
            label={text(isAllDay ? "lastDay" : "end")}
            type="date"
            value={values.endDate}
            onChange={(endDate) => set({ endDate })}
            error={errors["ends_at"]}
            isRequired
          />
          {isAllDay ? null : (
            <TextField label={text("endTime")} type="time" value={values.endTime} onChange={(endTime) => set({ endTime })} isRequired />
          )}
        </div>
      ) : null}
      {recurrence.is === "once" ? (
        <Checkbox isSelected={!hasEnd} onChange={(selected) => set({ hasEnd: !selected })}>
          {text("hasNoEnd")}
        </Checkbox>
      ) : null}
      {isInstant ? (
        <p className="faint">{text("inUtc")}</p>
      ) : (
        <ComboBox
          label={text("timezone")}
          choices={zones}
          value={values.timezone ?? screensZone}
          onChange={(id) => set({ timezone: id === null || id === screensZone ? null : id })}
          error={errors["timezone"]}
        />
      )}
    </>
  );
}
