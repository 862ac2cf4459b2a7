// Follows the pointer on the stage: it takes hold of zones, handles and the turning knob, and shows the layout that a drag would result in.
import { useEffect, useRef, useState, type RefObject } from "react";
import { edit, select, type Editor } from "../model/editor.ts";
import type { EditedLayout } from "../model/edited-layout.ts";
import { handles, type Handle } from "../model/place.ts";
import { actOfHold, dragTo, type DragResult, type Hold } from "./drag.ts";

/** A press that moves less is a click. CSS pixels. */
const clickReach = 4;
/** How near an edge must be to be attracted. CSS pixels. */
const snapReach = 8;

export interface StageRules {
  snaps: boolean;
  hasGrid: boolean;
  hasSafeArea: boolean;
}

interface DragOptions {
  stage: RefObject<HTMLElement | null>;
  editor: Editor;
  rules: StageRules;
  isReadOnly: boolean;
  change: (update: (editor: Editor) => Editor) => void;
  /** Called with the layout that a drag has made. */
  onDone: (layout: EditedLayout, keys: readonly string[]) => void;
}

interface Press {
  pointerId: number;
  hold: Hold;
  from: EditedLayout;
  /** Client coordinates. */
  x: number;
  y: number;
  hasMoved: boolean;
  /** The selection after a click without dragging. */
  click: readonly string[] | null;
}

/** The layout and the guides on the stage during a drag; null: nothing is dragged. */
export function useDrag(options: DragOptions): DragResult | null {
  const [result, setResult] = useState<DragResult | null>(null);
  const latest = useRef(options);
  latest.current = options;
  const { stage } = options;
  useEffect(() => {
    const element = stage.current!;
    const listening = new AbortController();
    const { signal } = listening;
    let press: Press | null = null;
    let latestResult: DragResult | null = null;
    const show = (next: DragResult | null): void => {
      latestResult = next;
      setResult(next);
    };
    const end = (): void => {
      press = null;
      show(null);
    };
    const down = (event: PointerEvent): void => {
      if (event.button !== 0 || press !== null) return;
      const { editor, isReadOnly, change } = latest.current;
      const start = pressOn(event, editor);
      if (start === null) return;
      if (start.select !== editor.selected) change((now) => select(now, start.select));
      if (start.hold === null || isReadOnly) return;
      press = {
        pointerId: event.pointerId,
        hold: start.hold,
        from: editor.history.present,
        x: event.clientX,
        y: event.clientY,
        hasMoved: false,
        click: start.click,
      };
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (press === null || event.pointerId !== press.pointerId) return;
      const [x, y] = [event.clientX - press.x, event.clientY - press.y];
      if (!press.hasMoved && Math.hypot(x, y) < clickReach) return;
      press.hasMoved = true;
      const { left, top, width } = element.getBoundingClientRect();
      const scale = press.from.width / width;
      const { snaps, ...rules } = latest.current.rules;
      const at = { x: (event.clientX - left) * scale, y: (event.clientY - top) * scale };
      const keys = { shift: event.shiftKey, free: event.ctrlKey || event.metaKey };
      const by = { x: x * scale, y: y * scale };
      show(dragTo(press.from, press.hold, by, at, keys, snaps ? { ...rules, tolerance: snapReach * scale } : null));
    };
    const up = (event: PointerEvent): void => {
      if (press === null || event.pointerId !== press.pointerId) return;
      const { hold, from, click } = press;
      const { change, onDone } = latest.current;
      const result = latestResult;
      end();
      if (result === null) {
        if (click !== null) change((now) => select(now, click));
        return;
      }
      // Somebody else's change may have arrived while the pointer was down: only the dragged zones are taken over.
      const keys = hold.is === "zones" ? hold.keys : [hold.key];
      const places = new Map(result.layout.zones.filter((zone, place) => zone !== from.zones[place]).map((zone) => [zone.key, zone]));
      change((now) => {
        const { present } = now.history;
        const zones = present.zones.map((zone) => {
          const place = places.get(zone.key);
          if (place === undefined) return zone;
          const { left, top, width, height, rotation } = place;
          return { ...zone, left, top, width, height, rotation };
        });
        return edit(now, { ...present, zones }, { act: actOfHold[hold.is], at: Date.now() });
      });
      onDone(result.layout, keys);
    };
    element.addEventListener("pointerdown", down, { signal });
    element.addEventListener("pointermove", move, { signal });
    element.addEventListener("pointerup", up, { signal });
    element.addEventListener("pointercancel", end, { signal });
    // Before anything else that Escape would close.
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || press === null) return;
      event.stopPropagation();
      event.preventDefault();
      end();
    };
    addEventListener("keydown", escape, { signal, capture: true });
    return () => listening.abort();
  }, [stage]);
  return result;
}

/** The action that a press begins; null: none. */
function pressOn(
  event: PointerEvent,
  { selected }: Editor,
): { hold: Hold | null; select: readonly string[]; click: readonly string[] | null } | null {
  const target = event.target as Element;
  const handle = target.closest<HTMLElement>("[data-handle]");
  const [firstKey] = selected;
  if (handle !== null && firstKey !== undefined) {
    const name = handle.dataset["handle"]!;
    if (name === "turn") return { hold: { is: "turn", key: firstKey }, select: selected, click: null };
    return isHandle(name) ? { hold: { is: "handle", key: firstKey, handle: name }, select: selected, click: null } : null;
  }
  const key = target.closest<HTMLElement>("[data-zone]")?.dataset["zone"];
  if (key === undefined) return { hold: null, select: selected.length === 0 ? selected : [], click: null };
  const isSelected = selected.includes(key);
  // A finger on a zone that is not selected may want to scroll the page. Its click selects.
  if (event.pointerType === "touch" && !isSelected) return null;
  if (event.shiftKey || event.ctrlKey || event.metaKey) return { hold: null, select: toggle(selected, key), click: null };
  const keys = isSelected ? selected : [key];
  return { hold: { is: "zones", keys }, select: keys, click: isSelected && selected.length > 1 ? [key] : null };
}

function isHandle(name: string): name is Handle {
  return (handles as readonly string[]).includes(name);
}

/** The selection with a zone added or taken out. */
export function toggle(selected: readonly string[], key: string): readonly string[] {
  return selected.includes(key) ? selected.filter((each) => each !== key) : [...selected, key];
}
