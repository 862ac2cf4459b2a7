// The present time for components that show ages, all updated together.
import { useSyncExternalStore } from "react";

const everyMs = 10_000;
const listeners = new Set<() => void>();
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = new Date();
    for (const each of listeners) each();
  }, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present time, renewed every ten seconds while a component uses it. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, () => now);
}
