// The span of a report about players, and its days in a time zone.
import { dayMs, hourMs } from "../../base/time.ts";
import { nextBoundary, unitName } from "../../schedule/calendar/days-and-hours.ts";
import { timeZoneRulesOrUtc } from "../../schedule/calendar/time-zone.ts";
import { invalidField } from "../http/problem.ts";
import type { Span } from "./recent-reports.ts";

const defaultDays = 30;
// The day on which clocks are put back is longer.
const clockChangeMs = 3 * hourMs;

/** A part of a report's span. */
export interface ReportDay extends Span {
  /** Such as `2026-11-23`; null: it is the whole span. */
  name: string | null;
}

/** The span of a report. @throws ProblemError 422 when it is empty or longer than `maxDays`. */
export function spanOfReport(query: { from?: string | undefined; to?: string | undefined }, now: number, maxDays: number): Span {
  const to = query.to === undefined ? now : Date.parse(query.to);
  const from = query.from === undefined ? to - defaultDays * dayMs : Date.parse(query.from);
  if (from >= to) throw invalidField("?from", "must be before ?to");
  if (to - from > maxDays * dayMs + clockChangeMs) throw invalidField("?from", `at most ${maxDays} days in this report`);
  return { from, to };
}

/** The days of `timezone` in a span, the first and the last cut to it; or the span as a whole. */
export function daysOfReport({ from, to }: Span, timezone: string, byDay: boolean): ReportDay[] {
  if (!byDay) return [{ from, to, name: null }];
  const zone = timeZoneRulesOrUtc(timezone);
  const days: ReportDay[] = [];
  for (let at = from; at < to;) {
    const end = Math.min(to, nextBoundary(at, "day", zone));
    days.push({ from: at, to: end, name: unitName(at, "day", zone) });
    at = end;
  }
  return days;
}
