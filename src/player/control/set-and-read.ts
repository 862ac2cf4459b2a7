// Sets a control of the machine, and reads back what became of it.
import type { Clock } from "../../base/clock.ts";
import type { Control } from "../machine-controls.ts";

// A sound server accepts a value before it has taken effect, and tells nobody when it has. Displays take a second.
const tries = 6;
const pauseMs = 250;

/** `read_back` null: the machine cannot tell. */
export interface Applied<T> extends Record<string, unknown> {
  asked: T;
  read_back: T | null;
}

/**
 * Resolves as soon as `value` is read back, or with another value after a second and a half.
 * @throws Fault `unsupported`, `not-applied`: see {@link Control.set}
 */
export async function setAndRead<T>(control: Control<T>, value: T, clock: Clock, signal: AbortSignal): Promise<Applied<T>> {
  await control.set(value, signal);
  let found = await control.read(signal);
  for (let tried = 1; found !== null && found !== value && tried < tries; tried += 1) {
    await clock.wait(pauseMs, signal);
    found = await control.read(signal);
  }
  return { asked: value, read_back: found };
}
