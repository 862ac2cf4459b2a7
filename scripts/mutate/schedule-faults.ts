// Faults in src/schedule.
import { faultsIn, type Fault } from "./fault.ts";

const agendaFaults: readonly Fault[] = [
  ...faultsIn("src/schedule/agenda/active-schedule.ts", [
    ["return b.from - a.from;", "return a.from - b.from;"],
    ["first.id < second.id ? 1 : first.id > second.id ? -1 : 0", "first.id < second.id ? -1 : first.id > second.id ? 1 : 0"],
    ['return a?.entry.schedule.loop_from !== "window" || a.from === b?.from;', "return true;"],
  ]),
  ...faultsIn("src/schedule/agenda/agenda.ts", [
    ["window.from <= instant && instant < window.until", "window.from <= instant && instant <= window.until"],
    ["window.entry.schedule.priority < minPriority", "window.entry.schedule.priority <= minPriority"],
  ]),
  ...faultsIn("src/schedule/agenda/interrupt-grid.ts", [
    ["Math.min(1, 100 / shares.reduce((sum, share) => sum + share, 0))", "100 / shares.reduce((sum, share) => sum + share, 0)"],
    ["place: (number + 0.5) / count", "place: number / count"],
  ]),
  ...faultsIn("src/schedule/agenda/read-schedules.ts", [["[context.playerTimeZone.name, json, ...dates]", "[json, ...dates]"]]),
];

const calendarFaults: readonly Fault[] = [
  ...faultsIn("src/schedule/calendar/calendar-dates.ts", [
    ["clock.wallAt(window.until - 1) - start < dayMs", "clock.wallAt(window.until) - start < dayMs"],
    ["days.all.has(dayOf(start))", "days.all.has(dayOf(window.from))"],
    ["day <= last.end", "day < last.end"],
  ]),
  ...faultsIn("src/schedule/calendar/condition-cuts.ts", [
    ['["daypart", "hours", "calendar", "date"]', '["date", "daypart", "hours", "calendar"]'],
    ["clock.instantOf(midnightOf(until) + dayMs)", "clock.instantOf(midnightOf(until))"],
  ]),
  ...faultsIn("src/schedule/calendar/intervals.ts", [["from <= last.until", "from < last.until"]]),
  ...faultsIn("src/schedule/calendar/moments.ts", [["Math.min(moment.at + dayMs, lastEnd)", "Math.min(moment.at + dayMs - 1, lastEnd)"]]),
  ...faultsIn("src/schedule/calendar/opening-hours.ts", [["[-weekMs, 0, weekMs]", "[0, weekMs]"]]),
  ...faultsIn("src/schedule/calendar/recurrence.ts", [
    ["clock.instantOf(day * dayMs + timeOfDay) > until.at", "clock.instantOf(day * dayMs + timeOfDay) >= until.at"],
    ["Math.ceil(periodsBefore / rule.interval) * rule.interval", "periodsBefore"],
  ]),
  ...faultsIn("src/schedule/calendar/rrule.ts", [["date + dayMs - 1", "date + dayMs"]]),
  ...faultsIn("src/schedule/calendar/rule-periods.ts", [
    ["period * 7 - 3 + weekStart", "period * 7 - 3 - weekStart"],
    ["position > 0 ? position - 1 : position", "position"],
    ["first + length - 1 - day", "first + length - day"],
    ["date <= length ? [first + date - 1] : []", "[first + date - 1]"],
  ]),
  ...faultsIn("src/schedule/calendar/time-zone.ts", [["Math.max(startsAt, wall - offsetMs)", "wall - offsetMs"]]),
];

