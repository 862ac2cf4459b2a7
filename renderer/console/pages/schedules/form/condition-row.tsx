// One condition of a schedule, with the fields that its kind needs.
import { texts } from "../../../i18n/texts.ts";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { OpeningsEditor } from "../../screen/settings/openings-editor.tsx";
import {
  kindOf,
  openingsOf,
  valueAs,
  withDay,
  withOpenings,
  withOperator,
  type Condition,
  type ConditionOf,
  type Operator,
  type ValueKind,
  type VariableCondition,
} from "../model/conditions.ts";

const text = texts("schedules");

interface ConditionRowProps {
  condition: Condition;
  calendars: readonly { id: string; name: string }[];
  tags: readonly string[];
  isDisabled: boolean;
  /** @param condition null: it is taken away */
  onChange: (condition: Condition | null) => void;
}

export function ConditionRow({ condition, calendars, tags, isDisabled, onChange }: ConditionRowProps) {
  switch (condition.type) {
    case "calendar":
      return <CalendarFields condition={condition} calendars={calendars} onChange={onChange} />;
    case "tag":
      return <TagFields condition={condition} tags={tags} onChange={onChange} />;
    case "variable":
      return <VariableFields condition={condition} onChange={onChange} />;
    case "date":
      return (
        <>
          {(["from", "until"] as const).map((end) => (
            <TextField
              key={end}
              label={text(end === "from" ? "firstDay" : "lastDay")}
              type="date"
              value={condition[end] ?? ""}
              onChange={(date) => onChange(withDay(condition, end, date))}
            />
          ))}
        </>
      );
    case "daypart":
    case "hours":
      return (
        <div className="condition-hours" role="group" aria-label={text("someHours")}>
          <OpeningsEditor value={openingsOf(condition)} onChange={(openings) => onChange(withOpenings(openings))} isDisabled={isDisabled} />
        </div>
      );
  }
}

interface FieldsOf<T extends Condition["type"]> {
  condition: ConditionOf<T>;
  onChange: (condition: Condition) => void;
}

function CalendarFields({ condition, calendars, onChange }: FieldsOf<"calendar"> & Pick<ConditionRowProps, "calendars">) {
  return (
    <>
      <Select
        isLabelHidden
        label={text("condition")}
        selectedKey={condition.is_listed === false ? "off" : "on"}
        onSelectionChange={(key) => onChange({ ...condition, is_listed: key === "on" })}
        options={[
          { id: "off", name: text("offCalendar") },
          { id: "on", name: text("onCalendar") },
        ]}
      />
      <Select
        isLabelHidden
        label={text("calendar")}
        selectedKey={condition.calendar_id}
        onSelectionChange={(id) => onChange({ ...condition, calendar_id: id })}
        options={calendars}
      />
    </>
  );
}

function TagFields({ condition, tags, onChange }: FieldsOf<"tag"> & Pick<ConditionRowProps, "tags">) {
  const choices = tags.includes(condition.tag) ? tags : [condition.tag, ...tags];
  return (
    <>
      <Select
        isLabelHidden
        label={text("condition")}
        selectedKey={condition.is_present === false ? "without" : "with"}
        onSelectionChange={(key) => onChange({ ...condition, is_present: key === "with" })}
        options={[
          { id: "with", name: text("withTag") },
          { id: "without", name: text("withoutTag") },
        ]}
      />
      <ComboBox
        label={text("tag")}
        choices={choices.map((tag) => ({ id: tag, name: tag }))}
        value={condition.tag}
        onChange={(tag) => (tag === null ? undefined : onChange({ ...condition, tag }))}
      />
    </>
  );
}

const operators = { equals: "equals", not_equals: "notEquals", at_least: "atLeast", at_most: "atMost" } as const;
const kinds = { text: "kindText", number: "kindNumber", yesno: "kindYesNo" } as const;

function VariableFields({ condition, onChange }: FieldsOf<"variable">) {
  const { name, op, value } = condition;
  const kind = kindOf(value);
  const isOfNumbers = op === "at_least" || op === "at_most";
  const isBad = name !== "" && !/^[a-z][a-z0-9_]{0,63}$/.test(name);
  return (
    <>
      <TextField
        label={text("variable")}
        value={name}
        onChange={(next) => onChange({ ...condition, name: next })}
        error={isBad ? text("variableBad") : undefined}
        maxLength={64}
      />
      <Select
        label={text("comparison")}
        selectedKey={op}
        onSelectionChange={(next: Operator) => onChange(withOperator(condition, next))}
        options={(Object.keys(operators) as Operator[]).map((id) => ({ id, name: text(operators[id]) }))}
      />
      {isOfNumbers ? null : (
        <Select
          label={text("kind")}
          selectedKey={kind}
          onSelectionChange={(next: ValueKind) => onChange({ ...condition, value: valueAs(next, value) })}
          options={(Object.keys(kinds) as ValueKind[]).map((id) => ({ id, name: text(kinds[id]) }))}
        />
      )}
      <ValueField value={value} onChange={(next) => onChange({ ...condition, value: next })} />
    </>
  );
}

function ValueField({ value, onChange }: { value: VariableCondition["value"]; onChange: (value: VariableCondition["value"]) => void }) {
  if (typeof value === "string") return <TextField label={text("value")} value={value} onChange={onChange} maxLength={200} />;
  if (typeof value === "number") {
    return (
      <NumberField
        label={text("value")}
        value={value}
        onChange={(next) => onChange(Number.isNaN(next) ? 0 : next)}
        formatOptions={{ maximumFractionDigits: 10 }}
      />
    );
  }
  return (
    <Select
      label={text("value")}
      selectedKey={value ? "yes" : "no"}
      onSelectionChange={(key) => onChange(key === "yes")}
      options={[
        { id: "yes", name: text("yes") },
        { id: "no", name: text("no") },
      ]}
    />
  );
}
