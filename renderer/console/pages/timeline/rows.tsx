// The rows of the timeline: only those in view are drawn and read. Arrow keys lead from piece to piece.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Link } from "@tanstack/react-router";
import { memo, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { daysFrom, ownTimeZone, type ZoneDay } from "../../data/zones.ts";
import { timeline } from "../../i18n/en/timeline.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { useNow } from "../../ui/now.ts";
import { colourOf } from "../schedules/calendar/names.ts";
import { usePlans, type ScreenPlan, type Span } from "./data.ts";
import { isGap, piecesOf, placeOf, type Piece } from "./pieces.ts";
import { momentOf, nameOfPiece, whatOf } from "./words.ts";

const text = texts(timeline);
const rowRem = 2.75;

export interface TimelineScreen {
  id: string;
  name: string;
}

/** A piece that a person wants to know more about. */
export interface ChosenPiece {
  screen: TimelineScreen;
  piece: Piece;
  timeZone: string;
}

interface RowsProps {
  screens: readonly TimelineScreen[];
  span: Span;
  /** The first day, such as `2026-11-23`. */
  firstDay: string;
  dayCount: number;
  isOwnZone: boolean;
  onChoose: (chosen: ChosenPiece) => void;
}

export function Rows({ screens, span, firstDay, dayCount, isOwnZone, onChoose }: RowsProps) {
  const ground = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [rem] = useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  const [active, setActive] = useState<string | null>(null);
  useEffect(() => {
    const measure = (): void => setTop(ground.current!.getBoundingClientRect().top + scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(ground.current!.parentElement!);
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: screens.length,
    estimateSize: () => rowRem * rem,
    getItemKey: (index) => screens[index]!.id,
    scrollMargin: top,
    overscan: 6,
  });
  const items = virtualizer.getVirtualItems();
  const ids = useMemo(() => screens.map(({ id }) => id), [screens]);
  const { plans, error } = usePlans(ids, items[0]?.index ?? 0, items.at(-1)?.index ?? -1, span);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = neighbourOf(event);
    if (to === null) return;
    event.preventDefault();
    to.focus();
  };
  const hasActive = active !== null && items.some(({ index }) => active.startsWith(`${screens[index]!.id} `));
  return (
    <>
      <ProblemMessage error={error} />
      {/* Its cells have the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div
        ref={ground}
        className="timeline-rows"
        role="grid"
        aria-label={text("rows")}
        aria-rowcount={screens.length}
        style={{ blockSize: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {items.map(({ index, key, start }) => {
          const screen = screens[index]!;
          return (
            <div
              key={key}
              className="timeline-row"
              role="row"
              data-row={index}
              aria-rowindex={index + 1}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <div role="rowheader" className="timeline-head" aria-label={screen.name}>
                <Link to="/screens/$id" params={{ id: screen.id }} className="timeline-name">
                  <bdi>{screen.name}</bdi>
                </Link>
              </div>
              <Track
                screen={screen}
                plan={plans.get(screen.id)}
                firstDay={firstDay}
                dayCount={dayCount}
                isOwnZone={isOwnZone}
                active={hasActive ? active : index === items[0]!.index ? "first" : null}
                onFocus={setActive}
                onChoose={onChoose}
              />
            </div>
          );
        })}
      </div>
    </>
  );
}

interface TrackProps extends Pick<RowsProps, "firstDay" | "dayCount" | "isOwnZone" | "onChoose"> {
  screen: TimelineScreen;
  plan: ScreenPlan | undefined;
  /** The piece that Tab leads to, `first`: the first of this row; null: none of this row. */
  active: string | null;
  onFocus: (place: string) => void;
}

const Track = memo(function Track({ screen, plan, firstDay, dayCount, isOwnZone, active, onFocus, onChoose }: TrackProps) {
  const timeZone = isOwnZone ? ownTimeZone : (plan?.timezone ?? ownTimeZone);
  const days = useMemo(() => shownDays(firstDay, timeZone, dayCount), [firstDay, timeZone, dayCount]);
  const pieces = useMemo(() => (plan === undefined ? [] : piecesOf(plan, days)), [plan, days]);
  if (plan === undefined) return <div className="timeline-track" aria-busy="true" />;
  return (
    <div className="timeline-track" style={{ backgroundSize: `${100 / dayCount}% 100%` }}>
      {pieces.map((piece, index) => {
        const place = `${screen.id} ${piece.from}`;
        const { stretch, start, end } = piece;
        const choose = (): void => onChoose({ screen, piece, timeZone });
        return (
          <div
            key={place}
            role="gridcell"
            className="timeline-piece"
            data-gap={isGap(stretch)}
            data-turns={stretch.turns.length > 0}
            data-colour={stretch.layout_id === null ? "none" : colourOf(stretch.layout_id)}
            tabIndex={active === place || (active === "first" && index === 0) ? 0 : -1}
            aria-label={nameOfPiece(piece, timeZone)}
            style={{ insetInlineStart: `${start * 100}%`, inlineSize: `${(end - start) * 100}%` }}
            onFocus={() => onFocus(place)}
            onClick={choose}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              choose();
            }}
          >
            <span aria-hidden="true">{whatOf(stretch)}</span>
          </div>
        );
      })}
      {Date.parse(plan.to) < days.at(-1)!.endMs ? (
        <div role="gridcell" className="timeline-cut" style={{ insetInlineStart: `${placeOf(Date.parse(plan.to), days) * 100}%` }}>
          {text("cut", { until: momentOf(Date.parse(plan.to), timeZone) })}
        </div>
      ) : null}
      <NowLine days={days} />
    </div>
  );
});

function NowLine({ days }: { days: readonly ZoneDay[] }) {
  const now = useNow().getTime();
  if (now < days[0]!.startMs || now >= days.at(-1)!.endMs) return null;
  return <span className="timeline-now" style={{ insetInlineStart: `${placeOf(now, days) * 100}%` }} />;
}

/** The days from a date on, in a time zone. */
export function shownDays(firstDay: string, timeZone: string, count: number): ZoneDay[] {
  // At noon UTC it is this date nearly everywhere; where it is not, it is the day after.
  const noon = `${firstDay}T12:00:00Z`;
  const days = daysFrom(noon, timeZone, count);
  if (days[0]!.date === firstDay) return days;
  return daysFrom(new Date(Date.parse(noon) - 86_400_000).toISOString(), timeZone, count);
}

/** The piece that an arrow key leads to: beside it, or at the same time in the next row. */
function neighbourOf({ key, target }: KeyboardEvent): HTMLElement | null {
  if (!(target instanceof HTMLElement) || !target.classList.contains("timeline-piece")) return null;
  const isRtl = document.documentElement.dir === "rtl";
  const forward = isRtl ? "ArrowLeft" : "ArrowRight";
  if (key === forward)
    return target.nextElementSibling?.matches(".timeline-piece") === true ? (target.nextElementSibling as HTMLElement) : null;
  if (key === (isRtl ? "ArrowRight" : "ArrowLeft")) return target.previousElementSibling as HTMLElement | null;
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const row = target.closest<HTMLElement>("[data-row]");
  const other = row?.parentElement?.querySelector(`[data-row="${Number(row.dataset["row"]) + (key === "ArrowUp" ? -1 : 1)}"]`);
  const { left, right } = target.getBoundingClientRect();
  const middle = (left + right) / 2;
  const pieces = [...(other?.querySelectorAll<HTMLElement>(".timeline-piece") ?? [])];
  return (
    pieces.find((piece) => piece.getBoundingClientRect().left <= middle && piece.getBoundingClientRect().right >= middle) ??
    pieces[0] ??
    null
  );
}
