// Whether the settings of items have room beside the list.
import { useSyncExternalStore } from "react";

const query = matchMedia("(min-width: 72rem)");

export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
}
