// Units of time in milliseconds, and instants as text. Everything may import it, the browser too.

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** An instant in ISO 8601, UTC with milliseconds; null stays null. @throws RangeError when it is no instant. */
export function iso(at: number): string;
export function iso(at: number | null): string | null;
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
