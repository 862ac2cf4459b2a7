// What must hold besides the times of a schedule: dates of calendars, and tags of screens. Other conditions are shown and stay.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "../../../data/session.ts";
import { schedules } from "../../../i18n/en/schedules.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Select } from "../../../ui/select.tsx";
import { DatesDialog } from "../../screen/settings/dates-dialog.tsx";
import { useTeamScreens } from "../../show/team-screens.ts";
import { calendarsQuery } from "../data.ts";
import type { Condition } from "../model/form.ts";
import { conditionInWords } from "./condition-words.ts";
import type { FieldsProps } from "./fields.ts";

const text = texts(schedules);

export function ConditionFields({ values, onChange }: FieldsProps) {
  const { conditions } = values;
  const set = (next: readonly Condition[]): void => onChange({ ...values, conditions: next });
  const [isNaming, setIsNaming] = useState(false);
  const mayWrite = useMay("schedules:write");
  const { data: calendars } = useQuery(calendarsQuery);
  const screens = useTeamScreens();
  const tags = [...new Set(screens?.flatMap((screen) => screen.tags))].toSorted((a, b) => a.localeCompare(b));
  const replace = (index: number, condition: Condition): void => set(conditions.map((each, place) => (place === index ? condition : each)));
  return (
    <div className="conditions" role="group" aria-label={text("conditions")}>
      {conditions.length === 0 ? null : (
        <ol className="condition-list">
          {conditions.map((condition, index) => (
            // Conditions have no identity but their place.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index} className="condition">
              <ConditionRow condition={condition} calendars={calendars ?? []} tags={tags} onChange={(next) => replace(index, next)} />
              <Button
                kind="quiet"
                size="small"
                aria-label={text("removeCondition")}
                onPress={() => set(conditions.filter((_, place) => place !== index))}
              >
                <Icon name="trash" />
              </Button>
            </li>
          ))}
        </ol>
      )}
      <div className="condition-adds">
        {(calendars ?? []).length === 0 ? null : (
          <Button size="small" onPress={() => set([...conditions, { type: "calendar", calendar_id: calendars![0]!.id, is_listed: false }])}>
            <Icon name="plus" /> {text("addCalendar")}
          </Button>
        )}
        {mayWrite ? (
          <Button size="small" onPress={() => setIsNaming(true)}>
            <Icon name="plus" /> {text("newCalendar")}
          </Button>
        ) : null}
        {tags.length === 0 ? null : (
          <Button size="small" onPress={() => set([...conditions, { type: "tag", tag: tags[0]!, is_present: true }])}>
            <Icon name="plus" /> {text("addTag")}
          </Button>
        )}
      </div>
      {isNaming ? (
        <DatesDialog
          calendar={null}
          onClose={() => setIsNaming(false)}
          onSaved={({ id }) => set([...conditions, { type: "calendar", calendar_id: id, is_listed: false }])}
        />
      ) : null}
    </div>
  );
}

interface ConditionRowProps {
  condition: Condition;
  calendars: readonly { id: string; name: string }[];
  tags: readonly string[];
  onChange: (condition: Condition) => void;
}

function ConditionRow({ condition, calendars, tags, onChange }: ConditionRowProps) {
  if (condition.type === "calendar") {
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
  if (condition.type === "tag") {
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
  return <p className="condition-words">{text("otherCondition", { words: conditionInWords(condition) })}</p>;
}
