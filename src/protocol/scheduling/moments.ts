// The texts in which a schedule states its times: a wall time, a date, or an instant in UTC.
import { z } from "zod";

const firstUnsupported = Date.UTC(2200, 0, 1);

/** A wall time in the schedule's time zone, a date there, or with `Z` an instant. */
export const Moment = z
  .string()
  .regex(
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3}Z|Z)?|Z)?)?$/,
    "must be a wall time such as 2026-11-21T16:00, a date such as 2026-12-24, or an instant that ends in Z",
  )
  .refine((text) => parseMoment(text) !== null, "must be a date and a time that exist, from 1970 to 2199")
  .describe(
    "A wall time in the schedule's time zone, `2026-11-21T16:00` or `2026-11-21T16:00:30`; a date there, `2026-12-24`, for whole days; or an instant, `2026-11-21T16:00:00Z`",
  );

/** A calendar date. */
export const LocalDate = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, "must be a date such as 2026-12-24")
  .refine((text) => parseMoment(`${text}T00:00`) !== null, "must be a date that exists, from 1970 to 2199");

/** UTC ms of an instant, or with `isUtc: false` of a wall time. */
export interface ParsedMoment {
  at: number;
  isUtc: boolean;
}

/** Reads a moment; a date alone is the beginning of its day. Null if there is no such date or time. */
export function parseMoment(text: string): ParsedMoment | null {
  const isUtc = text.endsWith("Z");
  const at = Date.parse(isUtc ? text : isDate(text) ? `${text}T00:00Z` : `${text}Z`);
  // Date.parse accepts 31 April as 1 May.
  const exists = Number.isFinite(at) && new Date(at).toISOString().startsWith(text.slice(0, 16));
  return exists && at >= 0 && at < firstUnsupported ? { at, isUtc } : null;
}

/** True if a moment is a date alone. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text);
}
