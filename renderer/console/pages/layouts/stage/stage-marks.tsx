// The marks over the picture of the stage that are not part of it: grid, safe area, guides, and the handles of the selection.
import type { CSSProperties } from "react";
import type { EditedLayout, EditedZone } from "../model/edited-layout.ts";
import { handles } from "../model/place.ts";
import { gridOf, safeAreaOf, type Guide } from "../model/snapping.ts";
import { boxStyleOf } from "./box-style.ts";
import type { StageRules } from "./use-drag.ts";

interface StageMarksProps {
  layout: EditedLayout;
  rules: StageRules;
  guides: readonly Guide[];
  selected: readonly EditedZone[];
  isReadOnly: boolean;
  isDragged: boolean;
}

export function StageMarks({ layout, rules, guides, selected, isReadOnly, isDragged }: StageMarksProps) {
  return (
    <div className="stage-marks fill" aria-hidden="true">
      {rules.hasGrid ? <Grid layout={layout} /> : null}
      {rules.hasSafeArea ? <span className="stage-safe" style={boxStyleOf(safeAreaOf(layout), layout)} /> : null}
      {guides.map(({ axis, at, kind }) => (
        <span key={`${axis} ${at}`} className="stage-guide" data-axis={axis} data-kind={kind} style={lineAt(axis, at, layout)} />
      ))}
      {selected.map((zone) => (
        <span key={zone.key} className="stage-selection" style={{ ...boxStyleOf(zone, layout), rotate: `${zone.rotation}deg` }}>
          {selected.length === 1 && !isReadOnly ? <Handles isDragged={isDragged} zone={zone} /> : null}
        </span>
      ))}
    </div>
  );
}

function lineAt(axis: "x" | "y", at: number, layout: EditedLayout): CSSProperties {
  return axis === "x" ? { insetInlineStart: `${(100 * at) / layout.width}%` } : { insetBlockStart: `${(100 * at) / layout.height}%` };
}

function Grid({ layout }: { layout: EditedLayout }) {
  const step = gridOf(layout);
  return (
    <svg className="stage-grid" width="100%" height="100%" viewBox={`0 0 ${layout.width} ${layout.height}`} preserveAspectRatio="none">
      <path d={gridPath(layout, step)} />
    </svg>
  );
}

function gridPath({ width, height }: EditedLayout, step: number): string {
  const lines: string[] = [];
  for (let x = step; x < width; x += step) lines.push(`M${x} 0V${height}`);
  for (let y = step; y < height; y += step) lines.push(`M0 ${y}H${width}`);
  return lines.join("");
}

function Handles({ zone, isDragged }: { zone: EditedZone; isDragged: boolean }) {
  return (
    <>
      {handles.map((handle) => (
        <span key={handle} className="stage-handle" data-handle={handle} />
      ))}
      <span className="stage-handle stage-turn" data-handle="turn" data-below={zone.top < 1} />
      {isDragged ? (
        <span className="stage-figures rounded-s small digits nowrap" style={{ rotate: `${-zone.rotation}deg` }}>
          {`${zone.width} × ${zone.height}`}
          {zone.rotation === 0 ? "" : ` · ${zone.rotation}°`}
        </span>
      ) : null}
    </>
  );
}
