// The rows of the timeline: only those in view are drawn and read. Arrow keys lead from piece to piece.
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { usePlans, type PlanPlace, type Span } from "./data.ts";
import { Track, type PieceSelection, type TimelineScreen } from "./track.tsx";

const text = texts("timeline");
const rowRem = 2.75;
const comparedRem = 4.5;

interface RowsProps {
  screens: readonly TimelineScreen[];
  span: Span;
  /** The first day, such as `2026-11-23`. */
  firstDay: string;
  dayCount: number;
  isOwnZone: boolean;
  /** The plans that are shown: of one place, or two, the second one below the first and compared with it. */
  places: readonly [PlanPlace, PlanPlace?];
  onChoose: (chosen: PieceSelection) => void;
}

export function Rows({ screens, span, firstDay, dayCount, isOwnZone, places: [first, second], onChoose }: RowsProps) {
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
    estimateSize: () => (second === undefined ? rowRem : comparedRem) * rem,
    getItemKey: (index) => screens[index]!.id,
    scrollMargin: top,
    overscan: 6,
  });
  const items = virtualizer.getVirtualItems();
  const ids = useMemo(() => screens.map(({ id }) => id), [screens]);
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1];
  const { plans, error } = usePlans(ids, from, to, span, first);
  const after = usePlans(ids, from, to, span, second ?? null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = neighbourOf(event);
    if (to === null) return;
    event.preventDefault();
    to.focus();
  };
  const hasActive = active !== null && items.some(({ index }) => active.startsWith(`${screens[index]!.id} `));
  return (
    <>
      <ProblemMessage error={error ?? after.error} />
      {/* Its cells have the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus */}
      <div
        ref={ground}
        className="relative"
        role="grid"
        aria-label={text("rows")}
        aria-rowcount={screens.length}
        style={{ blockSize: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {items.map(({ index, key, start }) => {
          const screen = screens[index]!;
          const before = plans.get(screen.id);
          const common = { screen, firstDay, dayCount, isOwnZone, onFocus: setActive, onChoose };
          const own = hasActive ? active : index === items[0]!.index ? "first" : null;
          return (
            <div
              key={key}
              className="timeline-row grid middle line-below"
              data-compared={second !== undefined}
              role="row"
              data-row={index}
              aria-rowindex={index + 1}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <div role="rowheader" className="shrink" aria-label={screen.name}>
                <Link to="/screens/$id" params={{ id: screen.id }} className="timeline-name truncate small plain-link block ink">
                  <bdi>{screen.name}</bdi>
                </Link>
              </div>
              <div className="timeline-tracks">
                <Track {...common} plan={before} side={second === undefined ? null : "before"} other={undefined} active={own} />
                {second === undefined ? null : (
                  <Track {...common} plan={after.plans.get(screen.id)} side="after" other={before} active={own === "first" ? null : own} />
                )}
              </div>
            </div>
          );
        })}
      </div>
    </>
  );
}

/** The piece that an arrow key leads to: beside it, or at the same time in the track below or above. */
function neighbourOf({ key, target }: KeyboardEvent): HTMLElement | null {
  if (!(target instanceof HTMLElement) || !target.classList.contains("timeline-piece")) return null;
  const isRtl = document.documentElement.dir === "rtl";
  const forward = isRtl ? "ArrowLeft" : "ArrowRight";
  if (key === forward)
    return target.nextElementSibling?.matches(".timeline-piece") === true ? (target.nextElementSibling as HTMLElement) : null;
  if (key === (isRtl ? "ArrowRight" : "ArrowLeft")) return target.previousElementSibling as HTMLElement | null;
  if (key !== "ArrowUp" && key !== "ArrowDown") return null;
  const tracks = [...(target.closest("[role=grid]")?.querySelectorAll(".timeline-track") ?? [])];
  const other = tracks[tracks.indexOf(target.closest(".timeline-track")!) + (key === "ArrowUp" ? -1 : 1)];
  const { left, right } = target.getBoundingClientRect();
  const middle = (left + right) / 2;
  const pieces = [...(other?.querySelectorAll<HTMLElement>(".timeline-piece") ?? [])];
  return (
    pieces.find((piece) => piece.getBoundingClientRect().left <= middle && piece.getBoundingClientRect().right >= middle) ??
    pieces[0] ??
    null
  );
}
