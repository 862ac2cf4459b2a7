// The rows of a report, or its days.
import { Link } from "@tanstack/react-router";
import { CardTable, type Column } from "../../../ui/card-table.tsx";
import { figureViews, uptimeKind, type FigureRow } from "../figures.ts";
import type { ReportKind } from "../search.ts";

/** The figure beside which a meter stands. */
const meterAt = { plays: 0, uptime: 0, planned: 1 } as const;

interface ReportTableProps {
  kind: ReportKind;
  label: string;
  /** The kind of thing that the rows stand for. */
  rowName: string;
  rows: readonly FigureRow[];
}

export function ReportTable({ kind, label, rowName, rows }: ReportTableProps) {
  const columns: readonly Column<FigureRow>[] = [
    { name: rowName, is: "main", cell: (row) => <RowName row={row} /> },
    ...figureViews[kind].map(({ name, of, tone }, index) => ({
      name,
      cell: ({ figures }: FigureRow) => (
        <span className="report-figure inline-row gap-2 digits nowrap" data-tone={tone?.(figures)}>
          {index === meterAt[kind] ? <Meter kind={kind} row={figures} rows={rows} /> : null}
          {of(figures)}
        </span>
      ),
    })),
  ];
  return <CardTable label={label} columns={columns} items={rows} keyOf={({ key }) => key} />;
}

function RowName({ row: { name, playerId } }: { row: FigureRow }) {
  if (playerId === undefined) return <>{name}</>;
  return (
    <Link to="/screens/$id" params={{ id: playerId }}>
      {name}
    </Link>
  );
}

/** The share of the longest row, or of the planned time. The number beside it says it, too. */
function Meter({ kind, row, rows }: { kind: ReportKind; row: FigureRow["figures"]; rows: readonly FigureRow[] }) {
  const percent =
    kind === "uptime" ? (row.uptime_percent ?? 0) : kind === "planned" ? shareOf(row) : (100 * (row.plays ?? 0)) / mostPlays(rows);
  const tone = kind === "plays" ? "accent" : uptimeKind(kind === "uptime" ? row.uptime_percent : percent);
  return (
    <span className="report-meter crop sunken round" data-tone={tone} aria-hidden="true">
      <span style={{ inlineSize: `${percent}%` }} />
    </span>
  );
}

function mostPlays(rows: readonly FigureRow[]): number {
  return rows.reduce((most, { figures: { plays = 0 } }) => Math.max(most, plays), 1);
}

function shareOf({ planned_ms: planned = 0, missing_ms: missing = 0 }: FigureRow["figures"]): number {
  return planned === 0 ? 100 : (100 * (planned - missing)) / planned;
}
