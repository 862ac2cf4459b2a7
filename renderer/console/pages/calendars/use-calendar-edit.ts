// A calendar while a person changes it, together with others.
import { useMergedEdit, type Merging } from "../../data/use-merged-edit.ts";
import { texts } from "../../i18n/texts.ts";
import { showToast } from "../../ui/toasts.tsx";
import type { VersionedCalendar } from "./data.ts";
import { calendarOf, mergeCalendars, valuesOf, withCalendar, withParts, type Part, type Values } from "./model/dates.ts";

const text = texts("calendars");

const merging: Merging<VersionedCalendar, Values, Part> = {
  valuesOf: ({ calendar }) => valuesOf(calendar),
  merge: (base, values, theirs) => {
    const mine = calendarOf(values);
    const { calendar, contradictions } = mergeCalendars(base.calendar, mine, theirs.calendar);
    // Rows that are being typed stay as they are.
    const isSame = JSON.stringify(calendar) === JSON.stringify(mine);
    return { values: isSame ? values : withCalendar(values, calendar), contradictions };
  },
  withTheirs: (values, parts, { calendar }) => withCalendar(values, withParts(calendarOf(values), parts, calendar)),
  onMerge: () => showToast({ message: text("merged") }),
};

/** @param newest as it is stored now */
export const useCalendarEdit = (newest: VersionedCalendar) => useMergedEdit(newest, merging);