const limitFaults: readonly Fault[] = [
  ...faultsIn("src/schedule/limits/daily-limits.ts", [["(day.number - epochDay) * msPerDay", "(epochDay - day.number) * msPerDay"]]),
  ...faultsIn("src/schedule/limits/due-times.ts", [["at: from + intoMs - passedMs", "at: from + intoMs"]]),
  ...faultsIn("src/schedule/limits/hourly-limits.ts", [
    ["Math.ceil((turn.number * limit) / turn.of)", "Math.floor((turn.number * limit) / turn.of)"],
    ["Math.min(count, rounds) * durationMs", "count * durationMs"],
    ["Math.floor((play * rounds) / count)", "Math.floor(((play + 1) * rounds) / count)"],
  ]),
  ...faultsIn("src/schedule/limits/loop-restart.ts", [["if (from - lastRestart >= hourMs) restart = from;", "restart = from;"]]),
  ...faultsIn("src/schedule/limits/placement.ts", [
    ["pieces[piece]!.until < until", "pieces[piece]!.until < at"],
    ["first === undefined || isAfter(first.gap, item.gap)", "first === undefined"],
  ]),
];

const playlistFaults: readonly Fault[] = [
  ...faultsIn("src/schedule/playlist/item-validity.ts", [["until: Math.min(until, ends) }", "until }"]]),
  ...faultsIn("src/schedule/playlist/zone-timeline.ts", [
    ["withinLimits(candidates, turn, true)", "withinLimits(candidates, turn, false)"],
  ]),
  ...faultsIn("src/schedule/timeline.ts", [
    ["loopPlayAt(timeline, play.startsAt - 1)", "loopPlayAt(timeline, play.startsAt)"],
    ["(((instant - countsFrom) % totalMs) + totalMs) % totalMs", "(instant - countsFrom) % totalMs"],
  ]),
];

const decisionFaults: readonly Fault[] = [
  ...faultsIn("src/schedule/decide.ts", [
    ["return { ...decision, until: Math.min(decision.until, until) };", "return decision;"],
    ["override.loopsFrom ?? override.at;", "override.at;"],
    ["until = Math.min(until, turn.until);", "until = turn.until;"],
    ["play.number - firstTurnOf(interrupts, active)", "play.number + firstTurnOf(interrupts, active)"],
    ["epochMs: turn.from", "epochMs: active.from"],
  ]),
  ...faultsIn("src/schedule/forecast.ts", [
    ["until: Math.min(until, end)", "until"],
    [" && a.isEmpty === b.isEmpty", ""],
  ]),
  ...faultsIn("src/schedule/emptiness.ts", [
    ["pause?.at ?? instant", "instant"],
    ["until = Math.min(until, zoneEmptiness.until);", ""],
  ]),
  ...faultsIn("src/schedule/indexed-state.ts", [
    ["timeZoneRulesOrUtc(player.timezone, deviceTimeZone)", "timeZoneRulesOrUtc(deviceTimeZone, player.timezone)"],
  ]),
  ...faultsIn("src/schedule/interventions.ts", [
    ["until !== null && until <= instant", "until !== null && until < instant"],
    ["levels[b.level] - levels[a.level] || b.at - a.at", "b.at - a.at || levels[b.level] - levels[a.level]"],
  ]),
  ...faultsIn("src/protocol/content/item-kinds.ts", [["last - item.first_page + 1", "last - item.first_page"]]),
  ...faultsIn("src/schedule/program.ts", [["changesAt = Math.min(changesAt, loop.changesAt)", "changesAt = loop.changesAt"]]),
  ...faultsIn("src/schedule/shares.ts", [["a.step - b.step", "b.step - a.step"]]),
  ...faultsIn("src/schedule/validate-schedule.ts", [
    ["ends.at <= starts.at", "ends.at < starts.at"],
    ["> maxRecurringDays * dayMs", ">= maxRecurringDays * dayMs"],
  ]),
  ...faultsIn("src/schedule/why.ts", [["15 * dayMs", "15 * 86_400"]]),
];

export const scheduleFaults: readonly Fault[] = [...agendaFaults, ...calendarFaults, ...limitFaults, ...playlistFaults, ...decisionFaults];
