// The plans of all screens, beside each other: a day or a week, on each screen's clock or one's own.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { dayMs, iso } from "../../../../src/base/time.ts";
import { useDraft } from "../../data/draft.ts";
import { ownTimeZone } from "../../data/zones.ts";
import { formatDay, formatNarrowDay } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useNow } from "../../ui/now.ts";
import { Page } from "../../ui/page.tsx";
import { useIsPhone } from "../../ui/use-media.ts";
import { useTeamScreens } from "../show/team-screens.ts";
import { PieceDialog } from "./piece-dialog.tsx";
import type { TimelineSearch } from "./routes.ts";
import { DraftComparison, useDraftEffect } from "./draft-comparison.tsx";
import { Rows } from "./rows.tsx";
import type { PieceSelection } from "./track.tsx";
import type { PlanPlace } from "./data.ts";
import { shownDays } from "./days.ts";
import { TimelineBar } from "./bar.tsx";
import { TimelineTable } from "./table.tsx";
import "./timeline.css";

const text = texts("timeline");
const hours = [0, 6, 12, 18];

export function TimelinePage() {
  const search: TimelineSearch = useSearch({ strict: false });
  const { day, zoom, zone, view, tag, q = "", shows, only } = search;
  const navigate = useNavigate();
  const go = (change: TimelineSearch): void => void navigate({ to: "/timeline", search: { ...search, ...change }, replace: true });
  const all = useTeamScreens();
  const draftId = useDraft()?.id;
  const effect = useDraftEffect(draftId);
  const places = useMemo(() => placesFor(draftId, shows), [draftId, shows]);
  const [pieceSelection, setPieceSelection] = useState<PieceSelection | null>(null);
  const today = dateIn(useNow(), ownTimeZone);
  const firstDay = day ?? today;
  const dayCount = zoom === "day" ? 1 : 7;
  const span = useMemo(() => {
    const first = Date.parse(firstDay);
    // A day begins up to 14 hours before it does in UTC, and up to 12 hours after it.
    return { from: iso(first - dayMs), to: iso(first + (dayCount + 1) * dayMs) };
  }, [firstDay, dayCount]);
  const tags = useMemo(() => [...new Set(all?.flatMap((screen) => screen.tags))].toSorted((a, b) => a.localeCompare(b)), [all]);
  const screens = useMemo(() => {
    const query = q.trim().toLocaleLowerCase();
    const changedScreens =
      only === true && effect !== undefined
        ? new Set(effect.screens.flatMap(({ player_id: id, first_at: at }) => (at === null ? [] : id)))
        : null;
    return (all ?? []).filter(
      (screen) =>
        (tag === undefined || screen.tags.includes(tag)) &&
        screen.name.toLocaleLowerCase().includes(query) &&
        (changedScreens === null || changedScreens.has(screen.id)),
    );
  }, [all, tag, q, only, effect]);
  const step = (by: 1 | -1): void => go({ day: iso(Date.parse(firstDay) + by * dayCount * dayMs).slice(0, 10) });
  const rowProps = { screens, span, firstDay, dayCount, isOwnZone: zone === "own" };
  if (all?.length === 0) {
    return (
      <Page title={text("title")}>
        <EmptyState icon="timeline" title={text("emptyTitle")} text={text("emptyText")}>
          <Link to="/pair" className="button" data-kind="primary" data-size="medium">
            {text("addScreen")}
          </Link>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page title={text("title")}>
      {draftId === undefined ? null : <DraftComparison effect={effect} search={search} onChange={go} />}
      <TimelineBar search={search} tags={tags} onChange={go} onStep={step}>
        <p className="faint push-end" role="status">
          {all === undefined ? text("loading") : screens.length === 0 ? text("noMatch") : text("screensCount", { count: screens.length })}
        </p>
      </TimelineBar>
      {screens.length === 0 ? null : view === "table" ? (
        <TimelineTable {...rowProps} place={shows === "both" && places[1] !== undefined ? places[1] : places[0]} />
      ) : (
        <div className="timeline box" data-zoom={zoom ?? "week"}>
          <Axis firstDay={firstDay} dayCount={dayCount} today={today} />
          <Rows key={`${span.from} ${span.to} ${places.length}`} {...rowProps} places={places} onChoose={setPieceSelection} />
          <p className="faint pad-2-3 tiny">
            {text("gapHint")} <span className="timeline-keys">{text("keysHint")}</span>
          </p>
        </div>
      )}
      {pieceSelection === null ? null : <PieceDialog selection={pieceSelection} onClose={() => setPieceSelection(null)} />}
    </Page>
  );
}

function Axis({ firstDay, dayCount, today }: { firstDay: string; dayCount: number; today: string }) {
  const isPhone = useIsPhone();
  const nameOf = isPhone && dayCount > 1 ? formatNarrowDay : formatDay;
  return (
    <div className="timeline-axis flex line-below surface tiny faint digits" aria-hidden="true">
      {shownDays(firstDay, "UTC", dayCount).map(({ date, startMs }) => (
        <div key={date} className="timeline-axis-day pad-block-1 shrink crop" data-today={date === today}>
          <strong className="soft nowrap block">{nameOf(new Date(startMs), "UTC")}</strong>
          <span className="timeline-axis-hours flex">
            {(dayCount === 1 ? Array.from({ length: 12 }, (_, index) => index * 2) : hours).map((hour) => (
              <span className="shrink crop" key={hour}>
                {hour}
              </span>
            ))}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Whose plans are shown, in a draft or not. */
function placesFor(draftId: string | undefined, shows: TimelineSearch["shows"]): readonly [PlanPlace, PlanPlace?] {
  if (draftId === undefined || shows === "before") return ["live"];
  return shows === "both" ? ["live", { draftId }] : [{ draftId }];
}

/** The date of an instant in a time zone, such as `2026-11-23`. */
function dateIn(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(at);
}
