// Bars of each day, stacked. They are for eyes only: beside them is the same as a table.
import { useState } from "react";
import { hourMs } from "../../../../../src/base/time.ts";
import { formatShortDate } from "../../../i18n/format.ts";
import { formatHeight, partsOf, type FigureRow } from "../figures.ts";
import type { ReportKind } from "../search.ts";
import "./day-chart.css";

const lines = 4;
const mostLabels = 7;

export function DayChart({ kind, bars }: { kind: ReportKind; bars: readonly FigureRow[] }) {
  const [hoverIndex, setHoverIndex] = useState<number | null>(null);
  const stacks = bars.map(({ figures }) => partsOf(kind, figures));
  const heights = stacks.map((parts) => parts.reduce((sum, { value }) => sum + value, 0));
  const top = kind === "uptime" ? 100 : roundUp(Math.max(...heights, 0), kind);
  const total = kind === "uptime" || stacks.length === 0 ? [] : stacks[0]!;
  const hoverBar = hoverIndex === null ? null : bars[hoverIndex];
  const every = Math.max(1, Math.ceil(bars.length / mostLabels));
  return (
    <figure className="day-chart stack gap-2 shrink tiny faint" aria-hidden="true" onPointerLeave={() => setHoverIndex(null)}>
      <figcaption className="day-chart-legend wrap gap-1-4 digits">
        {hoverBar == null ? null : <strong className="ink">{hoverBar.name}</strong>}
        {(hoverIndex === null ? total : stacks[hoverIndex]!).map(({ name, tone, label: value }) => (
          <span key={name} className="day-chart-key gap-1 baseline" data-tone={tone}>
            {name}
            {hoverIndex === null ? null : <b className="bold ink">{value}</b>}
          </span>
        ))}
      </figcaption>
      <div className="day-chart-plot">
        <div className="day-chart-lines stack between fill">
          {Array.from({ length: lines + 1 }, (_, line) => (
            <span className="grid middle gap-2 digits nowrap" key={line}>
              {formatHeight(kind, (top * (lines - line)) / lines)}
            </span>
          ))}
        </div>
        <div className="day-chart-bars">
          {bars.map(({ key }, index) => (
            <div key={key} className="day-chart-bar" data-pointed={hoverIndex === index} onPointerEnter={() => setHoverIndex(index)}>
              {stacks[index]!.map(({ name, tone, value }) => (
                <span key={name} data-tone={tone} style={{ blockSize: `${top === 0 ? 0 : (100 * value) / top}%` }} />
              ))}
            </div>
          ))}
        </div>
      </div>
      <div className="day-chart-days">
        {bars.map(({ key }, index) => (
          <span key={key} data-second={(index / every) % 2 === 1}>
            {index % every === 0 ? formatShortDate(key) : null}
          </span>
        ))}
      </div>
    </figure>
  );
}

/** A round number at or above the highest bar: one, two or five and zeros, of hours for times. */
function roundUp(value: number, kind: ReportKind): number {
  const unit = kind === "planned" ? hourMs : 1;
  const least = Math.max(value / unit, kind === "planned" ? 1 : 4);
  const power = 10 ** Math.floor(Math.log10(least));
  return unit * power * [1, 2, 4, 5, 8, 10].find((step) => step * power >= least)!;
}
