// A schedule while a person changes it, together with others.
import { useMergedEdit, type Merging } from "../../../data/use-merged-edit.ts";
import { texts } from "../../../i18n/texts.ts";
import { showToast } from "../../../ui/toasts.tsx";
import type { VersionedSchedule } from "../data.ts";
import { valuesOf, type Values } from "../model/form.ts";
import { mergeValues, withParts, type Part } from "../model/merge.ts";

const text = texts("schedules");

const merging: Merging<VersionedSchedule, Values, Part> = {
  valuesOf: ({ schedule }) => valuesOf(schedule),
  merge: (base, values, theirs) => mergeValues(valuesOf(base.schedule), values, valuesOf(theirs.schedule)),
  withTheirs: (values, parts, { schedule }) => withParts(values, parts, valuesOf(schedule)),
  onMerge: () => showToast({ message: text("merged") }),
};

/** @param newest as it is stored now */
export const useScheduleEdit = (newest: VersionedSchedule) => useMergedEdit(newest, merging);
