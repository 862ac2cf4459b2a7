// A calendar while a person edits it, and the changes of two people to one calendar. Pure.

/** One day of a calendar, as the API has it. */
export interface CalendarDay {
  date: string;
  name?: string | undefined;
}

/** A calendar without the fields that only the service writes. */
export interface CalendarContent {
  name: string;
  dates: readonly CalendarDay[];
}

/** A row of the form. Its key stays while its date and its name change. */
export interface Row {
  key: number;
  /** Empty: it is not chosen yet. */
  date: string;
  name: string;
  /** True if it was added since the calendar was read. */
  isNew: boolean;
}

export interface Values {
  name: string;
  rows: readonly Row[];
}

/** A part that two people changed differently: the name, or a date. */
export type Part = { is: "name" } | { is: "date"; date: string };

export interface Merged {
  /** Both changes; where they contradict each other, mine. */
  calendar: CalendarContent;
  contradictions: readonly Part[];
}

export function valuesOf({ name, dates }: CalendarContent): Values {
  return { name, rows: dates.map((day, key) => ({ key, date: day.date, name: day.name ?? "", isNew: false })) };
}

/** The calendar in the form. Rows without a date are left out, and of a date that is there twice the first row counts. */
export function calendarOf({ name, rows }: Values): CalendarContent {
  const days = new Map<string, CalendarDay>();
  for (const { date, name: day } of rows) {
    if (date !== "" && !days.has(date)) days.set(date, day.trim() === "" ? { date } : { date, name: day.trim() });
  }
  return { name: name.trim(), dates: sortByDate([...days.values()]) };
}

/** The keys of rows whose date an earlier row has. */
export function duplicateRows(rows: readonly Row[]): ReadonlySet<number> {
  const dates = new Set<string>();
  const duplicates = new Set<number>();
  for (const { key, date } of rows) {
    if (date !== "" && dates.has(date)) duplicates.add(key);
    dates.add(date);
  }
  return duplicates;
}

export function withRow(values: Values, date = "", name = ""): Values {
  return { ...values, rows: [...values.rows, { key: nextKey(values.rows), date, name, isNew: true }] };
}

/** The form with another state of the calendar. Rows of the same date keep their keys; rows without a date stay. */
export function withCalendar({ rows }: Pick<Values, "rows">, { name, dates }: CalendarContent): Values {
  const rowsByDate = new Map(rows.map((row) => [row.date, row]));
  let key = nextKey(rows);
  const next = dates.map((day): Row => {
    const row = rowsByDate.get(day.date);
    return { key: row?.key ?? key++, date: day.date, name: day.name ?? "", isNew: row?.isNew ?? true };
  });
  return { name, rows: [...next, ...rows.filter(({ date }) => date === "")] };
}

/** The dates of both; where both name a date, the name of `added`. */
export function withDates(dates: readonly CalendarDay[], more: readonly CalendarDay[]): CalendarDay[] {
  const all = new Map(dates.map((day) => [day.date, day]));
  for (const day of more) all.set(day.date, day.name === undefined ? (all.get(day.date) ?? day) : day);
  return sortByDate([...all.values()]);
}

/** @param base from which both began */
export function mergeCalendars(base: CalendarContent, mine: CalendarContent, theirs: CalendarContent): Merged {
  const contradictions: Part[] = [];
  let { name } = mine;
  if (mine.name !== theirs.name && base.name !== theirs.name) {
    if (base.name === mine.name) name = theirs.name;
    else contradictions.push({ is: "name" });
  }
  const [was, own, other] = [base, mine, theirs].map(({ dates }) => new Map(dates.map((day) => [day.date, day]))) as [
    Map<string, CalendarDay>,
    Map<string, CalendarDay>,
    Map<string, CalendarDay>,
  ];
  const dates: CalendarDay[] = [];
  for (const date of new Set([...was.keys(), ...own.keys(), ...other.keys()])) {
    const [before, here, there] = [was.get(date), own.get(date), other.get(date)];
    const isTheirs = !isSame(here, there) && !isSame(before, there);
    if (isTheirs && !isSame(before, here)) contradictions.push({ is: "date", date });
    const day = isTheirs && isSame(before, here) ? there : here;
    if (day !== undefined) dates.push(day);
  }
  return { calendar: { name, dates: sortByDate(dates) }, contradictions };
}

/** A calendar with some parts of another. */
export function withParts(calendar: CalendarContent, parts: readonly Part[], from: CalendarContent): CalendarContent {
  const partDates = new Set(parts.flatMap((part) => (part.is === "date" ? part.date : [])));
  const dates = [...calendar.dates.filter(({ date }) => !partDates.has(date)), ...from.dates.filter(({ date }) => partDates.has(date))];
  return { name: parts.some(({ is }) => is === "name") ? from.name : calendar.name, dates: sortByDate(dates) };
}

/** The changes to save; null: none. */
export function changeOf(before: CalendarContent, after: CalendarContent): { name?: string; dates?: CalendarDay[] } | null {
  const isRenamed = before.name !== after.name;
  const differs = firstDifference(before, after) !== null;
  if (!isRenamed && !differs) return null;
  return { ...(isRenamed ? { name: after.name } : {}), ...(differs ? { dates: [...after.dates] } : {}) };
}

/** The first date at which two calendars differ, in name or at all. */
export function firstDifference(before: CalendarContent, after: CalendarContent): string | null {
  const [one, other] = [before, after].map(({ dates }) => new Map(dates.map((day) => [day.date, day]))) as [
    Map<string, CalendarDay>,
    Map<string, CalendarDay>,
  ];
  const dates = [...new Set([...one.keys(), ...other.keys()])].toSorted();
  return dates.find((date) => !isSame(one.get(date), other.get(date))) ?? null;
}

function isSame(one: CalendarDay | undefined, other: CalendarDay | undefined): boolean {
  return one?.date === other?.date && one?.name === other?.name;
}

function nextKey(rows: readonly Row[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1;
}

function sortByDate(days: readonly CalendarDay[]): CalendarDay[] {
  return days.toSorted((a, b) => (a.date < b.date ? -1 : 1));
}
