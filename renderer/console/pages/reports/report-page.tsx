// One kind of report, with its subject in its address.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "../../data/session.ts";
import type { MessageKey } from "../../i18n/catalogue.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useNow } from "../../ui/now.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Select } from "../../ui/select.tsx";
import { csvUrl, useReport } from "./data.ts";
import { Filters } from "./filters.tsx";
import { ShareDialog } from "./links/share-dialog.tsx";
import { datesOf, spanOf, type Span } from "./period.ts";
import { groupFor, groupsOf, mostDays, sortFor, sortsOf, type Group, type ReportKind, type ReportSearch, type Sort } from "./search.ts";
import { groupNames, ReportView } from "./view/report-view.tsx";

const text = texts("common", "reports");
const intros = { plays: "playsText", uptime: "uptimeText", planned: "plannedText" } as const;
const empties = { plays: "emptyPlays", uptime: "emptyUptime", planned: "emptyPlanned" } as const;
const sortNames = {
  plays: "sortPlays",
  duration_ms: "sortTime",
  failed: "sortFailed",
  skipped: "sortSkipped",
  uptime: "sortUptime",
  missing: "sortMissing",
  key: "sortKey",
} as const satisfies Record<Sort, MessageKey<"reports">>;

export const PlaysPage = () => <ReportPage kind="plays" />;
export const UptimePage = () => <ReportPage kind="uptime" />;
export const PlannedPage = () => <ReportPage kind="planned" />;

function ReportPage({ kind }: { kind: ReportKind }) {
  const search = useSearch({ from: "/shell/reports" });
  const navigate = useNavigate();
  const now = useNow().getTime();
  const span = spanOf(search, now);
  const isTooLong = span !== null && span.days > mostDays[kind];
  const group = groupFor(kind, search);
  const change = (next: Partial<ReportSearch>): void =>
    void navigate({ to: `/reports/${kind}`, search: { ...search, ...next }, replace: true });
  return (
    <div className="stack gap-4 shrink">
      <p className="soft">{text(intros[kind])}</p>
      <Filters kind={kind} search={search} nowMs={now} onChange={change} />
      <div className="wrap bottom between gap-3">
        <div className="report-choices wrap bottom gap-3 shrink">
          <Select<Group>
            label={text("by")}
            options={groupsOf[kind].map((id) => ({ id, name: text(groupNames[id]) }))}
            selectedKey={group}
            onSelectionChange={(by) => change({ by })}
          />
          {group === "day" ? null : (
            <Select<Sort>
              label={text("sort")}
              options={sortsOf[kind].map((id) => ({ id, name: text(sortNames[id]) }))}
              selectedKey={sortFor(kind, search, group)}
              onSelectionChange={(sort) => change({ sort })}
            />
          )}
        </div>
        {span === null || isTooLong ? null : <Actions kind={kind} search={search} span={span} />}
      </div>
      {span === null ? <p className="problem">{text("wrongPeriod")}</p> : null}
      {isTooLong ? <p className="problem">{text("longPeriod", { days: mostDays[kind] })}</p> : null}
      {span === null || isTooLong ? null : <Report kind={kind} search={search} span={span} group={group} nowMs={now} />}
    </div>
  );
}

function Actions({ kind, search, span }: { kind: ReportKind; search: ReportSearch; span: Span }) {
  const mayShare = useMay("report_links:write");
  const [isSharing, setIsSharing] = useState(false);
  return (
    <div className="report-actions wrap gap-2">
      <a className="button" href={csvUrl(kind, search, span)} download>
        <Icon name="download" />
        {text("csv")}
      </a>
      {mayShare ? (
        <Button onPress={() => setIsSharing(true)}>
          <Icon name="link" />
          {text("share")}
        </Button>
      ) : null}
      {isSharing ? <ShareDialog kind={kind} search={search} span={span} onClose={() => setIsSharing(false)} /> : null}
    </div>
  );
}

interface ReportProps {
  kind: ReportKind;
  search: ReportSearch;
  span: Span;
  group: Group;
  nowMs: number;
}

function Report({ kind, search, span, group, nowMs }: ReportProps) {
  const { days, error, rows } = useReport(kind, search, span);
  const failure = error ?? rows.error;
  if (failure !== null) return <ProblemMessage error={failure} />;
  if (days === undefined || rows.items === undefined) return <p className="faint">{text("loading")}</p>;
  if (rows.items.length === 0) {
    return (
      <EmptyState icon="chart" title={text("emptyTitle")} text={text(empties[kind])}>
        <Link to="/" className="button">
          {text("toScreens")}
        </Link>
      </EmptyState>
    );
  }
  const more = rows.hasMore ? (
    <div className="wrap gap-2 above-2 centered">
      <Button isPending={rows.isReadingMore} onPress={rows.readMore}>
        {text("showMore")}
      </Button>
    </div>
  ) : null;
  return <ReportView kind={kind} group={group} days={days} dates={datesOf(span, nowMs)} rows={rows.items} after={more} />;
}
