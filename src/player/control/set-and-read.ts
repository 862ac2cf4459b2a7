// Sets a sound control, and reads back the result, which takes a moment.
import type { Clock } from "../../base/clock.ts";
import type { Control } from "../machine-controls.ts";
import type { Applied } from "./setting-control.ts";

// A sound server accepts a value before it has taken effect, and tells nobody when it has. Displays take a second.
const tries = 6;
const pauseMs = 250;

/**
 * Resolves as soon as `value` is read back, or with another value after a second and a half.
 * @throws Fault `unsupported`, `not-applied`: see {@link Control.set}
 */
export async function setAndWait<T>(control: Control<T>, value: T, clock: Clock, signal: AbortSignal): Promise<Applied<T>> {
  await control.set(value, signal);
  let found = await control.read(signal);
  for (let tried = 1; found !== null && found !== value && tried < tries; tried += 1) {
    await clock.wait(pauseMs, signal);
    found = await control.read(signal);
  }
  return { asked: value, read_back: found };
}
