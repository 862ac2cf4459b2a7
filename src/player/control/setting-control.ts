// Sets one setting of the machine, and reads it back. A value that did not take effect is a failure.
import { Fault } from "../../base/fault.ts";
import type { DisplayMode } from "../../protocol/device/display-commands.ts";
import type { Control } from "../machine-controls.ts";

/** The requested value, and the value that was read back; null: the machine cannot tell. */
export interface Applied<T> {
  asked: T;
  read_back: T | null;
}

/** True if the value that was read back counts as the requested one. */
export type IsSame<T> = (read: T, asked: T) => boolean;

/** Hardware has steps, such as 15 levels of a backlight. */
export const isSamePercent: IsSame<number> = (read, asked) => Math.abs(read - asked) <= 4;
export const isEqual = <T>(read: T, asked: T): boolean => read === asked;
/** The preferred mode (null) may be any. */
export const isSameMode: IsSame<DisplayMode | null> = (read, asked) =>
  asked === null ||
  (read?.width === asked.width &&
    read.height === asked.height &&
    (asked.refresh_hz === undefined || read.refresh_hz === undefined || Math.abs(read.refresh_hz - asked.refresh_hz) <= 0.5));

/** @throws Fault `not-applied` if the machine tells that it has another value since. */
export async function setAndRead<T>(control: Control<T>, asked: T, isSame: IsSame<T>, signal: AbortSignal): Promise<Applied<T>> {
  await control.set(asked, signal);
  const read_back = await control.read(signal);
  if (read_back !== null && !isSame(read_back, asked)) {
    throw new Fault("not-applied", `${control.by} accepted ${textOf(asked)}, but the display still has ${textOf(read_back)}`);
  }
  return { asked, read_back };
}

/**
 * Like {@link setAndRead}, for settings with which the screen may be dark: if nothing can be read back any more, or something
 * else than was asked for, the value from before is set again.
 */
export async function setOrReturn<T>(
  control: Control<T>,
  asked: T,
  isSame: IsSame<T>,
  fallback: T,
  signal: AbortSignal,
): Promise<Applied<T>> {
  const before = await control.read(signal);
  try {
    const applied = await setAndRead(control, asked, isSame, signal);
    if (before === null || applied.read_back !== null) return applied;
    throw new Fault("not-applied", `since ${control.by} set ${textOf(asked)}, no display tells that it has a picture`);
  } catch (error) {
    // A value that the display does not have was not set.
    if (!(error instanceof Fault && error.code === "unsupported")) await returnTo(control, before ?? fallback, error);
    throw error;
  }
}

/** Also after the command was aborted: the screen must not stay dark. @throws Fault `not-applied` if that fails too. */
async function returnTo<T>(control: Control<T>, value: T, cause: unknown): Promise<void> {
  try {
    await control.set(value, new AbortController().signal);
  } catch {
    throw new Fault("not-applied", `${control.by} can neither set what was asked for nor ${textOf(value)} again`, { cause });
  }
}

function textOf(value: unknown): string {
  if (value === null) return "the preferred mode";
  if (typeof value !== "object") return `${value as string | number}`;
  const { width, height, refresh_hz } = value as DisplayMode;
  return `${width}x${height}${refresh_hz === undefined ? "" : `@${refresh_hz}`}`;
}
