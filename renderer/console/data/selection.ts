// The screens that a person has selected for one action on all of them. It outlives pages of results and changes of filters.
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let selection: ReadonlySet<string> = new Set();

function change(next: ReadonlySet<string>): void {
  selection = next;
  for (const listener of listeners) listener();
}

/** Selects these players, or takes them out of the selection. */
export function select(playerIds: Iterable<string>, isSelected = true): void {
  const next = new Set(selection);
  for (const id of playerIds) {
    if (isSelected) next.add(id);
    else next.delete(id);
  }
  change(next);
}

/** Selects nothing. */
export function clearSelection(): void {
  if (selection.size > 0) change(new Set());
}

/** The ids of the selected players. */
export function useSelection(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => selection,
  );
}
