// The sums of a report.
import { figureViews, type Figures } from "../figures.ts";
import type { ReportKind } from "../search.ts";

export function Tiles({ kind, sum }: { kind: ReportKind; sum: Figures }) {
  return (
    <dl className="report-tiles grid box">
      {figureViews[kind].map(({ name, of, tone }) => (
        <div key={name} className="report-tile" data-tone={tone?.(sum)}>
          <dt className="small faint">{name}</dt>
          <dd className="bold digits">{of(sum)}</dd>
        </div>
      ))}
    </dl>
  );
}
