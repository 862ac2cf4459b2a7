// The calendar of schedules: a week, a month, or all of them as a list.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { dayMs } from "../../../../src/base/time.ts";
import { dateOf, dateText, dayOf, weekdayOf } from "../../../../src/schedule/calendar/day-numbers.ts";
import { useMay } from "../../data/session.ts";
import { ownTimeZone, daysFrom } from "../../data/zones.ts";
import { formatMonth } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Segments } from "../../ui/segments.tsx";
import { MonthView } from "./calendar/month-view.tsx";
import { MoveDialog } from "./calendar/move-dialog.tsx";
import { wallDay } from "./calendar/names.ts";
import { ScheduleList } from "./calendar/schedule-list.tsx";
import { useMoving, type Moving } from "./calendar/use-moving.ts";
import { WeekView } from "./calendar/week-view.tsx";
import { calendarsQuery, layoutsQuery, schedulesQuery } from "./data.ts";
import { duesIn } from "./model/windows.ts";
import type { CalendarSearch } from "./routes.ts";
import "./calendar/calendar.css";

const text = texts("schedules");
type View = "week" | "month" | "list";

export function SchedulesPage() {
  const { view: givenView, day: shownDay }: CalendarSearch = useSearch({ strict: false });
  const view: View = givenView ?? "week";
  const navigate = useNavigate();
  const { data: all, error } = useQuery(schedulesQuery);
  const { data: layouts } = useQuery(layoutsQuery);
  const { data: calendars } = useQuery(calendarsQuery);
  const mayWrite = useMay("schedules:write");
  const [pendingMove, setPendingMove] = useState<Moving | null>(null);
  const state = useMoving(mayWrite, pendingMove !== null, setPendingMove);
  const today = dayOf(Date.parse(daysFrom(new Date().toISOString(), ownTimeZone, 1)[0]!.date));
  const day = shownDay === undefined ? today : dayOf(Date.parse(shownDay));
  const span = spanOf(view, day);
  const dates = useMemo(() => new Map(calendars?.map(({ id, dates: days }) => [id, days.map(({ date }) => date)])), [calendars]);
  const dues = useMemo(
    () => (all === undefined || view === "list" ? [] : duesIn(all, span.firstDay, span.days, dates, ownTimeZone)),
    [all, view, span.firstDay, span.days, dates],
  );
  const names = useMemo(() => new Map(layouts?.map(({ id, name }) => [id, name])), [layouts]);
  const layoutName = (id: string): string => names.get(id) ?? (layouts === undefined ? "" : text("layoutGone"));
  const go = (search: CalendarSearch): void =>
    void navigate({ to: "/schedules", search: { view: view === "week" ? undefined : view, ...search } });
  const toCalendars = (
    <Link to="/calendars" className="button">
      <Icon name="clock" />
      {text("calendars")}
    </Link>
  );
  const create = mayWrite ? (
    <Link to="/schedules/new" className="button" data-kind="primary" data-size="medium">
      <Icon name="plus" />
      {text("create")}
    </Link>
  ) : null;
  const viewProps = { dues, firstDay: span.firstDay, today, mayWrite, layoutName, state, onPutDown: setPendingMove };
  return (
    <Page
      title={text("title")}
      actions={
        <>
          {toCalendars}
          {all?.length === 0 ? null : create}
        </>
      }
    >
      <ProblemMessage error={error} />
      {all?.length === 0 ? (
        <EmptyState icon="calendar" title={text("emptyTitle")} text={text("emptyText")}>
          {create}
        </EmptyState>
      ) : null}
      <div className="calendar-bar cluster between gap-3">
        <Segments<View>
          isLabelHidden
          label={text("view")}
          value={view}
          onChange={(next) => go({ view: next === "week" ? undefined : next, day: shownDay })}
          options={[
            { id: "week", name: text("week") },
            { id: "month", name: text("month") },
            { id: "list", name: text("list") },
          ]}
        />
        {view === "list" ? null : (
          <div className="calendar-steps cluster gap-2">
            <Button size="small" aria-label={text("earlier")} onPress={() => go({ day: dateText(stepOf(view, day, -1)) })}>
              <span className="flex icon-directed icon-back">
                <Icon name="chevronEnd" />
              </span>
            </Button>
            <Button size="small" onPress={() => go({ day: undefined })}>
              {text("today")}
            </Button>
            <Button size="small" aria-label={text("later")} onPress={() => go({ day: dateText(stepOf(view, day, 1)) })}>
              <span className="flex icon-directed">
                <Icon name="chevronEnd" />
              </span>
            </Button>
            <h2 className="calendar-span" aria-live="polite">
              {view === "month" ? formatMonth(day * dayMs) : `${wallDay(span.firstDay * dayMs)} – ${wallDay((span.firstDay + 6) * dayMs)}`}
            </h2>
          </div>
        )}
      </div>
      {view === "list" ? <ScheduleList all={all ?? []} layoutName={layoutName} /> : null}
      {view === "week" ? <WeekView key={span.firstDay} {...viewProps} /> : null}
      {view === "month" ? <MonthView {...viewProps} weeks={span.days / 7} month={dateOf(day).month} /> : null}
      {view === "list" ? null : (
        <p className="faint small">
          {text("timesAre")} {mayWrite ? <span id="calendar-keys">{text("keysHint")}</span> : null}
        </p>
      )}
      {pendingMove === null ? null : (
        <MoveDialog
          moving={pendingMove}
          onClose={() => {
            setPendingMove(null);
            state.set(null);
          }}
        />
      )}
    </Page>
  );
}

/** The days that are shown: a week from its Monday on, or the weeks of a month. */
function spanOf(view: View, day: number): { firstDay: number; days: number } {
  if (view !== "month") return { firstDay: day - weekdayOf(day), days: 7 };
  const { year, month } = dateOf(day);
  const first = Date.UTC(year, month, 1) / dayMs;
  const last = Date.UTC(year, month + 1, 0) / dayMs;
  const firstDay = first - weekdayOf(first);
  return { firstDay, days: Math.ceil((last + 1 - firstDay) / 7) * 7 };
}

function stepOf(view: View, day: number, by: 1 | -1): number {
  if (view === "week") return day + 7 * by;
  const { year, month } = dateOf(day);
  return Date.UTC(year, month + by, 1) / dayMs;
}
