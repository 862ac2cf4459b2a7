// A report as it is read: sums, a graph of its days, and its rows. The console and the page behind a link show it alike.
import type { ReactNode } from "react";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import { barsOf, formatPercent, sumOf, type FigureRow, type Figures } from "../figures.ts";
import type { Group, ReportKind } from "../search.ts";
import { DayChart } from "./day-chart.tsx";
import { ReportTable } from "./report-table.tsx";
import { Tiles } from "./tiles.tsx";
import "./report-view.css";

const text = texts("reports");

export const groupNames = {
  day: "byDay",
  player: "byPlayer",
  tag: "byTag",
  layout: "byLayout",
  schedule: "bySchedule",
  item: "byItem",
  asset: "byAsset",
} as const satisfies Record<Group, MessageKey<"reports">>;

interface ReportViewProps {
  kind: ReportKind;
  group: Group;
  days: readonly FigureRow[];
  /** All dates of the report, with or without figures. */
  dates: readonly string[];
  rows: readonly FigureRow[];
  /** Follows the rows, such as a button for more of them. */
  after?: ReactNode;
}

export function ReportView({ kind, group, days, dates, rows, after }: ReportViewProps) {
  const sum = sumOf(days.map(({ figures }) => figures));
  const bars = barsOf(days, dates);
  return (
    <div className="report-view stack gap-4 shrink">
      {kind === "planned" ? <Basis sum={sum} /> : null}
      <Tiles kind={kind} sum={sum} />
      <section className="card report-graph stack gap-3" aria-labelledby="report-graph">
        <h2 id="report-graph">{text("graph")}</h2>
        <DayChart kind={kind} bars={bars} />
        {group === "day" ? null : (
          <details>
            <summary>{text("asTable")}</summary>
            <ReportTable kind={kind} label={text("graph")} rowName={text("day")} rows={bars} />
          </details>
        )}
      </section>
      <ReportTable kind={kind} label={text("rows")} rowName={text(groupNames[group])} rows={rows} />
      {after}
      <details className="report-help small soft">
        <summary>{text("help")}</summary>
        {helps[kind].map((key) => (
          <p key={key}>{text(key)}</p>
        ))}
      </details>
    </div>
  );
}

const helps = {
  plays: ["helpCompleted", "helpFailed", "helpOff"],
  uptime: ["helpUptime"],
  planned: ["helpPlanned", "helpMissing"],
} as const satisfies Record<ReportKind, readonly MessageKey<"reports">[]>;

/** The share of the plan that was already planned so at that time. */
function Basis({ sum: { planned_ms: planned = 0, planned_as_then_ms: asThen = 0 } }: { sum: Figures }) {
  if (planned === 0 || asThen >= planned) return null;
  return (
    <p className="pad-3-4 rounded small warn warn-ground">
      {asThen === 0 ? text("basisNone") : text("basis", { percent: formatPercent(Math.floor((1_000 * asThen) / planned) / 10) })}
    </p>
  );
}
