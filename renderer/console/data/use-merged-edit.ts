// A resource while a person changes it. Changes that somebody else saves meanwhile become part of the form; contradictions are asked about.
import { useEffect, useState } from "react";

/** How the versions and the form of one kind of resource belong together. */
export interface Merging<Version extends { etag: string }, Values, Part> {
  /** The form of a stored version. */
  valuesOf: (version: Version) => Values;
  /** The form with the differences between `base` and `theirs`, and the parts that both changed differently. */
  merge: (base: Version, mine: Values, theirs: Version) => { values: Values; contradictions: readonly Part[] };
  /** `values` with these parts as they are in `theirs`. */
  withTheirs: (values: Values, parts: readonly Part[], theirs: Version) => Values;
  /** Called when the changes of somebody else have become part of the form. */
  onMerge: () => void;
}

interface Edit<Version, Values, Part> {
  /** The version that the values were made from. */
  base: Version;
  values: Values;
  /** A newer version that contradicts the values, and the parts in which it does. */
  open: { theirs: Version; contradictions: readonly Part[] } | null;
  /** The version of somebody else whose changes became part of the values; null: none did. */
  mergedEtag: string | null;
}

export interface MergedEdit<Version, Values, Part> {
  values: Values;
  base: Version;
  /** The parts that somebody else has changed differently: until the person decides, nothing is saved. */
  contradictions: readonly Part[];
  edit: (values: Values) => void;
  /** Decides all contradictions. */
  choose: (whose: "mine" | "theirs") => void;
  /** The values are saved, or given up. */
  reset: () => void;
}

/**
 * @param newest as it is stored now
 * @param merging the same object in every call
 */
export function useMergedEdit<Version extends { etag: string }, Values, Part>(
  newest: Version,
  merging: Merging<Version, Values, Part>,
): MergedEdit<Version, Values, Part> {
  const [edit, setEdit] = useState<Edit<Version, Values, Part> | null>(null);
  const latest = edit?.open?.theirs ?? edit?.base;
  if (edit !== null && latest?.etag !== newest.etag) setEdit(rebase(edit, newest, merging));
  const joinedEtag = edit?.mergedEtag ?? null;
  useEffect(() => {
    if (joinedEtag !== null) merging.onMerge();
  }, [joinedEtag, merging]);
  return {
    values: edit?.values ?? merging.valuesOf(newest),
    base: edit?.base ?? newest,
    contradictions: edit?.open?.contradictions ?? [],
    edit: (values) => setEdit(edit === null ? { base: newest, values, open: null, mergedEtag: null } : { ...edit, values }),
    choose: (whose) => {
      if (edit === null || edit.open === null) return;
      const { theirs, contradictions } = edit.open;
      const { values } = merging.merge(edit.base, edit.values, theirs);
      const resolution = whose === "mine" ? values : merging.withTheirs(values, contradictions, theirs);
      setEdit({ ...edit, base: theirs, values: resolution, open: null });
    },
    reset: () => setEdit(null),
  };
}

function rebase<Version extends { etag: string }, Values, Part>(
  edit: Edit<Version, Values, Part>,
  theirs: Version,
  { merge }: Merging<Version, Values, Part>,
): Edit<Version, Values, Part> {
  const { values, contradictions } = merge(edit.base, edit.values, theirs);
  if (contradictions.length > 0) return { ...edit, open: { theirs, contradictions } };
  const isMore = JSON.stringify(values) !== JSON.stringify(edit.values);
  return { base: theirs, values, open: null, mergedEtag: isMore ? theirs.etag : edit.mergedEtag };
}
