// Recurrences in words, with their times.
import { expect, test } from "vitest";
import { whenInWords } from "../../../renderer/console/pages/schedules/calendar/schedule-list.tsx";
import { valuesOf, type Schedule } from "../../../renderer/console/pages/schedules/model/form.ts";
import { repeatInWords, timesInWords } from "../../../renderer/console/pages/schedules/model/repeat-words.ts";

/** A schedule in the form's words, without the words' narrow spaces. */
function wordsOf(starts_at: string, ends_at: string | null, rrule: string | null): string {
  const schedule = { name: "S", layout_id: "lay_0", starts_at, ends_at, rrule, exdates: [], conditions: [], timezone: null, priority: 0 };
  return plain(
    whenInWords({ ...schedule, enabled: true, interrupt: null, loop_from: "epoch", target: { type: "team" } } as unknown as Schedule),
  );
}

function plain(words: string): string {
  return words.replaceAll(/[\u00a0\u202f]/g, " ");
}

test("[CSD19] a recurrence in words has its days, its times and its end, in this order", () => {
  expect(wordsOf("2026-11-24T11:00", "2026-11-24T14:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=20270331")).toMatch(
    /^Every second Tuesday, 11:00(?: AM)? to (?:14:00|2:00 PM), until .*2027$/,
  );
  expect(wordsOf("2026-11-24T11:00", "2026-11-24T14:00", "FREQ=DAILY;COUNT=7")).toMatch(
    /^Every day, 11:00(?: AM)? to (?:14:00|2:00 PM), 7 times$/,
  );
  expect(wordsOf("2026-11-24", "2026-11-24", "FREQ=MONTHLY;BYDAY=-1FR")).toBe("Each month on the last Friday, all day");
  expect(wordsOf("2026-11-24", "2026-11-26", "FREQ=YEARLY;UNTIL=20300101")).toMatch(/^Every year on .*, for 3 days, until .*2030$/);
});

test("[CSD19] a window that ends on another day says so, unless it ends in the night", () => {
  const times = { isAllDay: false, hasEnd: true, startDate: "2026-11-24", endDate: "2026-11-25", startTime: "22:00", endTime: "02:00" };
  expect(plain(timesInWords(times))).toMatch(/^(?:22:00|10:00 PM) to (?:02:00|2:00 AM)$/);
  expect(plain(timesInWords({ ...times, endTime: "23:00" }))).toMatch(/ to (?:23:00|11:00 PM) the next day$/);
  expect(plain(timesInWords({ ...times, endDate: "2026-11-27" }))).toMatch(/ to (?:02:00|2:00 AM) 3 days later$/);
  expect(plain(timesInWords({ ...times, hasEnd: false }))).toMatch(/^from (?:22:00|10:00 PM) on$/);
  // While a person types, a time may be missing.
  const repeat = { unit: "day", every: 1, end: { is: "never" } } as const;
  expect(repeatInWords(repeat, "2026-11-24", { ...times, startTime: "" })).toBe("Every day");
});

test("[CSD19] the words of the form are those of the list", () => {
  const schedule = {
    starts_at: "2026-11-24T11:00",
    ends_at: "2026-11-24T14:00",
    rrule: "FREQ=DAILY",
    exdates: [],
    target: { type: "team" },
  };
  const values = valuesOf({ ...schedule, name: "S", conditions: [], interrupt: null } as unknown as Schedule);
  if (values.recurrence.is !== "repeat") throw new Error("the rule is read as a recurrence");
  expect(repeatInWords(values.recurrence.repeat, values.startDate, values)).toBe(whenInWords(schedule as unknown as Schedule));
});
