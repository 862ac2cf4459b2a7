// A month of schedules as weeks of days: drag one to another day, or follow “+” to make one.
import { Link } from "@tanstack/react-router";
import { useRef, type PointerEvent } from "react";
import { dayMs } from "../../../../../src/base/time.ts";
import { dateOf, dateText } from "../../../../../src/schedule/calendar/day-numbers.ts";
import { formatWeekday } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Due } from "../model/windows.ts";
import { CalendarLink } from "./calendar-link.tsx";
import { wallDay } from "./names.ts";
import { placeBefore, withMoving } from "./use-moving.ts";
import type { CalendarViewProps } from "./week-view.tsx";

const text = texts("schedules");
const mostShown = 4;
const leastDrag = 5;

interface MonthViewProps extends CalendarViewProps {
  /** How many weeks are shown. */
  weeks: number;
  /** 0 to 11: days of other months are fainter. */
  month: number;
}

export function MonthView({ dues, firstDay, weeks, month, today, mayWrite, layoutName, state, onPutDown }: MonthViewProps) {
  const pressStart = useRef<{ x: number; y: number; due: Due; day: number } | null>(null);
  const hasDragged = useRef(false);
  const visibleDues = withMoving(dues, state.moving);
  const on = (day: number): Due[] =>
    // A night belongs to the day on which it begins; a window that lasts longer than a day belongs to each.
    visibleDues.filter(
      ({ from, until }) => from < (day + 1) * dayMs && (from >= day * dayMs || (until > day * dayMs && until - from > dayMs)),
    );
  const dayAt = ({ clientX, clientY }: PointerEvent): number | null => {
    const cell = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-day]");
    return cell === null || cell === undefined ? null : Number(cell.dataset["day"]);
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (!mayWrite || event.button !== 0 || event.pointerType === "touch") return;
    hasDragged.current = false;
    const chip = (event.target as Element).closest<HTMLElement>("[data-due]");
    const day = dayAt(event);
    const due = visibleDues.find((each) => keyOf(each) === chip?.dataset["due"]);
    if (due === undefined || day === null || !Number.isFinite(due.until)) return;
    pressStart.current = { x: event.clientX, y: event.clientY, due: placeBefore(due, state.moving), day };
  };
  const onPointerMove = (event: PointerEvent): void => {
    const press = pressStart.current;
    if (press === null) return;
    if (!hasDragged.current && Math.hypot(event.clientX - press.x, event.clientY - press.y) < leastDrag) return;
    hasDragged.current = true;
    const by = ((dayAt(event) ?? press.day) - press.day) * dayMs;
    state.set({ due: press.due, shift: { start: by, end: by } });
  };
  const onPointerUp = (): void => {
    pressStart.current = null;
    if (hasDragged.current && state.moving !== null) onPutDown(state.moving);
  };
  const onPointerCancel = (): void => {
    pressStart.current = null;
    state.set(null);
  };
  return (
    <div className="calendar-month">
      <div className="calendar-weekdays small faint" aria-hidden="true">
        {Array.from({ length: 7 }, (_, index) => (
          <span key={index}>{formatWeekday(index)}</span>
        ))}
      </div>
      {/* Dragging is a shortcut: links, keys and the form do the same. */}
      <ol
        className="calendar-cells crop outlined"
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerCancel}
        onClickCapture={(event) => {
          if (!hasDragged.current) return;
          hasDragged.current = false;
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        {Array.from({ length: weeks * 7 }, (_, index) => firstDay + index).map((day) => {
          const here = on(day);
          return (
            <li
              key={day}
              data-day={day}
              className="calendar-cell stack gap-hair shrink surface"
              data-today={day === today}
              data-other={dateOf(day).month !== month}
              data-empty={here.length === 0}
            >
              <div className="row between">
                <h3 className="small digits" aria-label={wallDay(day * dayMs)}>
                  <span className="calendar-cell-date center" aria-hidden="true">
                    {dateOf(day).date}
                  </span>
                  <span className="calendar-cell-day" aria-hidden="true">
                    {wallDay(day * dayMs)}
                  </span>
                </h3>
                {mayWrite ? (
                  <Link
                    to="/schedules/new"
                    search={{ from: dateText(day), until: dateText(day) }}
                    className="calendar-add center rounded-s faint plain-link"
                    aria-label={text("addAt", { day: wallDay(day * dayMs) })}
                  >
                    +
                  </Link>
                ) : null}
              </div>
              {here.slice(0, mostShown).map((due) => (
                <span key={keyOf(due)} data-due={keyOf(due)} className="calendar-entry shrink block">
                  <CalendarLink
                    due={due}
                    layout={layoutName(due.schedule.layout_id)}
                    state={state}
                    className="calendar-chip row gap-1 shrink relative crop rounded-s tiny plain-link"
                    hasTime
                    byWeeks
                  />
                </span>
              ))}
              {here.length > mostShown ? (
                <Link to="/schedules" search={{ day: dateText(day) }} className="calendar-more">
                  {text("moreHere", { count: here.length - mostShown })}
                </Link>
              ) : null}
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function keyOf({ schedule, from }: Due): string {
  return `${schedule.id} ${from}`;
}
