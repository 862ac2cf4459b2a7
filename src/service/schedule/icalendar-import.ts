// Makes the dates of a calendar from the events of an iCalendar file, those of some years around today.
import { maxDates, type CalendarDate, type CalendarWarning } from "../../protocol/scheduling/calendars.ts";
import { createRecurrence, dayOf, daysBetween } from "../../schedule/calendar/recurrence.ts";
import { cleanEventName, readEvents, rejectIcal, type IcalEvent } from "./icalendar.ts";

/** What an import brings. */
export interface ImportedDates {
  /** In order, each day once. */
  dates: CalendarDate[];
  warnings: CalendarWarning[];
}

/** Days counted from 1970-01-01, both included. */
interface Range {
  first: number;
  last: number;
}

const dayMs = 86_400_000;
const daysBefore = 366;
const daysAfter = 5 * 366;
const maxNamesOfADay = 5;
const maxNamed = 5;
// Days that are looked at for one file, which takes about a second at worst.
const maxWork = 1_000_000;
const none: ReadonlySet<number> = new Set();

/**
 * The days that the events of a file touch, from a year before `now` (ms since the epoch) to five years after. Events that
 * cannot be read are left out, and a warning says so.
 * @throws Refusal 422 when the text is no iCalendar file, has no day in these years, or asks for too much.
 */
export function importIcal(text: string, now: number): ImportedDates {
  const range = { first: dayOf(now) - daysBefore, last: dayOf(now) + daysAfter };
  const { events, skipped } = readEvents(text);
  const { days, outside, repeats } = gather(events, range);
  const span = `${dateOf(range.first)} to ${dateOf(range.last)}`;
  if (days.size === 0) {
    const why = skipped.length === 0 ? "" : ` that can be read (${skipped[0]})`;
    throw rejectIcal(`holds no event${why} from ${span}: send a file with VEVENTs of these years`);
  }
  const all = [...days].toSorted(([a], [b]) => a - b).map(([day, names]) => ({ date: dateOf(day), ...named(names) }));
  const dates = all.slice(0, maxDates);
  const warnings: CalendarWarning[] = [];
  if (all.length > maxDates) {
    warnings.push({ code: "cut", message: `${all.length} dates: the first ${maxDates} are taken, up to ${dates.at(-1)!.date}` });
  }
  if (outside > 0) warnings.push({ code: "outside", message: `${many(outside)} left out, without a day from ${span}` });
  if (repeats > 0) {
    const until = dateOf(range.last);
    warnings.push({
      code: "repeats",
      message: `${many(repeats)} going on after ${until}, up to which dates are taken: import again before then`,
    });
  }
  if (skipped.length > 0) {
    warnings.push({ code: "skipped", message: `${many(skipped.length)} left out: ${skipped.slice(0, maxNamed).join("; ")}` });
  }
  return { dates, warnings };
}

/** The names of each day, and how many events have no day in the range or go on after it. */
function gather(events: readonly IcalEvent[], range: Range) {
  const replaced = replacedBy(events);
  const days = new Map<number, Set<string>>();
  let [outside, repeats, work] = [0, 0, 0];
  for (const event of events) {
    if (event.isCancelled) continue;
    work += workOf(event, range);
    if (work > maxWork)
      throw rejectIcal("asks for too much: it holds too many events that repeat or last long. Export only the coming years");
    const isReplaced = event.replacesDay === null && event.uid !== null ? (replaced.get(event.uid) ?? none) : none;
    const own = daysOf(event, range, isReplaced);
    if (own.length === 0) outside += 1;
    else if (goesOn(event, range)) repeats += 1;
    for (const day of own) {
      const names = days.get(day) ?? new Set();
      if (event.name !== "" && names.size < maxNamesOfADay) names.add(event.name);
      days.set(day, names);
    }
  }
  return { days, outside, repeats };
}

/** The days of occurrences that have an event of their own, by UID. */
function replacedBy(events: readonly IcalEvent[]): ReadonlyMap<string, ReadonlySet<number>> {
  const replaced = new Map<string, Set<number>>();
  for (const { uid, replacesDay: insteadOf } of events) {
    if (uid === null || insteadOf === null) continue;
    const days = replaced.get(uid) ?? new Set();
    replaced.set(uid, days.add(insteadOf));
  }
  return replaced;
}

/** How many days are looked at for an event, about. */
function workOf({ rule, startDay, lengthDays: length, extraDays: more }: IcalEvent, { first, last }: Range): number {
  if (rule === null) return length + more.length;
  // What is counted is counted from its beginning.
  const span = Math.max(0, last - (rule.count === null ? Math.max(startDay, first - length) : startDay));
  // Of a yearly rule without weekdays only the months that it names are looked at; with them each day is held against each.
  const each = rule.frequency === "YEARLY" && rule.byDay.length === 0 ? 1 / 12 : Math.max(1, rule.byDay.length / 7);
  return length + more.length + span * each;
}

/** The days in the range that an event touches, each once. */
function daysOf(event: IcalEvent, { first, last }: Range, replaced: ReadonlySet<number>): number[] {
  const { rule, startDay, lengthDays: length, lastDay, extraDays: more, excludedDays: except } = event;
  const earliest = first - length + 1;
  const repeated = rule === null ? [] : daysBetween(createRecurrence(rule, startDay, Math.min(lastDay, last), none), earliest, last);
  // The first occurrence counts also where the rule does not name its day (RFC 5545, section 3.8.5.3).
  const starts = [startDay, ...repeated, ...more].filter((day) => day >= earliest && day <= last && !except.has(day) && !replaced.has(day));
  const days: number[] = [];
  let next = first;
  for (const start of starts.toSorted((a, b) => a - b)) {
    for (next = Math.max(next, start); next < start + length && next <= last; next += 1) days.push(next);
  }
  return days;
}

function goesOn({ rule, lastDay }: IcalEvent, { last }: Range): boolean {
  return rule !== null && rule.count === null && lastDay > last;
}

function named(names: ReadonlySet<string>): { name?: string } {
  const name = cleanEventName([...names].join(", "));
  return name === "" ? {} : { name };
}

function many(events: number): string {
  return events === 1 ? "1 event" : `${events} events`;
}

function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}
