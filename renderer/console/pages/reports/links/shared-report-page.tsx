// A report behind a link, for people without an account: nothing else of the service can be reached from here.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ProblemError, type Schemas } from "../../../../../sdk/typescript/client.ts";
import { fileUrl, impatientClient } from "../../../data/client.ts";
import { formatDate, formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useTitle } from "../../../ui/page.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { jsonOf } from "../data.ts";
import type { FigureRow } from "../figures.ts";
import { datesOf } from "../period.ts";
import type { Group } from "../search.ts";
import { ReportView } from "../view/report-view.tsx";
import { kindInWords } from "./link-content.ts";
import "./shared-report.css";

const text = texts("reports");

type SharedReport = Schemas["SharedReport"];

export function SharedReportPage() {
  const { secret } = useParams({ from: "/r/$secret" });
  const { data, error } = useQuery({
    queryKey: ["shared-report", secret],
    queryFn: async ({ signal }) =>
      jsonOf((await impatientClient.get("/api/v1/shared-report", { params: { query: { key: secret } }, signal })).data),
    retry: false,
  });
  if (error instanceof ProblemError && error.status === 404) {
    return (
      <main className="lone-page center pad-4">
        <EmptyState isPage icon="link" title={text("sharedGoneTitle")} text={text("sharedGoneText")} />
      </main>
    );
  }
  return (
    <main className="shared-report stack gap-5">
      <ProblemMessage error={error} />
      {data === undefined ? null : (
        <Shared report={data} csv={fileUrl(`/api/v1/shared-report?${new URLSearchParams({ key: secret, format: "csv" })}`)} />
      )}
    </main>
  );
}

function Shared({ report, csv }: { report: SharedReport; csv: string }) {
  const { name, team_name: team, kind, group_by: group, limited_to: limits, timezone, from, to, rows, row_count: count } = report;
  useTitle(name);
  const span = { from, to, timezone };
  const readMs = Date.parse(report.read_at);
  return (
    <>
      <header className="shared-head wrap top between gap-3-4">
        <div className="shared-title">
          <h1>{name}</h1>
          <p className="soft break-words">{text("sharedBy", { team })}</p>
        </div>
        <a className="button" href={csv} download>
          <Icon name="download" />
          {text("csv")}
        </a>
        <ul className="shared-facts wrap gap-1-4 small soft">
          <li className="shrink break-words">{kindInWords(report)}</li>
          <li className="shrink break-words">{spanInWords(report)}</li>
          {limits.length === 0 ? null : (
            <li className="shrink break-words">
              {text("limitedTo", { names: limits.map((limit) => limit.name ?? text("removed")).join(", ") })}
            </li>
          )}
          <li className="shrink break-words">{text("inZone", { zone: timezone })}</li>
        </ul>
      </header>
      {rows.length === 0 ? (
        <EmptyState icon="chart" title={text("emptyTitle")} />
      ) : (
        <ReportView
          kind={kind}
          group={group}
          days={report.days.map((row) => figureRow(row, 0, "day"))}
          dates={datesOf(span, readMs)}
          rows={rows.map((row, index) => figureRow(row, index, group))}
          after={count > rows.length ? <p className="faint">{text("rowsShown", { shown: rows.length, count })}</p> : null}
        />
      )}
      <footer className="shared-foot wrap gap-1-4 small faint">
        <p>{text("readAt", { time: formatDateTime(new Date(report.read_at), timezone) })}</p>
        <p>{text("endsAt", { time: formatDateTime(new Date(report.expires_at), timezone) })}</p>
      </footer>
    </>
  );
}

function spanInWords({ from, to, timezone }: SharedReport): string {
  const dates = datesOf({ from, to, timezone }, Date.parse(to));
  const [first, last] = [dates[0], dates.at(-1)];
  return first === undefined ? "" : text("span", { from: formatDate(first), to: formatDate(last!) });
}

function figureRow({ name, ...figures }: SharedReport["rows"][number], index: number, group: Group): FigureRow {
  if (group === "day") return { key: name!, name: formatDate(name!), figures };
  const fallbackNames = {
    tag: "untagged",
    schedule: "ownLayout",
    asset: "nobody",
    player: "removed",
    layout: "removed",
    item: "removed",
  } as const;
  return { key: String(index), name: name ?? text(fallbackNames[group]), figures };
}
