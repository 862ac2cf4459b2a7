// The cards of the wall: as many beside each other as fit, and only those in view. Arrow keys lead from card to card.
import "./wall.css";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { select, useSelection } from "../../data/selection.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import type { Arrangement, Section } from "./arrange.ts";
import { Card } from "./card.tsx";
import { linesOf, neighbourOf, type Columns, type Line } from "./lines.ts";

const text = texts("screens");
/** Widths in rem, below which cards are hard to read. */
const narrowest = { usual: 13.5, wide: 22.5, onPhone: 10 };
const phoneWidth = 30;
const gap = 1;

interface WallProps {
  arrangement: Arrangement;
  density: "grid" | "list";
}

export function Wall({ arrangement: { sections, ids }, density }: WallProps) {
  const ground = useRef<HTMLDivElement>(null);
  const { columns, top, rem } = usePlace(ground, density);
  const lines = useMemo(() => linesOf(sections, columns), [sections, columns]);
  const count = useMemo(() => sections.reduce((sum, { rows }) => sum + rows.length, 0), [sections]);
  const virtualizer = useWindowVirtualizer({
    count: lines.length,
    estimateSize: (index) => estimate(lines[index]!, density) * rem,
    getItemKey: (index) => lines[index]!.key,
    scrollMargin: top,
    overscan: 3,
  });
  const selection = useSelection();
  const maySee = useMay("screenshots:read");
  const mayAsk = useMay("commands:write");
  const [active, setActive] = useState<string | null>(null);
  /** The card that has the focus. When a change moves it to another line, its element is a new one. */
  const focusId = useRef<string | null>(null);
  const anchor = useRef<string | null>(null);
  // The values that callbacks read, so that they stay the same and cards need not be drawn again.
  const now = useRef({ lines, ids, virtualizer, selection });
  now.current = { lines, ids, virtualizer, selection };

  useLayoutEffect(() => {
    if (focusId.current === null || (document.activeElement !== null && document.activeElement !== document.body)) return;
    document.getElementById(focusId.current)?.focus({ preventScroll: true });
  });

  const onFocus = useCallback((place: string) => {
    focusId.current = place;
    setActive(place);
  }, []);
  const onSelect = useCallback((id: string, isRange: boolean) => {
    const { ids: all, selection: selected } = now.current;
    const isSelected = !selected.has(id);
    const [from, until] = [all.indexOf(anchor.current ?? id), all.indexOf(id)];
    select(isRange && from >= 0 ? all.slice(Math.min(from, until), Math.max(from, until) + 1) : [id], isSelected);
    anchor.current = id;
  }, []);
  const onKeyDown = useCallback(
    (event: KeyboardEvent, id: string) => {
      if (event.key === " ") {
        event.preventDefault();
        return onSelect(id, event.shiftKey);
      }
      const direction = directionOf(event);
      if (direction === null) return;
      const to = neighbourOf(now.current.lines, event.currentTarget.id, direction);
      if (to === null) return;
      event.preventDefault();
      setActive(to.place);
      focusId.current = to.place;
      now.current.virtualizer.scrollToIndex(to.line, { align: "auto" });
      focusWhenThere(to.place);
    },
    [onSelect],
  );
  const activePlace =
    active !== null && lines.some((line) => line.is === "cards" && line.cards.some(({ place }) => place === active)) ? active : null;
  const first = lines.find((line) => line.is === "cards")?.cards[0]?.place;

  return (
    // Keys and clicks within its cards arrive here: the element itself is not operated.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={ground}
      className="wall relative"
      data-density={density}
      aria-label={text("screensList")}
      style={{ blockSize: virtualizer.getTotalSize() }}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget !== null) focusId.current = null;
      }}
    >
      {virtualizer.getVirtualItems().map((item) => {
        const line = lines[item.index];
        if (line === undefined) return null;
        return (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className="wall-line"
            style={{ transform: `translateY(${item.start - top}px)` }}
          >
            {line.is === "heading" ? (
              <SectionHeading section={line.section} />
            ) : (
              <div
                className="wall-cards grid gap-4"
                data-wide={line.isWide}
                style={{ gridTemplateColumns: `repeat(${line.columns}, minmax(0, 1fr))` }}
              >
                {line.cards.map(({ id, place, position }) => (
                  <Card
                    key={place}
                    id={id}
                    place={place}
                    position={position}
                    count={count}
                    isSelected={selection.has(id)}
                    isActive={place === (activePlace ?? first)}
                    maySee={maySee}
                    mayAsk={mayAsk && maySee}
                    onFocus={onFocus}
                    onKeyDown={onKeyDown}
                    onSelect={onSelect}
                  />
                ))}
              </div>
            )}
          </div>
        );
      })}
    </section>
  );
}

function SectionHeading({ section: { is, tag, rows } }: { section: Section }): ReactNode {
  const name = is === "tag" ? tag! : is === "all" ? text("all") : text(is);
  return (
    <div className="wall-heading row gap-2" data-is={is}>
      <h2 className="truncate shrink large">
        <bdi>{name}</bdi>
      </h2>
      <span className="faint rigid">{text("count", { count: rows.length })}</span>
      <Button
        kind="quiet"
        size="small"
        aria-label={text("selectAllIn", { count: rows.length, name })}
        onPress={() => select(rows.map(({ id }) => id))}
      >
        {text("selectSection")}
      </Button>
    </div>
  );
}

/** How many cards fit beside each other, where the wall begins on the page, and the size of a rem. */
function usePlace(
  ground: React.RefObject<HTMLElement | null>,
  density: WallProps["density"],
): { columns: Columns; top: number; rem: number } {
  const [place, setPlace] = useState({ columns: { usual: 4, wide: 2 }, top: 0, rem: 16 });
  useEffect(() => {
    const element = ground.current!;
    const measure = (): void => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const width = element.clientWidth / rem;
      const fitting = (least: number): number => (density === "list" ? 1 : Math.max(1, Math.floor((width + gap) / (least + gap))));
      const next = {
        columns: { usual: fitting(width < phoneWidth ? narrowest.onPhone : narrowest.usual), wide: fitting(narrowest.wide) },
        top: element.getBoundingClientRect().top + scrollY,
        rem,
      };
      setPlace((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // A change of the elements above the wall moves it.
    observer.observe(element.parentElement!);
    return () => observer.disconnect();
  }, [ground, density]);
  return place;
}

function estimate(line: Line, density: WallProps["density"]): number {
  if (line.is === "heading") return 3.25;
  if (density === "list") return line.isWide ? 5.5 : 4;
  return line.isWide ? 10 : 14;
}

function directionOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): Parameters<typeof neighbourOf>[2] | null {
  if (ctrlKey || metaKey || altKey) return null;
  const isRtl = document.documentElement.dir === "rtl";
  if (key === "ArrowRight") return isRtl ? "previous" : "next";
  if (key === "ArrowLeft") return isRtl ? "next" : "previous";
  return ({ ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last" } as const)[key] ?? null;
}

/** Focuses a card as soon as it is drawn: the wall may have to scroll first. */
function focusWhenThere(place: string, tries = 30): void {
  const element = document.getElementById(place);
  if (element !== null) element.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusWhenThere(place, tries - 1));
}
