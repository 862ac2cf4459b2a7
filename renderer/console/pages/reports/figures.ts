// The figures of a report of any kind, their sums, and how they are written.
import { hourMs, minuteMs } from "../../../../src/base/time.ts";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { formatDate, formatNumber } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import type { ReportKind } from "./search.ts";

const text = texts("reports");

type SharedRow = Schemas["SharedReportRow"];
export type Figures = Omit<SharedRow, "name">;
type Figure = Exclude<keyof Figures, "uptime_percent">;

/** A row of a table, or a day of a graph. */
export interface FigureRow {
  key: string;
  name: string;
  figures: Figures;
  /** The screen that it stands for. */
  playerId?: string;
}

const sumFields: readonly Figure[] = [
  "plays",
  "completed",
  "cut",
  "failed",
  "skipped",
  "not_shown",
  "duration_ms",
  "minutes_up",
  "minutes_total",
  "planned_ms",
  "shown_ms",
  "missing_ms",
  "unplanned_ms",
  "planned_as_then_ms",
];

/** The sums of some rows; the uptime is that of all their minutes together. */
export function sumOf(rows: readonly Figures[]): Figures {
  const sum: Figures = {};
  for (const row of rows) for (const name of sumFields) if (row[name] !== undefined) sum[name] = (sum[name] ?? 0) + row[name];
  if (sum.minutes_total !== undefined) {
    sum.uptime_percent = sum.minutes_total === 0 ? null : Math.floor((10_000 * sum.minutes_up!) / sum.minutes_total) / 100;
  }
  return sum;
}

// More days than that would be bars of a pixel on a phone.
const mostBars = 92;
const daysOfWeek = 7;

/** The days of a graph: also those without figures, or weeks if there are too many. @param dates of the whole report */
export function barsOf(days: readonly FigureRow[], dates: readonly string[]): FigureRow[] {
  const figuresByDay = new Map(days.map((day) => [day.key, day.figures]));
  const all = dates.map((date) => ({ key: date, name: formatDate(date), figures: figuresByDay.get(date) ?? {} }));
  if (all.length <= mostBars) return all;
  return Array.from({ length: Math.ceil(all.length / daysOfWeek) }, (_, week) => {
    const some = all.slice(week * daysOfWeek, (week + 1) * daysOfWeek);
    const [first] = some;
    return { key: first!.key, name: text("week", { date: first!.name }), figures: sumOf(some.map(({ figures }) => figures)) };
  });
}

/** Such as `3.5 h`, `12 min` or `8 sec`. */
function formatDuration(ms: number): string {
  if (ms >= hourMs) return formatNumber(ms / hourMs, { style: "unit", unit: "hour", maximumFractionDigits: ms < 100 * hourMs ? 1 : 0 });
  if (ms >= minuteMs) return formatNumber(ms / minuteMs, { style: "unit", unit: "minute", maximumFractionDigits: 0 });
  return formatNumber(ms / 1_000, { style: "unit", unit: "second", maximumFractionDigits: 0 });
}

/** Such as `99.97 %`; a loss is never rounded away. */
export function formatPercent(percent: number | null | undefined): string {
  if (percent === null || percent === undefined) return "–";
  return formatNumber(percent / 100, { style: "percent", maximumFractionDigits: percent > 99 && percent < 100 ? 2 : 1 });
}

const count = (value: number | undefined): string => formatNumber(value ?? 0, { maximumFractionDigits: 0 });
const duration = (value: number | undefined): string => formatDuration(value ?? 0);

/** A figure as a tile and as a column of the table. */
export interface FigureView {
  name: string;
  of: (figures: Figures) => string;
  /** The tone of a value that deserves attention. */
  tone?: (figures: Figures) => "bad" | "warn" | undefined;
}

const toneIf = (isBad: boolean): "bad" | undefined => (isBad ? "bad" : undefined);

/** How well something was reachable. */
export function uptimeKind(percent: number | null | undefined): "none" | "good" | "warn" | "bad" {
  if (percent === null || percent === undefined) return "none";
  if (percent >= 99) return "good";
  return percent >= 90 ? "warn" : "bad";
}

export const figureViews: Readonly<Record<ReportKind, readonly FigureView[]>> = {
  plays: [
    { name: text("playsFigure"), of: ({ plays }) => count(plays) },
    { name: text("timeFigure"), of: ({ duration_ms: ms }) => duration(ms) },
    { name: text("completed"), of: ({ completed }) => count(completed) },
    { name: text("cut"), of: ({ cut }) => count(cut) },
    { name: text("failed"), of: ({ failed }) => count(failed), tone: ({ failed = 0 }) => toneIf(failed > 0) },
    { name: text("skipped"), of: ({ skipped }) => count(skipped), tone: ({ skipped = 0 }) => (skipped > 0 ? "warn" : undefined) },
    { name: text("notShown"), of: ({ not_shown: off }) => count(off) },
  ],
  uptime: [
    {
      name: text("uptimeFigure"),
      of: ({ uptime_percent: percent }) => formatPercent(percent),
      tone: ({ uptime_percent: percent }) => {
        const kind = uptimeKind(percent);
        return kind === "bad" || kind === "warn" ? kind : undefined;
      },
    },
    {
      name: text("missingMinutes"),
      of: ({ minutes_up: up = 0, minutes_total: total = 0 }) => duration(Math.max(0, total - up) * minuteMs),
    },
  ],
  planned: [
    { name: text("plannedFigure"), of: ({ planned_ms: ms }) => duration(ms) },
    { name: text("shownFigure"), of: ({ shown_ms: ms }) => duration(ms) },
    {
      name: text("missingFigure"),
      of: ({ missing_ms: ms }) => duration(ms),
      // Loading and transitions take a moment of each loop.
      tone: ({ missing_ms: missing = 0, planned_ms: planned = 0 }) => toneIf(missing > 0.02 * planned),
    },
    { name: text("unplannedFigure"), of: ({ unplanned_ms: ms }) => duration(ms) },
  ],
};

/** A part of a bar. */
export interface BarPart {
  name: string;
  tone: "accent" | "soft" | "bad" | "warn" | "off" | "good" | "none";
  value: number;
  label: string;
}

/** The parts of a bar from its bottom on. */
export function partsOf(kind: ReportKind, figures: Figures): BarPart[] {
  const part = (name: string, tone: BarPart["tone"], value: number | undefined, format = count): BarPart => ({
    name,
    tone,
    value: value ?? 0,
    label: format(value),
  });
  if (kind === "uptime") {
    const percent = figures.uptime_percent;
    return [{ name: text("uptimeFigure"), tone: uptimeKind(percent), value: percent ?? 0, label: formatPercent(percent) }];
  }
  if (kind === "planned") {
    return [
      part(text("shownFigure"), "accent", figures.shown_ms, duration),
      part(text("missingFigure"), "bad", figures.missing_ms, duration),
    ];
  }
  return [
    part(text("completed"), "accent", figures.completed),
    part(text("cut"), "soft", figures.cut),
    part(text("skipped"), "warn", figures.skipped),
    part(text("failed"), "bad", figures.failed),
    part(text("notShown"), "off", figures.not_shown),
  ];
}

/** How a height of the graph is written. */
export function formatHeight(kind: ReportKind, value: number): string {
  if (kind === "uptime") return formatPercent(value);
  const hours = { style: "unit", unit: "hour", maximumFractionDigits: 1 } as const;
  return kind === "planned" ? formatNumber(value / hourMs, hours) : formatNumber(value, { notation: "compact" });
}
