// One measurement of a screen: its graph, its extremes in words, and its values as a table.
import { lazy, Suspense, useMemo } from "react";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { linesOf, ranges, sampleOf, type Range, type Row } from "./history.ts";
import type { Metric } from "./metrics.ts";

const text = texts("screenHealth");
const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));
const mostRows = 48;

interface MetricCardProps {
  metric: Metric;
  rows: readonly Row[];
  range: Range;
  fromMs: number;
  timeZone: string | null;
}

export function MetricCard({ metric: { name, series, format, isCount = false }, rows, range, fromMs, timeZone }: MetricCardProps) {
  const { stepMs } = ranges[range];
  const visibleSeries = useMemo(() => series.filter(({ value }) => rows.some((row) => value(row) !== null)), [series, rows]);
  const lines = useMemo(
    () =>
      linesOf(
        rows,
        visibleSeries.map(({ value }) => value),
        stepMs,
      ),
    [rows, visibleSeries, stepMs],
  );
  const legend = useMemo(() => visibleSeries.map((each) => ({ name: text(each.name), colour: each.colour })), [visibleSeries]);
  const summaries = visibleSeries.map((each) => {
    const values = rows.flatMap((row) => each.value(row) ?? []);
    const words = isCount
      ? text("summarySum", { sum: format(values.reduce((sum, value) => sum + value, 0)) })
      : text("summary", { latest: format(values.at(-1)!), lowest: format(Math.min(...values)), highest: format(Math.max(...values)) });
    return visibleSeries.length > 1 ? `${text(each.name)}: ${words}` : words;
  });
  const zone = timeZone ?? undefined;
  return (
    <section className="card" aria-labelledby={`metric-${name}`}>
      <header className="wrap baseline gap-0-3">
        <h2 id={`metric-${name}`}>{text(name)}</h2>
        {visibleSeries.length === 0 ? <p className="faint small">{text("notTold")}</p> : null}
        {summaries.map((summary) => (
          <p key={summary} className="faint small">
            {summary}
          </p>
        ))}
      </header>
      {visibleSeries.length === 0 ? null : (
        <>
          <Suspense fallback={<div className="chart shrink crop" />}>
            <Chart lines={lines} series={legend} fromMs={fromMs} format={format} timeZone={zone} />
          </Suspense>
          <details>
            <summary>{text("asTable")}</summary>
            <div className="table-scroll metric-table">
              <table className="table full-width small">
                <caption className="visually-hidden">{text(name)}</caption>
                <thead>
                  <tr>
                    <th scope="col">{text("time")}</th>
                    {visibleSeries.map((each) => (
                      <th key={each.name} scope="col">
                        {text(each.name)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {sampleOf(rows, mostRows).map((row) => (
                    <tr key={row.minute}>
                      <th scope="row">{formatDateTime(new Date(row.minute), zone)}</th>
                      {visibleSeries.map((each) => {
                        const value = each.value(row);
                        return <td key={each.name}>{value === null ? "–" : format(value)}</td>;
                      })}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </section>
  );
}
