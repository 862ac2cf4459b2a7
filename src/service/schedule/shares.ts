// Shares of voice that cannot be had: interrupts of one player that at one time want more than the whole hour.
import { cutByDates } from "../../schedule/calendar/calendar-days.ts";
import { joinSpans, openingsOfWeek, type Span } from "../../protocol/scheduling/opening-hours.ts";
import { dayOf, daysBetween, weekdayOf } from "../../schedule/calendar/recurrence.ts";
import { parseRule } from "../../schedule/calendar/rrule.ts";
import { endMomentOf, momentOf, recurrenceOf, type Condition, type Schedule } from "../../protocol/scheduling/schedules.ts";
import { readCalendars, type CalendarDays } from "./holiday-calendars.ts";
import { invalidField } from "../http/problem.ts";
import { groupByTarget, isEnabled, schedulesOutsideBin, targetedPlayers, schedulesForPlayer, showSchedule } from "./schedules.ts";
import type { Db } from "../store/store.ts";
import type { PlayerRow } from "../store/tables.ts";

type Timed = Omit<Schedule, "id" | "created_at" | "updated_at" | "deleted_at">;

const dayMs = 86_400_000;
// A window lasts a month at most, so those of now began no earlier; whatever recurs does so within a year.
const behindDays = 32;
const aheadDays = 371;
// More of them are not compared: the player scales down what is too much.
const maxCompared = 200;
// Opening hours may be fifty times a day for a year.
const maxSpans = 200_000;

const matters: readonly string[] = ["enabled", "interrupt", "target", "conditions", "starts_at", "ends_at", "rrule", "exdates", "timezone"];

/** Whether a change of these fields may make shares too much: another name must not be refused for what was so before. */
export function affectsShares(change: object): boolean {
  return Object.keys(change).some((field) => matters.includes(field));
}

/** @throws Refusal 422 that says how much is left, when the shares of `schedule` and of others on a player are too much. */
export async function checkShares(db: Db, teamId: string, schedule: Timed, ownId: string | null, now: number): Promise<void> {
  const fault = await shareFault(db, teamId, schedule, ownId, now);
  if (fault !== null) throw invalidField("/interrupt/share_percent", fault);
}

/**
 * What is wrong with the share of `schedule` beside the other interrupts of the same players; null when nothing is for
 * certain. Compared are schedules that go by the same clock; one that waits for a variable is left out, since
 * variables change. What is not seen here costs nothing: players scale down shares that are too much together.
 */
async function shareFault(db: Db, teamId: string, schedule: Timed, ownId: string | null, now: number): Promise<string | null> {
  const { interrupt, target } = schedule;
  if (interrupt === null || !schedule.enabled || !isComparable(schedule)) return null;
  const rows = await schedulesOutsideBin(db, teamId).where("timing", "like", '%"interrupt":{%').execute();
  const others = rows.filter((row) => row.id !== ownId && isEnabled(row)).map((row) => ({ row, timed: showSchedule(row) }));
  const rivals = others
    .filter(({ timed }) => isComparable(timed) && clockOf(timed) === clockOf(schedule))
    .toSorted((a, b) => b.timed.interrupt!.share_percent - a.timed.interrupt!.share_percent)
    .slice(0, maxCompared);
  if (interrupt.share_percent + sum(rivals.map(({ timed }) => timed)) <= 100) return null;
  const today = dayOf(now);
  const asks = [schedule, ...rivals.map(({ timed }) => timed)].some(({ conditions }) => conditions.some(({ type }) => type === "calendar"));
  const calendars = asks ? await readCalendars(db, teamId) : noCalendars;
  const own = { timed: schedule, spans: spansOf(schedule, today, calendars) };
  const spans = new Map<string, Spanned>();
  let many = own.spans.length;
  for (const { row, timed } of rivals) {
    const rival = { timed, spans: spansOf(timed, today, calendars) };
    many += rival.spans.length;
    if (many > maxSpans) break;
    spans.set(row.id, rival);
  }
  const grouped = groupByTarget(rivals.flatMap(({ row }) => (spans.has(row.id) ? row : [])));
  const seen = new Set<string>();
  for (const player of await targetedPlayers(db, teamId, [target])) {
    if (!hasTags(schedule, player)) continue;
    const here = schedulesForPlayer(grouped, player).filter(({ id }) => hasTags(spans.get(id)!.timed, player));
    const key = here.map(({ id }) => id).join();
    if (seen.has(key)) continue;
    seen.add(key);
    const fault = faultAmong(
      own,
      here.map(({ id }) => spans.get(id)!),
    );
    if (fault !== null) return `${fault}, on “${player.name}” for one`;
  }
  return null;
}

interface Spanned {
  timed: Timed;
  spans: Span[];
}

/** The first time at which all that is live then wants more than there is, `own` among them. */
function faultAmong(own: Spanned, rivals: readonly Spanned[]): string | null {
  const edges = [own, ...rivals].flatMap((each) =>
    each.spans.flatMap(({ from, until }) => [
      { each, at: from, step: 1 },
      { each, at: until, step: -1 },
    ]),
  );
  // What ends at an instant makes room for what begins at it.
  edges.sort((a, b) => a.at - b.at || a.step - b.step);
  // Windows of one schedule may overlap: it is live until the last of them ends.
  const live = new Map<Spanned, number>();
  let share = 0;
  for (const { each, at, step } of edges) {
    const before = live.get(each) ?? 0;
    const after = before + step;
    if (after === 0) live.delete(each);
    else live.set(each, after);
    if ((before === 0) === (after === 0)) continue;
    share += step * each.timed.interrupt!.share_percent;
    if (step > 0 && live.has(own) && round(share) > 100)
      return wordsOf(
        [...live.keys()].filter((other) => other !== own),
        share,
        at,
      );
  }
  return null;
}

