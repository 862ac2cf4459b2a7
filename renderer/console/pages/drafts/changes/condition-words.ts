// A condition of a schedule or an item in words.
import { formatDate, formatList } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Item } from "../../../items/item.ts";
import type { Condition } from "../../schedules/model/conditions.ts";

const text = texts("changes");
const operators = { equals: "equals", not_equals: "notEquals", at_least: "atLeast", at_most: "atMost" } as const;

/** A condition as it is stored, or of an item that is not saved yet, without usual values. */
type AnyCondition = Condition | NonNullable<Item["conditions"]>[number];

/** @param nameOf of a calendar by its id */
export function conditionInWords(condition: AnyCondition, nameOf: (calendarId: string) => string): string {
  switch (condition.type) {
    case "calendar":
      return text(condition.is_listed === false ? "offCalendar" : "onCalendar", { name: nameOf(condition.calendar_id) });
    case "tag":
      return text(condition.is_present === false ? "withoutTag" : "withTag", { tag: condition.tag });
    case "variable":
      return text(operators[condition.op ?? "equals"], { name: condition.name, value: String(condition.value) });
    case "date": {
      const { from, until } = condition;
      const days = [from === undefined ? "" : text("dateFrom", { date: formatDate(from) })];
      days.push(until === undefined ? "" : text("dateUntil", { date: formatDate(until) }));
      return days.filter((each) => each !== "").join(" ");
    }
    case "daypart":
      return timesInWords(condition);
    case "hours":
      return formatList(condition.open.map(timesInWords));
  }
}

function timesInWords({
  from = "00:00",
  until = "24:00",
  weekdays,
}: {
  from?: string;
  until?: string;
  weekdays?: readonly string[];
}): string {
  const days = (weekdays ?? []).map((day) => text(day as "MO"));
  return text("between", { from, until, days: days.length === 0 ? "" : formatList(days) });
}
