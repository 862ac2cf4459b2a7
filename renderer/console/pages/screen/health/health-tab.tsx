// The health of a screen: whether it was reachable, and its measurements of the last hour, day, week or year.
import "./health.css";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { texts } from "../../../i18n/texts.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Segments } from "../../../ui/segments.tsx";
import { useTimeZone, type PlayerDetails } from "../data.ts";
import { historyQuery, ranges, restartsOf, type Range } from "./history.ts";
import { MetricCard } from "./metric-card.tsx";
import { metrics } from "./metrics.ts";
import { UptimeCard } from "./uptime-card.tsx";

const text = texts("screenHealth");
const choices = (["hour", "day", "week", "year"] as const).map((id) => ({ id, name: text(id) }));

export function HealthTab({ player: { id } }: { player: PlayerDetails }) {
  const [range, setRange] = useState<Range>("hour");
  const { data: rows, error, dataUpdatedAt } = useQuery(historyQuery(id, range));
  const timeZone = useTimeZone(id);
  const fromMs = useMemo(() => dataUpdatedAt - ranges[range].ms, [dataUpdatedAt, range]);
  const throttledMinutes = (rows ?? []).reduce((sum, { throttled_minutes: minutes }) => sum + (minutes ?? 0), 0);
  return (
    <div className="health stack gap-4">
      <UptimeCard id={id} />
      <div className="cluster between gap-2-4">
        <Segments isLabelHidden label={text("range")} value={range} onChange={setRange} options={choices} />
        {rows === undefined || rows.length === 0 ? null : <p className="faint">{text("restarts", { count: restartsOf(rows) })}</p>}
      </div>
      {throttledMinutes > 0 ? <p className="strong warn">{text("throttled", { count: throttledMinutes })}</p> : null}
      <ProblemMessage error={error} />
      {rows?.length === 0 ? <EmptyState icon="activity" title={text("empty")} text={text("emptyText")} /> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <div className="metrics grid top gap-4">
          {metrics.map((metric) => (
            <MetricCard key={metric.name} metric={metric} rows={rows} range={range} fromMs={fromMs} timeZone={timeZone} />
          ))}
        </div>
      )}
    </div>
  );
}
