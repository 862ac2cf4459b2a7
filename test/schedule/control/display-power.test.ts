// Opening hours of a display against a plain model, a whole year minute by minute, and who decides: hours, people, overrides.
import { expect, test } from "vitest";
import { DisplayHours } from "../../../src/protocol/device/display-hours.ts";
import type { Override } from "../../../src/schedule/interventions.ts";
import type { HoursOnClock } from "../../../src/schedule/control/display-hours.ts";
import { askedPowerAt, type PowerInputs } from "../../../src/schedule/control/display-power.ts";
import { timeZoneRules } from "../../../src/schedule/calendar/time-zone.ts";
import { newId } from "../../support/states.ts";
import { dateOf, midnightOf, minuteMs, minutes, minutesOf, perDay, weekdayOf, zones } from "./wall-clocks.ts";

const at = (text: string): number => Date.parse(text);
const hour = 3_600_000;
const holidays = newId("cal");
const fair = newId("cal");
/** Dates around both clock changes of all zones, the turn of the year, and days that follow each other. */
const calendars = new Map([
  [
    holidays,
    [
      "2026-01-01",
      "2026-03-08",
      "2026-03-29",
      "2026-04-05",
      "2026-10-04",
      "2026-10-25",
      "2026-11-01",
      "2026-12-25",
      "2026-12-26",
      "2026-12-31",
    ],
  ],
  [fair, ["2026-05-01", "2026-05-02", "2026-05-03", "2026-12-26", "2027-01-01"]],
]);

const shop = DisplayHours.parse({
  open: [
    { weekdays: ["MO", "TU", "WE", "TH", "FR"], from: "08:00", until: "20:00" },
    { weekdays: ["SA"], from: "10:00", until: "16:00" },
  ],
  exceptions: [
    { calendar_id: fair, open: [{ from: "09:00", until: "22:00" }] },
    { calendar_id: holidays, open: [] },
  ],
});
const bar = DisplayHours.parse({
  open: [
    { weekdays: ["TH", "FR", "SA", "SU"], from: "22:00", until: "02:30" },
    { from: "18:00", until: "22:00" },
    { weekdays: ["SU"], from: "02:30", until: "03:00" },
  ],
  exceptions: [{ calendar_id: holidays, open: [{ from: "21:30", until: "03:15" }] }],
});
const nearlyAlways = DisplayHours.parse({ open: [{}], exceptions: [{ calendar_id: holidays, open: [{ from: "02:10", until: "02:10" }] }] });
const oneDay = DisplayHours.parse({ open: [], exceptions: [{ calendar_id: fair, open: [{ from: "12:00" }] }] });

function on(hours: DisplayHours, zone = "Europe/Berlin"): HoursOnClock {
  return { hours, calendars, clock: timeZoneRules(zone)! };
}

function inputs(fields: Partial<PowerInputs>): PowerInputs {
  return { hours: null, byHand: null, interventions: [], ...fields };
}

function override(from: string, until: string | null, level: Override["level"] = "normal"): Override {
  const id = newId("cmd");
  return { is: "override", id, at: at(from), until: until === null ? null : at(until), level, show: { layoutId: newId("lay") } };
}

function summary(fields: Partial<PowerInputs>, instant: string): string {
  const { asked, reason, until } = askedPowerAt(inputs(fields), at(instant));
  return `${asked} ${reason} ${until === null ? null : new Date(until).toISOString().slice(5, 16)}`;
}

/** Whether the display is open when the clock has reached a wall time, by reading the hours as a person does. */
function isOpen(openingsOn: (midnight: number) => readonly Opening[], reached: number): boolean {
  const midnight = midnightOf(reached);
  const isIn = ({ start, end }: Opening): boolean => start <= reached && reached < end;
  return openingsOn(midnight).some(isIn) || openingsOn(midnight - 24 * hour).some(isIn);
}

/** A time in which the display is open, in wall times. */
interface Opening {
  start: number;
  end: number;
}

