// A naive scheduler to compare the real one with. It shares no code with it, asks Intl for every minute and visits every day.

export interface NaiveSchedule {
  id: string;
  layout: string;
  zone: string;
  /** A wall time, `YYYY-MM-DDTHH:MM`. */
  start: string;
  end: string;
  priority: number;
  /** Whether a window begins on the date: year, month 1-12, day of month, weekday 0 = Sunday, days since the start's date. */
  onDate: ((year: number, month: number, date: number, weekday: number, sinceStart: number) => boolean) | null;
  exdates?: string[];
}

const minute = 60_000;

/** Reads the wall clock of a time zone as `YYYY-MM-DDTHH:MM`, which sorts in order of time. */
function wallClock(zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (instant) => format.format(instant).replace(" ", "T");
}

const stamp = (wallMs: number): string => new Date(wallMs).toISOString().slice(0, 16);

/** All windows that begin on the days from `first` to `last`, as pairs of wall times. */
function windowsOf(schedule: NaiveSchedule, first: number, last: number): [string, string][] {
  const start = Date.parse(`${schedule.start}Z`);
  const length = Date.parse(`${schedule.end}Z`) - start;
  if (schedule.onDate === null) return [[schedule.start, schedule.end]];
  const found: [string, string][] = [];
  const startDate = Date.parse(`${schedule.start.slice(0, 10)}T00:00Z`);
  for (let day = startDate; day <= last; day += 86_400_000) {
    const at = new Date(day);
    const sinceStart = Math.round((day - startDate) / 86_400_000);
    if (day + length + 86_400_000 < first) continue;
    if (schedule.exdates?.includes(stamp(day).slice(0, 10))) continue;
    if (!schedule.onDate(at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCDay(), sinceStart)) continue;
    const begins = day + (start - startDate);
    found.push([stamp(begins), stamp(begins + length)]);
  }
  return found;
}

/**
 * Calls `compare` for each minute from `from` to `until` with the layout that should play: of the windows whose beginning the
 * wall clock has reached and whose end it has not, the one with the highest priority, then the latest beginning, then the
 * greatest id.
 */
export function walk(
  schedules: readonly NaiveSchedule[],
  from: number,
  until: number,
  compare: (instant: number, layout: string | null) => void,
  leadDays = 40,
): number {
  const zones = [...new Set(schedules.map(({ zone }) => zone))].map((zone) => ({ zone, read: wallClock(zone), latest: "" }));
  const open = schedules.map((schedule) => {
    const windows = windowsOf(schedule, from - 40 * 86_400_000, until + 3 * 86_400_000).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return { schedule, windows, zone: zones.find(({ zone }) => zone === schedule.zone)!, begunAt: new Map<string, number>(), next: 0 };
  });
  let compared = 0;
  // Start early, so that the beginning of every open window is known.
  for (let instant = from - leadDays * 86_400_000; instant < until; instant += minute) {
    // Keep the latest reading: a clock that is set back does not begin or end a window a second time.
    for (const zone of zones) {
      const now = zone.read(instant);
      if (now > zone.latest) zone.latest = now;
    }
    let best: { layout: string; priority: number; beganAt: number; id: string } | null = null;
    for (const each of open) {
      while (each.next < each.windows.length && each.windows[each.next]![0] <= each.zone.latest) {
        each.begunAt.set(each.windows[each.next]!.join(), instant);
        each.next += 1;
      }
      for (let index = each.next - 1; index >= Math.max(0, each.next - 8); index -= 1) {
        const window = each.windows[index]!;
        if (window[1] <= each.zone.latest) continue;
        const { priority, id, layout } = each.schedule;
        const beganAt = each.begunAt.get(window.join())!;
        const wins =
          best === null ||
          priority > best.priority ||
          (priority === best.priority && (beganAt > best.beganAt || (beganAt === best.beganAt && id > best.id)));
        if (wins) best = { layout, priority, beganAt, id };
      }
    }
    if (instant < from) continue;
    compare(instant, best?.layout ?? null);
    compared += 1;
  }
  return compared;
}
