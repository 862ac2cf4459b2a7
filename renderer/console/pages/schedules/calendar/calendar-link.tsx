// A window in the calendar: a link to its schedule, which Shift and the arrow keys move.
import { Link } from "@tanstack/react-router";
import { dayMs } from "../../../../../src/base/time.ts";
import { formatShortTime } from "../../../i18n/format.ts";
import type { Due } from "../model/windows.ts";
import { colourOf, nameOfDue } from "./names.ts";
import { isMoving, type MovingState } from "./use-moving.ts";

interface CalendarLinkProps {
  due: Due;
  layout: string;
  state: MovingState;
  className: string;
  hasTime?: boolean;
  /** In a month, up and down are weeks. */
  byWeeks?: boolean;
}

export function CalendarLink({ due, layout, state, className, hasTime = false, byWeeks = false }: CalendarLinkProps) {
  const { schedule, from } = due;
  return (
    <Link
      to="/schedules/$id"
      params={{ id: schedule.id }}
      className={className}
      draggable={false}
      data-colour={colourOf(schedule.layout_id)}
      data-off={!schedule.enabled}
      data-moving={isMoving(due, state.moving)}
      aria-describedby="calendar-keys"
      onKeyDown={(event) => state.onKeyDown(event, due, byWeeks)}
      onBlur={() => (state.moving?.due.schedule.id === schedule.id && !state.isAsking ? state.set(null) : undefined)}
    >
      <span className="visually-hidden">{nameOfDue(due, layout)}</span>
      {hasTime && from % dayMs !== 0 ? (
        <span className="calendar-time truncate digits" aria-hidden="true">
          {formatShortTime(from)}
        </span>
      ) : null}
      <bdi className="truncate bold" aria-hidden="true">
        {schedule.name}
      </bdi>
      {hasTime ? (
        <span className="calendar-layout truncate digits" aria-hidden="true">
          {layout}
        </span>
      ) : null}
    </Link>
  );
}
