// When recurring commands run, against a plain model that reads the clock minute by minute for a year.
import { expect, test } from "vitest";
import { nextRun, runsBetween, type Recurrence } from "../../../src/schedule/control/recurring.ts";
import { timeZoneRules } from "../../../src/schedule/calendar/time-zone.ts";
import { newId } from "../../support/states.ts";
import { dateOf, midnightOf, minuteMs, minutes, minutesOf, perDay, weekdayOf, zones } from "./wall-clocks.ts";

const at = (text: string): number => Date.parse(text);
const dayMs = 86_400_000;
const holidays = newId("cal");
const calendars = new Map([[holidays, ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2026-12-25"]]]);

const recurrences: Recurrence[] = [
  { at: ["03:30"] },
  { at: ["01:45", "02:00", "02:10", "02:30", "23:59", "00:00"] },
  { at: ["02:15", "08:00"], weekdays: ["SU"] },
  { at: ["02:15"], calendar: { calendar_id: holidays, is_listed: true } },
  { at: ["06:00", "02:15"], weekdays: ["SA", "SU"], calendar: { calendar_id: holidays, is_listed: false } },
];

/** The wall times of the runs of a day. */
function runsOf({ at: times, weekdays, calendar }: Recurrence): (midnight: number) => readonly number[] {
  return perDay((midnight) => {
    if (weekdays !== undefined && !(weekdays as string[]).includes(weekdayOf(midnight))) return [];
    if (calendar !== undefined && calendars.get(holidays)!.includes(dateOf(midnight)) !== calendar.is_listed) return [];
    return times.map((time) => midnight + minutesOf(time) * minuteMs);
  });
}

/** Whether a run is due in the minute in which the clock reached these times. */
function isDue(runsOn: (midnight: number) => readonly number[], before: number, reached: number): boolean {
  const midnight = midnightOf(reached);
  const isReached = (wall: number): boolean => wall > before && wall <= reached;
  return runsOn(midnight).some(isReached) || runsOn(midnight - dayMs).some(isReached);
}

test("[RCM1] a recurring command runs exactly once at each of its times over a year, right after a clock change that skips it", () => {
  const runs = recurrences.map(runsOf);
  for (const zone of zones) {
    const clock = timeZoneRules(zone)!;
    const [from, to] = [at("2026-01-01T00:00Z"), at("2027-01-01T00:00Z")];
    const due = recurrences.map((): number[] => []);
    for (const { at: instant, before, reached } of minutes(zone, from + minuteMs, to + minuteMs)) {
      for (const [index, runsOn] of runs.entries()) if (isDue(runsOn, before, reached)) due[index]!.push(instant);
    }
    for (const [index, recurrence] of recurrences.entries()) {
      const expected = due[index]!;
      expect(runsBetween(recurrence, { clock, calendars }, from, to)).toEqual(expected);
      // As the player asks: for one stretch of time after the other.
      const stretches: number[] = [];
      for (let start = from; start < to; start += 25 * 3_600_000 + 60_000) {
        stretches.push(...runsBetween(recurrence, { clock, calendars }, start, Math.min(to, start + 25 * 3_600_000 + 60_000)));
      }
      expect(stretches).toEqual(expected);
      // And by waiting for each next run.
      const waited: number[] = [];
      for (let next = nextRun(recurrence, { clock, calendars }, from); next !== null && next <= to;) {
        waited.push(next);
        next = nextRun(recurrence, { clock, calendars }, next);
      }
      expect(waited).toEqual(expected);
    }
  }
});

test("[RCM2] a command on the dates of an unknown calendar never runs, and except on them always", () => {
  const on = { clock: timeZoneRules("Europe/Berlin")!, calendars: new Map() };
  const from = at("2026-06-01T00:00Z");
  expect(nextRun({ at: ["04:00"], calendar: { calendar_id: holidays, is_listed: true } }, on, from)).toBeNull();
  expect(nextRun({ at: ["04:00"], calendar: { calendar_id: holidays, is_listed: false } }, on, from)).toBe(at("2026-06-01T02:00Z"));
});
