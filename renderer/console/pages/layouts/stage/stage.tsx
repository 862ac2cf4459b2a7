// The stage: the layout with its zones as they lie on the screen, to be taken hold of by a pointer, a finger or the keyboard.
import { useQuery } from "@tanstack/react-query";
import { useId, type CSSProperties, type KeyboardEvent, type MouseEvent, type RefObject } from "react";
import { assetQuery, thumbnailUrl } from "../../../data/assets.ts";
import { texts } from "../../../i18n/texts.ts";
import { Preview } from "../../../preview/preview.tsx";
import { select, type Editor } from "../model/editor.ts";
import { isSameZone, zoneOf, type EditedZone, type Size } from "../model/edited-layout.ts";
import { selectionText, placeText } from "../words.ts";
import { boxStyleOf } from "./box-style.ts";
import { StageMarks } from "./stage-marks.tsx";
import { pressKey } from "./stage-keys.ts";
import type { DragResult } from "./drag.ts";
import { toggle, type StageRules } from "./use-drag.ts";
import type { LayoutPreview } from "./use-layout-preview.ts";
import { ZoneContent } from "./zone-content.tsx";
import "./stage.css";

const text = texts("layouts");

interface StageProps {
  stage: RefObject<HTMLDivElement | null>;
  editor: Editor;
  /** The layout during a drag; null: nothing is dragged. */
  drag: DragResult | null;
  rules: StageRules;
  /** The preview of the layout; null: there is none, or not yet. */
  preview: LayoutPreview | null;
  isReadOnly: boolean;
  change: (update: (editor: Editor) => Editor) => void;
  /** Says something to those who do not see it. */
  say: (words: string) => void;
}

export function Stage({ stage, editor, drag, rules, preview, isReadOnly, change, say }: StageProps) {
  const hintId = useId();
  const layout = drag?.layout ?? editor.history.present;
  const onKeyDown = (event: KeyboardEvent): void => {
    const key = (event.target as Element).closest<HTMLElement>("[data-zone]")?.dataset["zone"];
    if (key === undefined) return;
    const { altKey, shiftKey, ctrlKey, metaKey } = event;
    const next = pressKey(editor, key, { key: event.key, altKey, shiftKey, mainKey: ctrlKey || metaKey }, Date.now());
    // Looking at a layout needs the keys that select, and no others.
    if (next === null || (isReadOnly && next.history !== editor.history)) return;
    event.preventDefault();
    change(() => next);
    const after = next.history.present;
    if (next.history !== editor.history || next.selected !== editor.selected) say(selectionText(after, next.selected));
  };
  const onClick = (event: MouseEvent, key: string): void => {
    // A mouse has selected when it was pressed.
    const { pointerType } = event.nativeEvent as PointerEvent;
    if (event.detail !== 0 && pointerType !== "touch") return;
    const selection = event.shiftKey || event.ctrlKey || event.metaKey ? toggle(editor.selected, key) : [key];
    change((now) => select(now, selection));
  };
  const drawnLayout = preview?.drawnLayout ?? null;
  const isPreviewed = (zone: EditedZone): boolean => {
    const before = drawnLayout === null ? undefined : zoneOf(drawnLayout, zone.key);
    return before !== undefined && isSameZone(before, zone);
  };
  return (
    <div className="stage-frame center shrink outlined">
      {/* The zones are pressed and moved; the stage only tells which one a key is for. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        className="stage"
        ref={stage}
        dir="ltr"
        role="group"
        aria-label={text("zonesOf", { name: layout.name })}
        aria-describedby={hintId}
        style={{ "--ratio": layout.width / layout.height } as CSSProperties}
        onKeyDown={onKeyDown}
      >
        <div className="stage-picture fill" style={{ backgroundColor: layout.background_color }}>
          <BackgroundImage assetId={layout.background_asset_id} />
          {preview === null ? null : (
            <Preview
              ticket={preview.ticket}
              content={preview.content}
              feeds={preview.feeds}
              {...preview.time.showing}
              width={editor.history.present.width}
              height={editor.history.present.height}
              label={text("previewOf", { name: layout.name })}
              onTime={preview.time.setTime}
              onDrawn={preview.onDrawn}
            />
          )}
          {inSteadyOrder(layout.zones).map(({ zone, depth }) => (
            <ZoneButton
              key={zone.key}
              zone={zone}
              depth={depth}
              layout={layout}
              isSelected={editor.selected.includes(zone.key)}
              isPreviewed={isPreviewed(zone)}
              onClick={onClick}
            />
          ))}
        </div>
        <StageMarks
          layout={layout}
          rules={rules}
          guides={drag?.guides ?? []}
          selected={editor.selected.flatMap((key) => zoneOf(layout, key) ?? [])}
          isReadOnly={isReadOnly}
          isDragged={drag !== null}
        />
      </div>
      <p id={hintId} className="stage-hint small faint text-center">
        {text(isReadOnly ? "stageHintReadOnly" : "stageHint")}
      </p>
    </div>
  );
}

/** In an order that no change of place or stacking alters: an element that is moved in the document loses the focus. */
function inSteadyOrder(zones: readonly EditedZone[]): { zone: EditedZone; depth: number }[] {
  return zones.map((zone, depth) => ({ zone, depth })).toSorted((one, other) => (one.zone.key < other.zone.key ? -1 : 1));
}

interface ZoneButtonProps {
  zone: EditedZone;
  depth: number;
  layout: Size;
  isSelected: boolean;
  isPreviewed: boolean;
  onClick: (event: MouseEvent, key: string) => void;
}

function ZoneButton({ zone, depth, layout, isSelected, isPreviewed, onClick }: ZoneButtonProps) {
  const { key, rotation, background_color } = zone;
  const style: CSSProperties = { ...boxStyleOf(zone, layout), zIndex: depth, rotate: `${rotation}deg` };
  if (background_color !== null && !isPreviewed) style.backgroundColor = background_color;
  return (
    <button
      type="button"
      className="stage-zone crop bare no-padding block"
      data-zone={key}
      data-selected={isSelected}
      aria-pressed={isSelected}
      style={style}
      onClick={(event) => onClick(event, key)}
    >
      <span className="visually-hidden">{placeText(zone)}</span>
      <ZoneContent zone={zone} isPreviewed={isPreviewed} />
    </button>
  );
}

function BackgroundImage({ assetId }: { assetId: string | null }) {
  const { data } = useQuery({ ...assetQuery(assetId ?? ""), enabled: assetId !== null });
  const url = assetId === null || data === undefined ? null : thumbnailUrl(data);
  return url === null ? null : <img className="stage-image full-width fill" src={url} alt="" draggable={false} />;
}