/** The openings that begin on a day. */
function openingsOf({ open, exceptions }: DisplayHours): (midnight: number) => readonly Opening[] {
  return perDay((midnight) => {
    const exception = exceptions.find(({ calendar_id }) => calendars.get(calendar_id)!.includes(dateOf(midnight)));
    return (exception?.open ?? open).flatMap(({ weekdays, from, until }) => {
      if (weekdays !== undefined && !(weekdays as string[]).includes(weekdayOf(midnight))) return [];
      const length = minutesOf(until) + (minutesOf(until) <= minutesOf(from) ? 24 * 60 : 0);
      return [{ start: midnight + minutesOf(from) * minuteMs, end: midnight + length * minuteMs }];
    });
  });
}

test.each([
  ["a shop", shop],
  ["a bar", bar],
  ["a display that is on nearly always", nearlyAlways],
  ["a display that is on for some days", oneDay],
])("[DHR1] the hours of %s hold minute by minute over a year, in zones with both clock changes, half an hour, and none", (_, hours) => {
  const openingsOn = openingsOf(hours);
  for (const zone of zones) {
    const power = inputs({ hours: on(hours, zone) });
    let current = { ...askedPowerAt(power, at("2026-01-01T00:00Z")), checks: 0 };
    for (const { at: instant, reached } of minutes(zone, at("2026-01-01T00:00Z"), at("2027-01-01T12:00Z"))) {
      // As the player does: it decides again at the instant that the last decision names, and at odd times in between.
      if ((current.until !== null && instant >= current.until) || instant % (487 * minuteMs) === 0) {
        current = { ...askedPowerAt(power, instant), checks: current.checks + 1 };
        if (current.until !== null && current.until <= instant) throw new Error(`${zone}: no change in the future at ${instant}`);
      }
      if ((current.asked === "on") !== isOpen(openingsOn, reached)) {
        throw new Error(`${zone} ${new Date(instant).toISOString()}: asked ${current.asked}, but the hours say otherwise`);
      }
    }
    expect(current.checks).toBeGreaterThan(100);
  }
});

test("[DHR2] an exception counts by the day on which an opening begins, the first one for a date applies, and an unknown calendar has no dates", () => {
  const night = DisplayHours.parse({
    open: [{ from: "22:00", until: "02:00" }],
    exceptions: [
      { calendar_id: newId("cal"), open: [{}] },
      { calendar_id: fair, open: [{ from: "12:00", until: "13:00" }] },
      { calendar_id: holidays, open: [] },
    ],
  });
  const hours = on(night, "UTC");
  // The night of the 24th lasts into the holiday; that of the holiday itself does not begin.
  expect(summary({ hours }, "2026-12-24T23:00Z")).toBe("on hours 12-25T02:00");
  expect(summary({ hours }, "2026-12-25T03:00Z")).toBe("off hours 12-26T12:00");
  // The 26th is in both calendars: the first exception applies.
  expect(summary({ hours }, "2026-12-26T12:30Z")).toBe("on hours 12-26T13:00");
  expect(summary({ hours }, "2026-12-26T13:00Z")).toBe("off hours 12-27T22:00");
});

test("[DHR3] openings that touch are one, also at midnight, at an exception, and where a clock change removes the time between", () => {
  const days = DisplayHours.parse({
    open: [{ weekdays: ["WE", "TH", "FR"] }],
    exceptions: [{ calendar_id: holidays, open: [{ from: "00:00", until: "10:00" }] }],
  });
  // From Wednesday the 23rd on, through the midnight before the holiday on Friday the 25th.
  expect(summary({ hours: on(days, "UTC") }, "2026-12-23T00:00Z")).toBe("on hours 12-25T10:00");
  const around = DisplayHours.parse({
    open: [
      { from: "01:00", until: "02:10" },
      { from: "02:50", until: "05:00" },
    ],
  });
  expect(summary({ hours: on(around) }, "2026-03-29T00:30Z")).toBe("on hours 03-29T03:00");
  expect(summary({ hours: on(DisplayHours.parse({ open: [{}] })) }, "2026-03-29T00:30Z")).toBe("on hours null");
  expect(summary({ hours: on(DisplayHours.parse({ open: [] })) }, "2026-03-29T00:30Z")).toBe("off hours null");
});

test("[DHR4] without opening hours and a command by hand nothing is asked of the display, not even by an override", () => {
  expect(summary({}, "2026-06-01T12:00Z")).toBe("null null null");
  expect(summary({ interventions: [override("2026-06-01T11:00Z", null, "emergency")] }, "2026-06-01T12:00Z")).toBe("null null null");
});

