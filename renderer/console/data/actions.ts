// The actions that a person can take on the current page, for the search of actions. Pages add their own while they are shown.
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { IconName } from "../ui/icon-paths.ts";

export interface Action {
  /** Unique; recently used actions are remembered by it. */
  id: string;
  /** In the imperative, such as `Restart this screen`. */
  title: string;
  icon: IconName;
  /** Other words by which people look for it. */
  words?: string;
  run: () => void;
}

let groups: readonly (readonly Action[])[] = [];
let all: readonly Action[] = [];
const listeners = new Set<() => void>();

function change(next: readonly (readonly Action[])[]): void {
  groups = next;
  all = next.flat();
  for (const listener of listeners) listener();
}

/** Offers these actions as long as the component is shown. They are read when `ids` changes; `run` is always the newest. */
export function useActions(actions: readonly Action[]): void {
  const newest = useRef(actions);
  newest.current = actions;
  const ids = actions.map(({ id, title }) => `${id} ${title}`).join("\n");
  useEffect(() => {
    const own = newest.current.map((action) => ({
      ...action,
      run: () => newest.current.find(({ id }) => id === action.id)?.run(),
    }));
    change([...groups, own]);
    return () => change(groups.filter((each) => each !== own));
  }, [ids]);
}

/** The actions of the pages that are shown. */
export function usePageActions(): readonly Action[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => all,
  );
}
