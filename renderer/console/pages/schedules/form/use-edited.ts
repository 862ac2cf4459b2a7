// A schedule while a person changes it. What somebody else saves meanwhile becomes part of the form; what contradicts is asked.
import { useEffect, useState } from "react";
import { schedules } from "../../../i18n/en/schedules.ts";
import { texts } from "../../../i18n/texts.ts";
import { showToast } from "../../../ui/toasts.tsx";
import type { VersionedSchedule } from "../data.ts";
import { valuesOf, type Values } from "../model/form.ts";
import { mergeValues, withParts, type Part } from "../model/merge.ts";

const text = texts(schedules);

interface Edit {
  /** The version that the values were made from. */
  base: VersionedSchedule;
  values: Values;
  /** A newer version that contradicts the values, and in what. */
  open: { theirs: VersionedSchedule; contradictions: readonly Part[] } | null;
  /** The version of somebody else whose changes became part of the values; null: none did. */
  joinedEtag: string | null;
}

export interface Edited {
  values: Values;
  base: VersionedSchedule;
  /** What somebody else has changed differently: until the person decides, nothing is saved. */
  contradictions: readonly Part[];
  edit: (values: Values) => void;
  /** Decides all contradictions. */
  choose: (whose: "mine" | "theirs") => void;
  /** The values are saved, or given up. */
  done: () => void;
}

/** @param newest as it is stored now */
export function useEdited(newest: VersionedSchedule): Edited {
  const [edit, setEdit] = useState<Edit | null>(null);
  const seen = edit?.open?.theirs ?? edit?.base;
  if (edit !== null && seen?.etag !== newest.etag) setEdit(joined(edit, newest));
  const joinedEtag = edit?.joinedEtag ?? null;
  useEffect(() => {
    if (joinedEtag !== null) showToast({ message: text("merged") });
  }, [joinedEtag]);
  return {
    values: edit?.values ?? valuesOf(newest.schedule),
    base: edit?.base ?? newest,
    contradictions: edit?.open?.contradictions ?? [],
    edit: (values) => setEdit(edit === null ? { base: newest, values, open: null, joinedEtag: null } : { ...edit, values }),
    choose: (whose) => {
      if (edit === null || edit.open === null) return;
      const { theirs, contradictions } = edit.open;
      const stored = valuesOf(theirs.schedule);
      const { values } = mergeValues(valuesOf(edit.base.schedule), edit.values, stored);
      setEdit({ ...edit, base: theirs, values: whose === "mine" ? values : withParts(values, contradictions, stored), open: null });
    },
    done: () => setEdit(null),
  };
}

function joined(edit: Edit, theirs: VersionedSchedule): Edit {
  const { values, contradictions } = mergeValues(valuesOf(edit.base.schedule), edit.values, valuesOf(theirs.schedule));
  if (contradictions.length > 0) return { ...edit, open: { theirs, contradictions } };
  const isMore = JSON.stringify(values) !== JSON.stringify(edit.values);
  return { base: theirs, values, open: null, joinedEtag: isMore ? theirs.etag : edit.joinedEtag };
}
