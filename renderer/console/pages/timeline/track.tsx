// The track of one screen: its plan, piece by piece. Beside another plan, differences are marked.
import { memo, useMemo } from "react";
import { ownTimeZone, type ZoneDay } from "../../data/zones.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { useNow } from "../../ui/now.ts";
import { colourOf } from "../schedules/calendar/names.ts";
import type { ScreenPlan } from "./data.ts";
import { shownDays } from "./days.ts";
import { changeOf, isGap, piecesOf, placeOf, type Change, type Piece } from "./pieces.ts";
import { labelOf, momentOf, nameOfPiece } from "./words.ts";

const text = texts("timeline");

export interface TimelineScreen {
  id: string;
  name: string;
}

/** A piece that a person wants to know more about. */
export interface PieceSelection {
  screen: TimelineScreen;
  piece: Piece;
  timeZone: string;
  /** How it differs from the plan that it is compared with. */
  change: Change | null;
}

/** Which of two plans that are compared a track shows. */
export type Side = "before" | "after";

interface TrackProps {
  screen: TimelineScreen;
  plan: ScreenPlan | undefined;
  /** Null: nothing is compared. */
  side: Side | null;
  /** The other plan, if both are compared. */
  other: ScreenPlan | undefined;
  /** The first day, such as `2026-11-23`. */
  firstDay: string;
  dayCount: number;
  isOwnZone: boolean;
  onChoose: (chosen: PieceSelection) => void;
  /** The piece that Tab leads to, `first`: the first of this row; null: none of this row. */
  active: string | null;
  onFocus: (place: string) => void;
}

export const Track = memo(function Track(props: TrackProps) {
  const { screen, plan, side, other, firstDay, dayCount, isOwnZone, active, onFocus, onChoose } = props;
  const timeZone = isOwnZone ? ownTimeZone : (plan?.timezone ?? ownTimeZone);
  const days = useMemo(() => shownDays(firstDay, timeZone, dayCount), [firstDay, timeZone, dayCount]);
  const pieces = useMemo(() => (plan === undefined ? [] : piecesOf(plan, days)), [plan, days]);
  const others = useMemo(() => (other === undefined ? [] : piecesOf(other, days)), [other, days]);
  if (plan === undefined) return <div className="timeline-track" data-side={side} aria-busy="true" />;
  return (
    <div className="timeline-track" data-side={side} style={{ backgroundSize: `${100 / dayCount}% 100%` }}>
      {pieces.map((piece, index) => {
        const place = `${screen.id} ${side ?? ""} ${piece.from}`;
        const change = other === undefined ? null : changeOf(piece, others);
        const name = nameOfPiece(piece, timeZone, change);
        const { stretch, start, end } = piece;
        const choose = (): void => onChoose({ screen, piece, timeZone, change });
        return (
          <div
            key={place}
            role="gridcell"
            className="timeline-piece row crop rounded-s tiny strong nowrap pointer"
            data-gap={isGap(stretch)}
            data-turns={stretch.turns.length > 0}
            data-colour={isGap(stretch) || stretch.layout_id === null ? "none" : colourOf(stretch.layout_id)}
            tabIndex={active === place || (active === "first" && index === 0) ? 0 : -1}
            data-changed={change !== null}
            title={name}
            aria-label={side === null ? name : text(side === "before" ? "nameBefore" : "nameAfter", { name })}
            style={{ insetInlineStart: `${start * 100}%`, inlineSize: `${(end - start) * 100}%` }}
            onFocus={() => onFocus(place)}
            onClick={choose}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              choose();
            }}
          >
            <span aria-hidden="true">
              {change === "items" ? <Icon name="edit" /> : null}
              {labelOf(stretch)}
            </span>
          </div>
        );
      })}
      {Date.parse(plan.to) < days.at(-1)!.endMs ? (
        <div
          role="gridcell"
          className="timeline-cut truncate tiny faint"
          style={{ insetInlineStart: `${placeOf(Date.parse(plan.to), days) * 100}%` }}
        >
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
