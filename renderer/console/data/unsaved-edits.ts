// The edits that a person has begun and not saved. They outlive their page, so that nothing is lost by looking something up elsewhere.
import { useSyncExternalStore } from "react";

const edits = new Map<string, unknown>();
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

/** Keeps the edit of a thing; undefined: forgets it. @param id the id of the thing that is edited */
export function storeEdit(id: string, edit: unknown): void {
  if (edit === undefined) edits.delete(id);
  else edits.set(id, edit);
  notify();
}

/** The edit of a thing as its page has kept it. */
export function unsavedEdit(id: string): unknown {
  return edits.get(id);
}

/** The same, following its changes. */
export function useUnsavedEdit(id: string): unknown {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => edits.get(id),
  );
}

export function forgetEdits(): void {
  edits.clear();
  notify();
}
