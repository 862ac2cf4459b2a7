// An opening: a time span of the day on some weekdays. One opening is a daypart, several are opening hours.
import { z } from "zod";

/** The weekdays as RFC 5545 abbreviates them, Monday first. */
export const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

const TimeOfDay = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$/, "must be a time of day from 00:00 to 24:00");

/** The fields of an opening. */
export const opening = {
  weekdays: z
    .array(z.enum(weekdays))
    .min(1)
    .max(7)
    .optional()
    .describe("The weekdays on which it begins, even if it lasts past midnight. Default: every day"),
  from: TimeOfDay.default("00:00"),
  until: TimeOfDay.default("24:00").describe("If it is not after `from`, it is a time of the next day"),
};
export const Opening = z.strictObject(opening).meta({ id: "Opening" });
export type Opening = z.infer<typeof Opening>;

/** The faults of an opening: an RFC 6901 pointer below `pointer`, and the remedy. */
export function validateOpening({ from, until }: Opening, pointer: string): { pointer: string; detail: string }[] {
  if (until === from) return [{ pointer: `${pointer}/until`, detail: "must differ from `from`: for the whole day omit both" }];
  if (from === "24:00") return [{ pointer: `${pointer}/from`, detail: "must be before 24:00: use 00:00 of the next day" }];
  return [];
}
