// The opening hours of a display: when it is on, evaluated by the player, so that a screen turns off at night without network.
import { z } from "zod";
import { id } from "../common.ts";
import { Opening, validateOpening } from "../scheduling/opening-hours.ts";

/** Hours for the dates of a calendar, such as public holidays. */
const Exception = z.strictObject({
  calendar_id: id("cal"),
  open: z.array(Opening).max(50).describe("When the display is on on these dates; empty: it stays off all day"),
});

const fields = {
  open: z
    .array(Opening)
    .max(50)
    .describe("When the display is on, in the player's time zone. Openings that touch or overlap are one; empty: never on"),
  exceptions: z
    .array(Exception)
    .max(20)
    .default([])
    .describe(
      "Dates with other hours. An opening counts by the day on which it begins; of several exceptions for a date the first applies",
    ),
};

export const DisplayHours = z.object(fields).meta({ id: "DisplayHours" });
export type DisplayHours = z.infer<typeof DisplayHours>;

/** Opening hours as operators set them. */
export const DisplayHoursInput = z
  .strictObject(fields)
  .superRefine(({ open, exceptions }, context) => {
    const check = (openings: readonly Opening[], path: (string | number)[]): void => {
      for (const [index, each] of openings.entries()) {
        for (const { pointer, detail } of validateOpening(each, "")) {
          context.addIssue({ code: "custom", path: [...path, index, pointer.slice(1)], message: detail });
        }
      }
    };
    check(open, ["open"]);
    for (const [index, { open: openings }] of exceptions.entries()) check(openings, ["exceptions", index, "open"]);
  })
  .meta({ id: "DisplayHoursInput" });
