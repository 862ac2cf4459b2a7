// How a schedule recurs: choices, and below them the sentence that they make.
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { weekdays } from "../../../../../src/protocol/scheduling/opening-hours.ts";
import { formatWeekday } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { Values } from "../model/form.ts";
import { monthDayInWords, repeatInWords } from "../model/repeat-words.ts";
import { monthDaysOf, weekdayOfStart, type Repeat, type RepeatEnd, type Weekday } from "../model/repeat.ts";
import { ExceptDates } from "./except-dates.tsx";
import type { FieldsProps } from "./fields.ts";

const text = texts("schedules");
const words = texts("repeat");

type Choice = "once" | Repeat["unit"] | "workdays" | "rule";
const workdays = weekdays.slice(0, 5);
const units = { day: "unitDay", week: "unitWeek", month: "unitMonth", year: "unitYear" } as const;

export function RepeatFields({ values, errors, onChange }: FieldsProps) {
  const { recurrence, startDate, exdates } = values;
  const set = (change: Partial<Values>): void => onChange({ ...values, ...change });
  const choice: Choice = recurrence.is === "repeat" ? choiceOf(recurrence.repeat) : recurrence.is;
  const choose = (nextChoice: Choice): void => {
    if (nextChoice === choice || nextChoice === "rule") return;
    if (nextChoice === "once") return set({ recurrence: { is: "once" } });
    const common = recurrence.is === "repeat" ? { every: 1, end: recurrence.repeat.end } : { every: 1, end: { is: "never" } as const };
    const repeat: Repeat =
      nextChoice === "workdays" ? { ...common, unit: "week", on: workdays } : repeatWith(nextChoice, common, startDate);
    set({ recurrence: { is: "repeat", repeat }, hasEnd: true });
  };
  const setRepeat = (repeat: Repeat): void => set({ recurrence: { is: "repeat", repeat } });
  return (
    <>
      <Select<Choice>
        label={text("repeat")}
        selectedKey={choice}
        onSelectionChange={choose}
        error={errors["rrule"]}
        options={[
          { id: "once", name: text("once") },
          { id: "day", name: text("daily") },
          { id: "workdays", name: words("workdays") },
          { id: "week", name: text("weekly") },
          { id: "month", name: text("monthly") },
          { id: "year", name: text("yearly") },
          ...(recurrence.is === "rule" ? [{ id: "rule" as const, name: text("ownRule") }] : []),
        ]}
      />
      {recurrence.is === "rule" ? <p className="faint">{text("ownRuleText", { rule: recurrence.rrule })}</p> : null}
      {recurrence.is === "repeat" ? (
        <>
          <RepeatDetails repeat={recurrence.repeat} startDate={startDate} onChange={setRepeat} />
          <p className="pad-2-3 tint rounded strong accent" role="status">
            {repeatInWords(recurrence.repeat, startDate, values)}
          </p>
        </>
      ) : null}
      {recurrence.is === "once" ? null : (
        <ExceptDates dates={exdates} onChange={(next) => set({ exdates: next })} error={errors["exdates"]} />
      )}
    </>
  );
}

/** The most frequent rule, all workdays, has a choice of its own. */
function choiceOf(repeat: Repeat): Choice {
  return repeat.unit === "week" && repeat.every === 1 && repeat.on.join() === workdays.join() ? "workdays" : repeat.unit;
}

function repeatWith(unit: Repeat["unit"], common: { every: number; end: RepeatEnd }, startDate: string): Repeat {
  if (unit === "week") return { ...common, unit, on: [weekdayOfStart(startDate)] };
  if (unit === "month") return { ...common, unit, on: monthDaysOf(startDate)[0]! };
  return { ...common, unit };
}

function RepeatDetails({ repeat, startDate, onChange }: { repeat: Repeat; startDate: string; onChange: (repeat: Repeat) => void }) {
  const { every, end } = repeat;
  return (
    <div className="stack gap-3">
      <NumberField
        label={text("every")}
        unit={text(units[repeat.unit], { every })}
        value={every}
        minValue={1}
        maxValue={1_000}
        onChange={(next) => onChange({ ...repeat, every: Number.isNaN(next) ? 1 : next })}
      />
      {repeat.unit === "week" ? <Weekdays on={repeat.on} onChange={(on) => onChange({ ...repeat, on })} /> : null}
      {repeat.unit === "month" ? <MonthDays repeat={repeat} startDate={startDate} onChange={onChange} /> : null}
      <div className="when-row wrap bottom gap-3">
        <Select<RepeatEnd["is"]>
          label={text("repeatEnd")}
          selectedKey={end.is}
          onSelectionChange={(is) => onChange({ ...repeat, end: endWith(is, startDate) })}
          options={[
            { id: "never", name: text("never") },
            { id: "until", name: text("untilDate") },
            { id: "count", name: text("afterTimes") },
          ]}
        />
        {end.is === "until" ? (
          <TextField
            label={text("untilField")}
            type="date"
            value={end.date}
            onChange={(date) => onChange({ ...repeat, end: date === "" ? { is: "never" } : { is: "until", date } })}
          />
        ) : null}
        {end.is === "count" ? (
          <NumberField
            label={text("timesField")}
            value={end.count}
            minValue={1}
            maxValue={10_000}
            onChange={(count) => onChange({ ...repeat, end: { is: "count", count: Number.isNaN(count) ? 1 : count } })}
          />
        ) : null}
      </div>
    </div>
  );
}

function Weekdays({ on, onChange }: { on: readonly Weekday[]; onChange: (on: Weekday[]) => void }) {
  return (
    <ToggleButtonGroup
      className="wrap gap-2"
      aria-label={text("on")}
      selectionMode="multiple"
      disallowEmptySelection
      selectedKeys={on}
      onSelectionChange={(keys) => onChange(weekdays.filter((day) => keys.has(day)))}
    >
      {weekdays.map((day, index) => (
        <ToggleButton key={day} id={day} className="repeat-weekday surface round" aria-label={words(day)}>
          {formatWeekday(index)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

function MonthDays({
  repeat,
  startDate,
  onChange,
}: {
  repeat: Extract<Repeat, { unit: "month" }>;
  startDate: string;
  onChange: (repeat: Repeat) => void;
}) {
  const keyOf = (day: (typeof repeat)["on"]): string => JSON.stringify(day);
  const choices = monthDaysOf(startDate);
  const days = choices.some((day) => keyOf(day) === keyOf(repeat.on)) ? choices : [repeat.on, ...choices];
  return (
    <Select
      label={text("onDay")}
      selectedKey={keyOf(repeat.on)}
      onSelectionChange={(key) => onChange({ ...repeat, on: days.find((day) => keyOf(day) === key) ?? repeat.on })}
      options={days.map((day) => ({ id: keyOf(day), name: monthDayInWords(day) }))}
    />
  );
}

function endWith(is: RepeatEnd["is"], startDate: string): RepeatEnd {
  if (is === "never") return { is };
  if (is === "count") return { is, count: 10 };
  const until = new Date(`${startDate}T00:00Z`);
  until.setUTCMonth(until.getUTCMonth() + 3);
  return { is, date: until.toISOString().slice(0, 10) };
}
