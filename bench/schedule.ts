// The cost of a day of schedules: 1,000 recurring ones, next to a naive evaluation of each minute, and 10,000 of which few are active.
import { forecast } from "../src/schedule/forecast.ts";
import { programAt } from "../src/schedule/program.ts";
import type { DesiredLayout } from "../src/protocol/device/desired-state.ts";
import { layout, schedule, stateWith } from "../test/schedule/schedules.ts";
import { walk, type NaiveSchedule } from "../test/schedule/schedule-oracle.ts";
import { printFigure, percentiles } from "./lib.ts";

const rounds = Number(process.argv[2] ?? 300);
const dayMs = 86_400_000;
const first = Date.UTC(2026, 5, 1);
const timezone = "Europe/London";
const wall = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
const timed = (work: () => void): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

/** The n-th of many recurring schedules: three hours, daily, on some weekdays or monthly, at varying times. */
function recurring(n: number, layouts: readonly DesiredLayout[]) {
  const start = Date.UTC(2026, 0, 5) + ((n * 37) % 1_440) * 60_000;
  const rrule = ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=WEEKLY;BYDAY=FR", "FREQ=MONTHLY;BYDAY=1TU"][n % 4]!;
  return schedule(layouts[n % layouts.length]!.id, wall(start), wall(start + 3 * 3_600_000), { rrule, priority: n % 5 });
}

const layouts = Array.from({ length: 20 }, () => layout());
const thousand = Array.from({ length: 1_000 }, (_, n) => recurring(n, layouts));

// One day at a time, like a player. Each day is new, so no result of an earlier day can be reused.
const live = stateWith(thousand, layouts, { timezone });
const dayFrom = (day: number) => () => void [...forecast(live, first + day * dayMs, first + (day + 1) * dayMs)];
const warming = Array.from({ length: 30 }, (_, day) => timed(dayFrom(day - 30)));
printFigure("the first days after a start, before JIT compilation, ms", {
  first: round(warming[0]!),
  ...percentiles(warming.slice(1)),
});
const processorMs: number[] = [];
const days = Array.from({ length: rounds }, (_, day) => {
  const before = process.threadCpuUsage();
  const ms = timed(dayFrom(day));
  const { user, system } = process.threadCpuUsage(before);
  processorMs.push((user + system) / 1_000);
  return ms;
});
printFigure("a day of 1,000 schedules, ms", percentiles(days));
// On a busy machine the elapsed time includes the work of other programs.
printFigure("a day of 1,000 schedules, ms of CPU time", percentiles(processorMs));

const revised = Array.from({ length: 10 }, () => {
  const ready = stateWith(thousand, layouts, { timezone });
  return timed(() => void [...forecast(ready, first, first + dayMs)]);
});
printFigure("a day of 1,000 schedules in a new revision with the same schedules, ms", percentiles(revised));
const unknown = Array.from({ length: 10 }, () => {
  const others = Array.from({ length: 1_000 }, (_, n) => recurring(n, layouts));
  const ready = stateWith(others, layouts, { timezone });
  return timed(() => void [...forecast(ready, first, first + dayMs)]);
});
printFigure("a day of 1,000 new schedules (parsed and validated), ms", percentiles(unknown));

const onDate: readonly NaiveSchedule["onDate"][] = [
  () => true,
  (_y, _m, _d, weekday) => weekday === 1 || weekday === 3,
  (_y, _m, _d, weekday) => weekday === 5,
  (_y, _m, date, weekday) => weekday === 2 && date <= 7,
];
const naive = thousand.map((each, n) => ({
  id: each.id,
  layout: each.layout_id,
  zone: timezone,
  start: each.starts_at,
  end: each.ends_at!,
  priority: n % 5,
  onDate: onDate[n % 4]!,
}));
// The naive evaluation also walks the day before, to find open windows: half of its time is the day itself.
const naiveMs = timed(() => void walk(naive, first, first + dayMs, () => undefined, 1)) / 2;
const p50 = percentiles(days).p50;
printFigure("the same day minute by minute, naively, ms", {
  n: 1,
  ms: Math.round(naiveMs),
  ratio: Math.round(naiveMs / Math.max(p50, 0.05)),
});

const many = Array.from({ length: 10_000 }, (_, n) =>
  n < 10
    ? recurring(n, layouts)
    : schedule(layouts[n % 20]!.id, wall(Date.UTC(2027, 0, 1) + n * 3_600_000), wall(Date.UTC(2027, 0, 1) + (n + 1) * 3_600_000)),
);
const ten = stateWith(many.slice(0, 10), layouts, { timezone });
const stored = stateWith(many, layouts, { timezone });
printFigure("loading 10,000 schedules once, ms", { n: 1, ms: Math.round(timed(() => void programAt(stored, first))) });
const dayOf = (ready: typeof stored, day: number) => timed(() => void [...forecast(ready, first + day * dayMs, first + (day + 1) * dayMs)]);
for (const ready of [ten, stored]) for (let day = -5; day < 0; day += 1) dayOf(ready, day);
const few = Array.from({ length: rounds }, (_, day) => dayOf(ten, day));
const most = Array.from({ length: rounds }, (_, day) => dayOf(stored, day));
printFigure("a day, 10 schedules stored and active, ms", { ...percentiles(few), mean: mean(few) });
printFigure("a day, 10,000 stored and 10 active, ms", {
  ...percentiles(most),
  mean: mean(most),
  ratio: Math.round((10 * mean(most)) / mean(few)) / 10,
});
const asked = Array.from({ length: 10_000 }, (_, n) => timed(() => void programAt(stored, first + n * 8_640)));
printFigure("one query, 10,000 stored and 10 active, µs", percentiles(asked.map((ms) => ms * 1_000)));

function round(ms: number): number {
  return Math.round(10 * ms) / 10;
}

function mean(values: readonly number[]): number {
  return Math.round((1_000 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1_000;
}
