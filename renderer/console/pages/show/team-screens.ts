// The screens of the team, for choosing some of them by name or tag.
import { useMemo } from "react";
import { useRoster } from "../../data/roster.ts";
import type { TeamScreen } from "./target.ts";

const byName = new Intl.Collator();

/** All screens of the team by name; undefined: not known yet. */
export function useTeamScreens(): readonly TeamScreen[] | undefined {
  const { rows, isComplete } = useRoster();
  return useMemo(() => (isComplete ? rows.toSorted((a, b) => byName.compare(a.name, b.name)) : undefined), [rows, isComplete]);
}
