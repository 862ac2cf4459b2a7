// The sums of a report.
import { figureViews, type Figures } from "../figures.ts";
import { reports } from "../../../i18n/en/reports.ts";
import { texts } from "../../../i18n/texts.ts";
import type { ReportKind } from "../search.ts";

const text = texts(reports);

export function Tiles({ kind, sum }: { kind: ReportKind; sum: Figures }) {
  return (
    <dl className="report-tiles" aria-label={text("figures")}>
      {figureViews[kind].map(({ name, of, tone }) => (
        <div key={name} className="report-tile" data-tone={tone?.(sum)}>
          <dt>{name}</dt>
          <dd>{of(sum)}</dd>
        </div>
      ))}
    </dl>
  );
}
