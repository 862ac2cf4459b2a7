// A calendar while a person changes it. What somebody else saves meanwhile becomes part of the form; what contradicts is asked.
import { useEffect, useState } from "react";
import { calendars } from "../../i18n/en/calendars.ts";
import { texts } from "../../i18n/texts.ts";
import { showToast } from "../../ui/toasts.tsx";
import type { VersionedCalendar } from "./data.ts";
import { calendarOf, mergeCalendars, valuesOf, withCalendar, withParts, type Part, type Values } from "./model/dates.ts";

const text = texts(calendars);

interface Edit {
  /** The version that the values were made from. */
  base: VersionedCalendar;
  values: Values;
  /** A newer version that contradicts the values, and in what. */
  open: { theirs: VersionedCalendar; contradictions: readonly Part[] } | null;
  /** The version of somebody else whose changes became part of the values; null: none did. */
  joinedEtag: string | null;
}

export interface Edited {
  values: Values;
  base: VersionedCalendar;
  /** What somebody else has changed differently: until the person decides, nothing is saved. */
  contradictions: readonly Part[];
  edit: (values: Values) => void;
  /** Decides all contradictions. */
  choose: (whose: "mine" | "theirs") => void;
  /** The values are saved. */
  done: () => void;
}

/** @param newest as it is stored now */
export function useEdited(newest: VersionedCalendar): Edited {
  const [edit, setEdit] = useState<Edit | null>(null);
  const seen = edit?.open?.theirs ?? edit?.base;
  if (edit !== null && seen?.etag !== newest.etag) setEdit(joined(edit, newest));
  const joinedEtag = edit?.joinedEtag ?? null;
  useEffect(() => {
    if (joinedEtag !== null) showToast({ message: text("merged") });
  }, [joinedEtag]);
  return {
    values: edit?.values ?? valuesOf(newest.calendar),
    base: edit?.base ?? newest,
    contradictions: edit?.open?.contradictions ?? [],
    edit: (values) => setEdit(edit === null ? { base: newest, values, open: null, joinedEtag: null } : { ...edit, values }),
    choose: (whose) => {
      if (edit === null || edit.open === null) return;
      const { theirs, contradictions } = edit.open;
      const { calendar } = mergeCalendars(edit.base.calendar, calendarOf(edit.values), theirs.calendar);
      const chosen = whose === "mine" ? calendar : withParts(calendar, contradictions, theirs.calendar);
      setEdit({ ...edit, base: theirs, values: withCalendar(edit.values, chosen), open: null });
    },
    done: () => setEdit(null),
  };
}

function joined(edit: Edit, theirs: VersionedCalendar): Edit {
  const mine = calendarOf(edit.values);
  const { calendar, contradictions } = mergeCalendars(edit.base.calendar, mine, theirs.calendar);
  if (contradictions.length > 0) return { ...edit, open: { theirs, contradictions } };
  // What is being typed stays as it is.
  if (JSON.stringify(calendar) === JSON.stringify(mine)) return { ...edit, base: theirs, open: null };
  return { base: theirs, values: withCalendar(edit.values, calendar), open: null, joinedEtag: theirs.etag };
}
