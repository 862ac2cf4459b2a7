// Values and functions that stay the same objects, so that components that depend on them are not drawn again.
import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** The value before, for as long as the new one is equal to it. */
export function usePreviousIfEqual<T>(value: T, isEqual: (one: T, other: T) => boolean): T {
  const previous = useRef(value);
  if (!isEqual(previous.current, value)) previous.current = value;
  return previous.current;
}

/** Always the same functions. Each calls the newest one of its name, so it must not be called while something is drawn. */
export function useStableActs<A extends Record<keyof A, (...values: never[]) => unknown>>(acts: A): A {
  const newest = useRef(acts);
  useLayoutEffect(() => {
    newest.current = acts;
  });
  const [stable] = useState(() => {
    const names = Object.keys(acts) as (keyof A)[];
    return Object.fromEntries(names.map((name) => [name, (...values: never[]) => newest.current[name](...values)])) as A;
  });
  return stable;
}

/** The value once it has not changed for a while: for work that is too slow to follow each letter. */
export function useDebounced<T>(value: T, afterMs: number): T {
  const [stableValue, setStableValue] = useState(value);
  useEffect(() => {
    if (stableValue === value) return undefined;
    const timer = setTimeout(() => setStableValue(() => value), afterMs);
    return () => clearTimeout(timer);
  }, [value, stableValue, afterMs]);
  return stableValue;
}
