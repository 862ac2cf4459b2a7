// Follows a media query of the window, such as `(max-width: 40rem)`.
import { useMemo, useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query]);
  return useSyncExternalStore(
    (listener) => {
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    () => list.matches,
  );
}

/** True if the window is as narrow as a phone's: there, less frequent actions are in menus. */
export function useIsPhone(): boolean {
  return useMedia("(max-width: 40rem)");
}
