// The changes of a layout: drawn before and after, and in words.
import { texts } from "../../../i18n/texts.ts";
import { differenceText, valueText } from "../../layouts/words.ts";
import { zoneOf, type EditedLayout } from "../../layouts/model/edited-layout.ts";
import type { Difference } from "../../layouts/model/merge.ts";
import { layoutChange, type Layout, type LayoutChange } from "../model/layout-changes.ts";
import type { NameOf } from "./names.ts";

const text = texts("changes");

export function LayoutView({ before, after, nameOf }: { before: Layout | null; after: Layout | null; nameOf: NameOf }) {
  const change = layoutChange(before, after);
  return (
    <>
      <div className="wrap gap-4">
        {change.before === null ? null : (
          <Drawing layout={change.before} change={change} label={text("drawnBefore")} title={text("before")} />
        )}
        {change.after === null ? null : <Drawing layout={change.after} change={change} label={text("drawnAfter")} title={text("after")} />}
      </div>
      {change.differences.length === 0 ? null : (
        <ul className="stack gap-1 break-words">
          {change.differences.map((difference) => (
            <li key={`${difference.zone} ${difference.part}`}>{wordsOf(difference, change, nameOf)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function wordsOf(difference: Difference, { before, after }: LayoutChange, nameOf: NameOf): string {
  if (difference.part === "existence") {
    const isNew = zoneOf(before!, difference.zone!) === undefined;
    return text(isNew ? "zoneAdded" : "zoneRemoved", { name: zoneOf(isNew ? after! : before!, difference.zone!)!.name });
  }
  const playlistName = (id: string | null): string => (id === null ? text("nothing") : nameOf(id));
  return text("partChange", {
    part: differenceText(difference, after!, before!),
    before: valueText(before!, difference, playlistName),
    after: valueText(after!, difference, playlistName),
  });
}

interface DrawingProps {
  layout: EditedLayout;
  change: LayoutChange;
  label: string;
  title: string;
}

function Drawing({ layout: { width, height, background_color: background, zones }, change, label, title }: DrawingProps) {
  return (
    <figure className="change-layout">
      <svg
        className="max-full block"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
        style={{ aspectRatio: `${width} / ${height}` }}
      >
        <rect width={width} height={height} fill={background} />
        {zones.map(({ key, left, top, width: wide, height: high, rotation, background_color: fill }) => (
          <rect
            key={key}
            className="change-zone"
            data-is={change.zones.get(key) ?? "same"}
            x={left}
            y={top}
            width={wide}
            height={high}
            {...(fill === null ? {} : { style: { fill } })}
            transform={`rotate(${rotation} ${left + wide / 2} ${top + high / 2})`}
          />
        ))}
      </svg>
      <figcaption className="faint small above-1">{title}</figcaption>
    </figure>
  );
}
