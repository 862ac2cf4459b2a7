// Asks from any page to show something: a file that was dropped onto a screen, or that was chosen in the library.
import { useSyncExternalStore } from "react";
import type { Asset } from "./assets.ts";

/** The content to show and its screens; each may still be undecided. */
export interface ShowRequest {
  asset?: Asset;
  players?: readonly string[];
  tags?: readonly string[];
}

const listeners = new Set<() => void>();
let current: ShowRequest | null = null;

/** Opens the dialog that shows something; null closes it. */
export function requestShow(request: ShowRequest | null): void {
  current = request;
  for (const listener of listeners) listener();
}

/** The dialog that is asked for; null: none. */
export function useShowRequest(): ShowRequest | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