function wordsOf(rivals: readonly Spanned[], share: number, at: number): string {
  const names = rivals.map(({ timed: { name, interrupt } }) => `“${name}” (${interrupt!.share_percent} %)`).join(", ");
  const free = Math.max(0, round(100 - sum(rivals.map(({ timed }) => timed))));
  const when = new Date(at).toISOString().slice(0, 16);
  return `together with ${names} it is ${round(share)} % of the hour at ${when}: at most ${free} % are left`;
}

function sum(schedules: readonly Timed[]): number {
  return schedules.reduce((total, { interrupt }) => total + interrupt!.share_percent, 0);
}

function round(percent: number): number {
  return Math.round(10 * percent) / 10;
}

/** Which clock its times are of. */
function clockOf({ starts_at, timezone }: Timed): string {
  return `${timezone} ${starts_at.endsWith("Z")}`;
}

function isComparable({ conditions }: Timed): boolean {
  return conditions.every(({ type }) => type !== "variable");
}

function hasTags({ conditions }: Timed, player: PlayerRow): boolean {
  const tags = JSON.parse(player.tags) as string[];
  return conditions.every((condition) => condition.type !== "tag" || tags.includes(condition.tag) === condition.is_present);
}

type Calendars = ReadonlyMap<string, Pick<CalendarDays, "dates">>;
const noCalendars: Calendars = new Map();
// Spans are on the wall clock already.
const wallClock = { wallAt: (wall: number) => wall, instantOf: (wall: number) => wall };

function spansOf({ conditions, ...timed }: Timed, today: number, calendars: Calendars): Span[] {
  // What is over does not matter any more; a day is more than zones are apart.
  const horizon: Span = { from: (today - 1) * dayMs, until: (today + aheadDays) * dayMs };
  const windows = windowsOf(timed, today);
  // Windows longer than the time between them overlap: joined they are few. A calendar asks on which day each of them begins.
  const asksDays = conditions.some(({ type }) => type === "calendar");
  const own = (asksDays ? windows : joinSpans(windows)).flatMap((span) => intersect(span, horizon) ?? []);
  // In the order in which the player cuts: a calendar looks at the day of what hours leave.
  const order = conditions.toSorted((a, b) => orderOf(a) - orderOf(b));
  return order.reduce((left, condition) => {
    if (condition.type === "calendar") {
      return cutByDates(left, calendars.get(condition.calendar_id)?.dates ?? [], condition.is_listed, wallClock, horizon);
    }
    const cuts = spansOfCondition(condition, today);
    return cuts === null ? left : left.flatMap((span) => partsOf(span, cuts));
  }, own);
}

function orderOf({ type }: Condition): number {
  return type === "date" ? 2 : type === "calendar" ? 1 : 0;
}

function windowsOf({ starts_at, ends_at, rrule, exdates }: Omit<Timed, "conditions">, today: number): Span[] {
  const from = momentOf(starts_at)!.at;
  const until = ends_at === null ? Number.POSITIVE_INFINITY : endMomentOf(ends_at)!.at;
  if (rrule === null) return [{ from, until }];
  const rule = parseRule(rrule);
  const recurrence = recurrenceOf(rule, from, exdates);
  const intoDay = from - dayOf(from) * dayMs;
  return daysBetween(recurrence, today - behindDays, today + aheadDays).map((day) => {
    const begins = day * dayMs + intoDay;
    return { from: begins, until: begins + until - from };
  });
}

/** What `cuts` leave of a span. They are in order, and none overlaps another. */
function partsOf(span: Span, cuts: readonly Span[]): Span[] {
  const parts: Span[] = [];
  let [first, last] = [0, cuts.length];
  while (first < last) {
    const middle = (first + last) >>> 1;
    if (cuts[middle]!.until <= span.from) first = middle + 1;
    else last = middle;
  }
  for (let place = first; place < cuts.length && cuts[place]!.from < span.until; place += 1) {
    const part = intersect(span, cuts[place]!);
    if (part !== null) parts.push(part);
  }
  return parts;
}

/** In order, and none overlaps another. Null for a condition that is not one of time. */
function spansOfCondition(condition: Condition, today: number): Span[] | null {
  if (condition.type === "date") {
    const { from, until } = condition;
    return [{ from: from === undefined ? 0 : dateOf(from), until: until === undefined ? Number.POSITIVE_INFINITY : dateOf(until) + dayMs }];
  }
  if (condition.type !== "daypart" && condition.type !== "hours") return null;
  const week = openingsOfWeek(condition.type === "hours" ? condition.open : [condition]);
  if (week === null) return [{ from: 0, until: Number.POSITIVE_INFINITY }];
  const byDay = Map.groupBy(week, ({ from }) => dayOf(from));
  return Array.from({ length: behindDays + aheadDays }, (_, index) => today - behindDays + index).flatMap((day) =>
    (byDay.get(weekdayOf(day)) ?? []).map(({ from, until }) => {
      const begins = day * dayMs + (from % dayMs);
      return { from: begins, until: begins + until - from };
    }),
  );
}

function intersect(a: Span, b: Span): Span | null {
  const span = { from: Math.max(a.from, b.from), until: Math.min(a.until, b.until) };
  return span.from < span.until ? span : null;
}

function dateOf(date: string): number {
  return momentOf(`${date}T00:00`)!.at;
}
