// A week of schedules as days and hours: drag to make one, drag one to move it, drag its lower edge to change its end.
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type PointerEvent } from "react";
import { dayMs, hourMs, iso, minuteMs } from "../../../../../src/base/time.ts";
import { dateText } from "../../../../../src/schedule/calendar/day-numbers.ts";
import { formatNarrowDay, formatShortTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { daysOf, type Block, type Due } from "../model/windows.ts";
import { CalendarLink } from "./calendar-link.tsx";
import { colourOf, wallDay, wallTime } from "./names.ts";
import { fitting, isMoving, placeBefore, withMoving, type Moving, type MovingState } from "./use-moving.ts";

const text = texts("schedules");
const hours = Array.from({ length: 24 }, (_, hour) => hour);
const step = 15;
/** A pointer that moves less than this was pressed, not dragged. */
const leastDrag = 5;

export interface CalendarViewProps {
  dues: readonly Due[];
  firstDay: number;
  today: number;
  mayWrite: boolean;
  layoutName: (id: string) => string;
  state: MovingState;
  onPutDown: (moving: Moving) => void;
}

interface Place {
  day: number;
  minute: number;
}

type Drag = { is: "move" | "resize"; due: Due; from: Place } | { is: "make"; from: Place; to: Place };

export function WeekView({ dues, firstDay, today, mayWrite, layoutName, state, onPutDown }: CalendarViewProps) {
  const navigate = useNavigate();
  const columns = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const pressStart = useRef<{ x: number; y: number; drag: Drag } | null>(null);
  const hasDragged = useRef(false);
  const [making, setMaking] = useState<{ from: Place; to: Place } | null>(null);
  const days = daysOf(withMoving(dues, state.moving), firstDay, 7);
  useEffect(() => {
    // Most days begin in the morning.
    const element = scroller.current!;
    element.scrollTop = (element.scrollHeight / 24) * 7;
  }, []);

  const placeAt = ({ clientX, clientY }: PointerEvent): Place => {
    const { left, width, top, height } = columns.current!.getBoundingClientRect();
    const along = document.documentElement.dir === "rtl" ? left + width - clientX : clientX - left;
    const day = Math.min(6, Math.max(0, Math.floor((along / width) * 7)));
    const minute = Math.min(1_440, Math.max(0, Math.round(((clientY - top) / height) * (1_440 / step)) * step));
    return { day: firstDay + day, minute };
  };
  const onPointerDown = (event: PointerEvent): void => {
    // A finger scrolls; it has the buttons and the form.
    if (!mayWrite || event.button !== 0 || event.pointerType === "touch") return;
    hasDragged.current = false;
    const from = placeAt(event);
    const block = (event.target as Element).closest<HTMLElement>("[data-due]");
    if (block === null) {
      pressStart.current = { x: event.clientX, y: event.clientY, drag: { is: "make", from, to: from } };
      return;
    }
    const due = days.flatMap(({ blocks }) => blocks).find((each) => keyOf(each) === block.dataset["due"]);
    if (due === undefined || !Number.isFinite(due.until)) return;
    const isEdge = (event.target as Element).closest(".calendar-edge") !== null;
    pressStart.current = {
      x: event.clientX,
      y: event.clientY,
      drag: { is: isEdge ? "resize" : "move", due: placeBefore(due, state.moving), from },
    };
  };
  const onPointerMove = (event: PointerEvent): void => {
    const press = pressStart.current;
    if (press === null) return;
    if (!hasDragged.current && Math.hypot(event.clientX - press.x, event.clientY - press.y) < leastDrag) return;
    if (!hasDragged.current) {
      hasDragged.current = true;
      columns.current!.setPointerCapture(event.pointerId);
    }
    const to = placeAt(event);
    const { drag } = press;
    if (drag.is === "make") return setMaking({ from: drag.from, to: { ...to, day: drag.from.day } });
    const by = (to.day - drag.from.day) * dayMs + (to.minute - drag.from.minute) * minuteMs;
    state.set({ due: drag.due, shift: fitting(drag.due, drag.is === "resize" ? { start: 0, end: by } : { start: by, end: by }) });
  };
  const onPointerUp = (): void => {
    const press = pressStart.current;
    pressStart.current = null;
    if (press === null || !hasDragged.current) return;
    if (press.drag.is !== "make") {
      if (state.moving !== null) onPutDown(state.moving);
      return;
    }
    if (making !== null) void navigate({ to: "/schedules/new", search: timesOf(making) });
    setMaking(null);
  };
  const onPointerCancel = (): void => {
    pressStart.current = null;
    setMaking(null);
    state.set(null);
  };
  return (
    <div className="calendar-week box" ref={scroller}>
      <div className="calendar-head line-below surface">
        <span className="calendar-corner" />
        {days.map(({ day, allDay }) => (
          <div key={day} className="calendar-head-day stack gap-hair shrink relative" data-today={day === today}>
            <h3 className="small digits">
              <span className="calendar-whole-day">{wallDay(day * dayMs)}</span>
              <span className="calendar-narrow-day" aria-hidden="true">
                {formatNarrowDay(new Date(day * dayMs), "UTC")}
              </span>
            </h3>
            {allDay.map((due) => (
              <CalendarLink
                key={keyOf(due)}
                due={due}
                layout={layoutName(due.schedule.layout_id)}
                state={state}
                className="calendar-chip row gap-1 shrink relative crop rounded-s tiny plain-link"
              />
            ))}
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
        ))}
      </div>
      <div className="calendar-body">
        <div className="calendar-hours surface tiny faint digits" aria-hidden="true">
          {hours.map((hour) => (
            <span key={hour} style={{ insetBlockStart: `${(hour / 24) * 100}%` }}>
              {hour === 0 ? "" : formatShortTime(hour * hourMs)}
            </span>
          ))}
        </div>
        {/* Dragging is a shortcut: links, keys and the form do the same. */}
        <div
          ref={columns}
          className="calendar-columns"
          data-may={mayWrite}
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
          {days.map(({ day, blocks }) => (
            <div key={day} className="calendar-column shrink relative" data-today={day === today}>
              {blocks.map((block) => (
                <BlockView
                  key={keyOf(block)}
                  block={block}
                  layout={layoutName(block.schedule.layout_id)}
                  state={state}
                  mayWrite={mayWrite}
                />
              ))}
              {making?.from.day === day ? <Making {...making} /> : null}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

interface BlockViewProps {
  block: Block;
  layout: string;
  state: MovingState;
  mayWrite: boolean;
}

function BlockView({ block, layout, state, mayWrite }: BlockViewProps) {
  const { fromMinute, toMinute, lane, lanes } = block;
  return (
    <div
      className="calendar-block"
      data-due={keyOf(block)}
      data-colour={colourOf(block.schedule.layout_id)}
      data-off={!block.schedule.enabled}
      data-moving={isMoving(block, state.moving)}
      style={{
        insetBlockStart: `${(fromMinute / 1_440) * 100}%`,
        blockSize: `${((toMinute - fromMinute) / 1_440) * 100}%`,
        insetInlineStart: `${(lane / lanes) * 100}%`,
        inlineSize: `${100 / lanes}%`,
      }}
    >
      <CalendarLink
        due={block}
        layout={layout}
        state={state}
        className="calendar-link stack relative crop rounded-s tiny plain-link"
        hasTime
      />
      {mayWrite && Number.isFinite(block.until) ? <span className="calendar-edge" /> : null}
    </div>
  );
}

function Making({ from, to }: { from: Place; to: Place }) {
  const [first, last] = [Math.min(from.minute, to.minute), Math.max(from.minute, to.minute)];
  return (
    <div
      className="calendar-making crop tint rounded-s tiny bold accent"
      style={{ insetBlockStart: `${(first / 1_440) * 100}%`, blockSize: `${((last - first) / 1_440) * 100}%` }}
    >
      {wallTime(first * minuteMs)} – {wallTime(last * minuteMs)}
    </div>
  );
}

function timesOf({ from, to }: { from: Place; to: Place }): { from: string; until: string } {
  const first = from.day * dayMs + Math.min(from.minute, to.minute) * minuteMs;
  const last = from.day * dayMs + Math.max(from.minute, to.minute) * minuteMs;
  const textOf = (wall: number): string => iso(wall).slice(0, 16);
  return { from: textOf(first), until: textOf(Math.max(last, first + step * minuteMs)) };
}

function keyOf({ schedule, from }: Due): string {
  return `${schedule.id} ${from}`;
}