test("[DHR5] power by hand lasts as long as the command says, else until the hours begin or end next, else until the next command", () => {
  const byHand = { value: "off", at: at("2026-06-01T10:00Z"), until: null } as const;
  // Monday: the shop closes at 20:00 in Berlin.
  expect(summary({ hours: on(shop), byHand }, "2026-06-01T12:00Z")).toBe("off command 06-01T18:00");
  expect(summary({ hours: on(shop), byHand: { ...byHand, value: "on" } }, "2026-06-01T18:00Z")).toBe("off hours 06-02T06:00");
  expect(summary({ hours: on(shop), byHand: { ...byHand, until: at("2026-06-01T12:30Z") } }, "2026-06-01T12:00Z")).toBe(
    "off command 06-01T12:30",
  );
  // A duration is not cut by the hours: it holds for three days.
  expect(summary({ hours: on(shop), byHand: { ...byHand, until: at("2026-06-04T10:00Z") } }, "2026-06-02T12:00Z")).toBe(
    "off command 06-04T10:00",
  );
  expect(summary({ byHand }, "2027-06-01T12:00Z")).toBe("off command null");
  expect(summary({ byHand: { ...byHand, until: at("2026-06-01T10:01Z") } }, "2026-06-01T10:01Z")).toBe("null null null");
  // A display that is always on has no next change.
  expect(summary({ hours: on(DisplayHours.parse({ open: [{}] })), byHand }, "2026-09-01T12:00Z")).toBe("off command null");
});

test("[DHR6] an override wakes the display until it ends, and an emergency also one that was switched off by hand", () => {
  const night = "2026-06-01T23:00Z";
  const normal = override("2026-06-01T22:00Z", "2026-06-01T23:30Z");
  const emergency = override("2026-06-01T22:30Z", "2026-06-02T00:30Z", "emergency");
  const byHand = { value: "off", at: at("2026-06-01T20:00Z"), until: at("2026-06-02T01:00Z") } as const;
  expect(summary({ hours: on(shop), interventions: [normal] }, night)).toBe("on override 06-01T23:30");
  expect(summary({ hours: on(shop), interventions: [normal, emergency] }, night)).toBe("on emergency 06-02T00:30");
  expect(summary({ hours: on(shop), interventions: [normal], byHand }, night)).toBe("off command 06-02T01:00");
  expect(summary({ hours: on(shop), interventions: [normal, emergency], byHand }, night)).toBe("on emergency 06-02T00:30");
  expect(summary({ hours: on(shop), interventions: [normal, emergency], byHand }, "2026-06-02T00:30Z")).toBe("off command 06-02T01:00");
  // Revoked: it is over.
  expect(summary({ hours: on(shop), interventions: [{ ...normal, until: at(night) }] }, night)).toBe("off hours 06-02T06:00");
  // Without an end it holds over the hours of the next days.
  expect(summary({ hours: on(shop), interventions: [override(night, null)] }, "2026-06-05T12:00Z")).toBe("on override null");
});

test("[DHR7] the next change is the first instant at which the display or the reason changes, also where several inputs change at once", () => {
  // The override ends at the instant at which the shop opens, and another begins where the first ends.
  const first = override("2026-06-01T22:00Z", "2026-06-02T04:00Z");
  const second = override("2026-06-02T04:00Z", "2026-06-02T06:00Z");
  expect(summary({ hours: on(shop), interventions: [first, second] }, "2026-06-01T23:00Z")).toBe("on override 06-02T06:00");
  expect(summary({ hours: on(shop), interventions: [first, second] }, "2026-06-02T06:00Z")).toBe("on hours 06-02T18:00");
  // Two openings end and begin at the same instant.
  const shifts = DisplayHours.parse({
    open: [
      { from: "06:00", until: "14:00" },
      { from: "14:00", until: "22:00" },
      { from: "21:00", until: "22:00" },
    ],
  });
  expect(summary({ hours: on(shifts, "UTC") }, "2026-06-01T07:00Z")).toBe("on hours 06-01T22:00");
});
