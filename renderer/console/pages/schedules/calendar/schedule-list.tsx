// All schedules as a list, with when and where they play in words.
import { Link } from "@tanstack/react-router";
import { formatShortTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { CardTable } from "../../../ui/card-table.tsx";
import { valuesOf, type Schedule } from "../model/form.ts";
import { repeatInWords, timesInWords } from "../model/repeat-words.ts";
import { colourOf, wallDay, whereInWords } from "./names.ts";

const text = texts("schedules");

export function ScheduleList({ all, layoutName }: { all: readonly Schedule[]; layoutName: (id: string) => string }) {
  return (
    <CardTable
      label={text("title")}
      items={all}
      keyOf={({ id }) => id}
      columns={[
        {
          name: text("name"),
          is: "main",
          cell: ({ id, name, layout_id: layoutId, enabled }) => (
            <span className="inline-row gap-2 shrink">
              <span className="schedule-dot" data-colour={colourOf(layoutId)} />
              <Link to="/schedules/$id" params={{ id }}>
                <bdi>{name}</bdi>
              </Link>
              {enabled ? null : <span className="badge">{text("off")}</span>}
            </span>
          ),
        },
        { name: text("layout"), is: "text", cell: ({ layout_id: layoutId }) => layoutName(layoutId) },
        { name: text("where"), is: "text", cell: ({ target }) => whereInWords(target) },
        { name: text("when"), is: "text", cell: whenInWords },
        { name: text("priority"), cell: ({ priority }) => priority },
      ]}
    />
  );
}

/** Such as `Every Tuesday, 11:00 to 14:00, until 31 Mar 2027`. */
export function whenInWords(schedule: Schedule): string {
  const values = valuesOf(schedule);
  const { isAllDay, startDate, startTime, endDate, endTime, hasEnd, recurrence } = values;
  const timeOf = (time: string): string => formatShortTime(Date.parse(`1970-01-01T${time}Z`));
  const times = timesInWords(values);
  if (recurrence.is === "repeat") return repeatInWords(recurrence.repeat, schedule.starts_at, values);
  if (recurrence.is === "rule") return `${recurrence.rrule}, ${times}`;
  const [first, last] = [wallDay(Date.parse(startDate)), wallDay(Date.parse(endDate))];
  if (first === last || !hasEnd) return `${first}, ${times}`;
  return isAllDay
    ? text("fromTo", { from: first, to: last })
    : text("fromTo", { from: `${first} ${timeOf(startTime)}`, to: `${last} ${timeOf(endTime)}` });
}
