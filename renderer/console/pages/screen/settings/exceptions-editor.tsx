// Dates with other opening hours, or on which the display stays off. The dates are calendars, which other screens may share.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { calendarsQuery, type Calendar } from "../../../data/calendars.ts";
import { useMay } from "../../../data/session.ts";
import { formatDate } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { Select } from "../../../ui/select.tsx";
import { DatesDialog } from "./dates-dialog.tsx";
import { OpeningsEditor, usualOpening } from "./openings-editor.tsx";

const text = texts("screenSettings");
const mostNamed = 6;
/** How many a screen can have. */
const mostExceptions = 20;

type Exception = NonNullable<Schemas["Player"]["display_hours"]>["exceptions"][number];

interface ExceptionsEditorProps {
  value: readonly Exception[];
  onChange: (exceptions: Exception[]) => void;
  isDisabled: boolean;
}

export function ExceptionsEditor({ value, onChange, isDisabled }: ExceptionsEditorProps) {
  const { data: calendars, error } = useQuery(calendarsQuery);
  const mayWrite = useMay("schedules:write");
  /** The calendar whose dates are edited; "new": one that does not exist yet. */
  const [editTarget, setEditTarget] = useState<Calendar | "new" | null>(null);
  const replace = (index: number, next: Exception): void => onChange(value.map((each, place) => (place === index ? next : each)));
  const add = (calendar_id: string): void => onChange([...value, { calendar_id, open: [] }]);
  const otherCalendars = (calendars ?? []).filter(({ id }) => value.every(({ calendar_id }) => calendar_id !== id));
  return (
    <div className="exceptions stack top gap-3 shrink max-full above-3" role="group" aria-label={text("exceptions")}>
      <h3>{text("exceptions")}</h3>
      <p className="field-description">{text("exceptionsAbout")}</p>
      <ProblemMessage error={error} />
      <ol className="openings-list stack top gap-3">
        {value.map((exception, index) => {
          const calendar = calendars?.find(({ id }) => id === exception.calendar_id);
          const name = calendar?.name ?? "";
          return (
            <li key={exception.calendar_id} className="exception stack top gap-2 shrink max-full" aria-label={name}>
              <div className="exception-head stack top gap-2 shrink max-full">
                <strong className="clip">{name}</strong>
                <span className="faint">{calendar === undefined ? "" : datesText(calendar)}</span>
              </div>
              <div className="wrap bottom gap-2-3">
                <Segments
                  isLabelHidden
                  label={text("exceptionMode", { name })}
                  value={exception.open.length === 0 ? "closed" : "other"}
                  onChange={(mode) => {
                    if (!isDisabled) replace(index, { ...exception, open: mode === "closed" ? [] : [{ ...usualOpening }] });
                  }}
                  options={[
                    { id: "closed", name: text("exceptionClosed") },
                    { id: "other", name: text("exceptionOther") },
                  ]}
                />
                {calendar === undefined || !mayWrite ? null : (
                  <Button
                    size="small"
                    aria-label={text("editDates", { name })}
                    isDisabled={isDisabled}
                    onPress={() => setEditTarget(calendar)}
                  >
                    {text("dates")}
                  </Button>
                )}
                <Button
                  kind="quiet"
                  size="small"
                  aria-label={text("removeException", { name })}
                  isDisabled={isDisabled}
                  onPress={() => onChange(value.filter((each) => each !== exception))}
                >
                  <Icon name="trash" />
                </Button>
              </div>
              {exception.open.length === 0 ? null : (
                <OpeningsEditor
                  isAllWeek
                  value={exception.open}
                  onChange={(open) => replace(index, { ...exception, open })}
                  isDisabled={isDisabled}
                />
              )}
            </li>
          );
        })}
      </ol>
      {isDisabled || value.length >= mostExceptions ? null : (
        <div className="wrap bottom gap-2-3">
          {otherCalendars.length === 0 ? null : (
            <Select
              label={text("addException")}
              options={otherCalendars.map((each) => ({ id: each.id, name: each.name, description: datesText(each) }))}
              selectedKey={null}
              onSelectionChange={add}
            />
          )}
          {mayWrite ? (
            <Button size="small" onPress={() => setEditTarget("new")}>
              <Icon name="plus" /> {text("newDates")}
            </Button>
          ) : null}
        </div>
      )}
      {editTarget === null ? null : (
        <DatesDialog
          calendar={editTarget === "new" ? null : editTarget}
          onClose={() => setEditTarget(null)}
          onSaved={(calendar) => {
            if (editTarget === "new") add(calendar.id);
          }}
        />
      )}
    </div>
  );
}

/** Such as `24 Dec 2026, 25 Dec 2026 and 3 more`. */
function datesText({ dates }: Calendar): string {
  if (dates.length === 0) return text("noDates");
  const dateNames = dates.slice(0, mostNamed).map(({ date }) => formatDate(date));
  const more = dates.length - dateNames.length;
  return more === 0 ? dateNames.join(", ") : text("datesAndMore", { dates: dateNames.join(", "), count: more });
}
