// Converts the events of an iCalendar file into the dates of a calendar, for some years around today.
import { maxDates, type CalendarDate, type CalendarWarning } from "../../../protocol/scheduling/calendars.ts";
import { inTurns } from "../../../base/async/in-turns.ts";
import { dateText, dayOf } from "../../../schedule/calendar/day-numbers.ts";
import { createRecurrence, daysBetween } from "../../../schedule/calendar/recurrence.ts";
import { cleanEventName, readEvents, rejectIcal, type IcalEvent } from "./icalendar.ts";

/** The dates of a file, and warnings about events that were left out. */
export interface ImportedDates {
  /** In order, each day once. */
  dates: CalendarDate[];
  warnings: CalendarWarning[];
}

/** Days counted from 1970-01-01, both included. */
interface DayRange {
  first: number;
  last: number;
}

const daysBefore = 366;
const daysAfter = 5 * 366;
const maxNamesPerDay = 5;
// Days to examine for one file, which takes about a second at worst.
const maxWork = 1_000_000;
const none: ReadonlySet<number> = new Set();

/**
 * The days of the events of a file, from a year before `now` (ms since the epoch) to five years after. Events that cannot be
 * read are left out with a warning.
 * @throws ProblemError 422 if the text is not an iCalendar file, has no day in these years, or is too expensive.
 */
export async function importIcal(text: string, now: number): Promise<ImportedDates> {
  const range: DayRange = { first: dayOf(now) - daysBefore, last: dayOf(now) + daysAfter };
  const { events, skipped, skippedCount } = await readEvents(text);
  const { days, outside, repeats } = await collectDays(events, range);
  const span = `${dateText(range.first)} to ${dateText(range.last)}`;
  if (days.size === 0) {
    const why = skipped.length === 0 ? "" : ` that can be read (${skipped[0]})`;
    throw rejectIcal(`has no event${why} from ${span}: send a file with VEVENTs of these years`);
  }
  const all = [...days].toSorted(([a], [b]) => a - b).map(([day, names]) => ({ date: dateText(day), ...nameOfDay(names) }));
  const dates = all.slice(0, maxDates);
  const warnings: CalendarWarning[] = [];
  const warn = (code: CalendarWarning["code"], message: string) => warnings.push({ code, message });
  if (all.length > maxDates) warn("cut", `${all.length} dates: only the first ${maxDates} were imported, up to ${dates.at(-1)!.date}`);
  if (outside > 0) warn("outside", `${countOf(outside)} left out: no day from ${span}`);
  if (repeats > 0)
    warn("repeats", `${countOf(repeats)} recurring after ${dateText(range.last)}, the last imported day: import again before then`);
  if (skippedCount > 0) warn("skipped", `${countOf(skippedCount)} left out: ${skipped.join("; ")}`);
  return { dates, warnings };
}

/** The event names of each day, and how many events have no day in the range or recur after it. */
async function collectDays(events: readonly IcalEvent[], range: DayRange) {
  const replaced = replacedDays(events);
  const days = new Map<number, Set<string>>();
  let [outside, repeats, work] = [0, 0, 0];
  for await (const event of inTurns(events)) {
    if (event.isCancelled) continue;
    work += estimateWork(event, range);
    if (work > maxWork) throw rejectIcal("is too expensive: it has too many events that recur or last long. Export only the coming years");
    const ownReplaced = event.replacesDay === null && event.uid !== null ? (replaced.get(event.uid) ?? none) : none;
    const own = daysOf(event, range, ownReplaced);
    if (own.length === 0) outside += 1;
    else if (recursAfter(event, range)) repeats += 1;
    for (const day of own) {
      const names = days.get(day) ?? new Set();
      if (event.name !== "" && names.size < maxNamesPerDay) names.add(event.name);
      days.set(day, names);
    }
  }
  return { days, outside, repeats };
}

/** The days of occurrences that another event replaces, by UID. */
function replacedDays(events: readonly IcalEvent[]): ReadonlyMap<string, ReadonlySet<number>> {
  const replaced = new Map<string, Set<number>>();
  for (const { uid, replacesDay } of events) {
    if (uid === null || replacesDay === null) continue;
    const days = replaced.get(uid) ?? new Set();
    replaced.set(uid, days.add(replacesDay));
  }
  return replaced;
}

/** About how many days must be examined for an event. */
function estimateWork({ rule, startDay, lengthDays, extraDays }: IcalEvent, { first, last }: DayRange): number {
  const fixedDays = lengthDays + extraDays.length;
  if (rule === null) return fixedDays;
  // COUNT counts from the first occurrence.
  const span = Math.max(0, last - (rule.count === null ? Math.max(startDay, first - lengthDays) : startDay));
  // A yearly rule without weekdays examines only the months that it names; with weekdays it compares each day with each of them.
  const perDay = rule.frequency === "YEARLY" && rule.byDay.length === 0 ? 1 / 12 : Math.max(1, rule.byDay.length / 7);
  return fixedDays + span * perDay;
}

/** The days of an event in the range, each once. */
function daysOf(event: IcalEvent, { first, last }: DayRange, replaced: ReadonlySet<number>): number[] {
  const { rule, startDay, lengthDays, lastDay, extraDays, excludedDays } = event;
  const earliest = first - lengthDays + 1;
  const recurring = rule === null ? [] : daysBetween(createRecurrence(rule, startDay, Math.min(lastDay, last), none), earliest, last);
  // The first occurrence counts even if the rule does not name its day (RFC 5545, section 3.8.5.3).
  const starts = [startDay, ...recurring, ...extraDays].filter(
    (day) => day >= earliest && day <= last && !excludedDays.has(day) && !replaced.has(day),
  );
  const days: number[] = [];
  let next = first;
  for (const start of starts.toSorted((a, b) => a - b)) {
    for (next = Math.max(next, start); next < start + lengthDays && next <= last; next += 1) days.push(next);
  }
  return days;
}

function recursAfter({ rule, lastDay }: IcalEvent, { last }: DayRange): boolean {
  return rule !== null && rule.count === null && lastDay > last;
}

function nameOfDay(names: ReadonlySet<string>): { name?: string } {
  const name = cleanEventName([...names].join(", "));
  return name === "" ? {} : { name };
}

function countOf(events: number): string {
  return events === 1 ? "1 event" : `${events} events`;
}
