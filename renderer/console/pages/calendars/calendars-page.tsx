// All calendars of the team.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { calendarsQuery, type Calendar } from "../../data/calendars.ts";
import { useMay } from "../../data/session.ts";
import { formatDate } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { CardTable } from "../../ui/card-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import "./calendars.css";

const text = texts("calendars");

export function CalendarsPage() {
  const { data: all, error } = useQuery(calendarsQuery);
  const create = useMay("schedules:write") ? (
    <Link to="/calendars/new" className="button" data-kind="primary" data-size="medium">
      <Icon name="plus" />
      {text("create")}
    </Link>
  ) : null;
  return (
    <Page title={text("title")} actions={all?.length === 0 ? null : create}>
      <ProblemMessage error={error} />
      {all?.length === 0 ? (
        <EmptyState icon="calendar" title={text("emptyTitle")} text={text("emptyText")}>
          {create}
        </EmptyState>
      ) : (
        <p className="faint">{text("about")}</p>
      )}
      {all === undefined || all.length === 0 ? null : (
        <CardTable
          label={text("title")}
          items={all}
          keyOf={({ id }) => id}
          columns={[
            {
              name: text("name"),
              is: "main",
              cell: ({ id, name }) => (
                <Link to="/calendars/$id" params={{ id }} className="inline-row break-words tap">
                  <bdi>{name}</bdi>
                </Link>
              ),
            },
            { name: text("dates"), cell: ({ dates }) => text("dateCount", { count: dates.length }) },
            { name: text("next"), is: "text", cell: nextInWords },
          ]}
        />
      )}
    </Page>
  );
}

/** Such as `25 Dec 2026, Christmas Day`. */
function nextInWords({ dates }: Calendar): string {
  const today = new Date().toISOString().slice(0, 10);
  const next = dates.find(({ date }) => date >= today);
  if (next === undefined) return text("nextNone");
  return next.name === undefined ? formatDate(next.date) : text("nextDay", { date: formatDate(next.date), name: next.name });
}
