// A little picture of a layout: its true proportions, its colours, its zones with their order and turns. Its name is beside it.
import type { CSSProperties } from "react";
import type { Box, EditedZone, Size } from "./model/edited-layout.ts";

type PicturedZone = Box & Partial<Pick<EditedZone, "rotation" | "background_color">> & { key: string; isEmpty?: boolean };

interface LayoutPictureProps extends Size {
  background: string;
  /** From back to front. */
  zones: readonly PicturedZone[];
}

export function LayoutPicture({ width, height, background, zones }: LayoutPictureProps) {
  return (
    <span className="layout-picture" style={{ "--ratio": width / height } as CSSProperties}>
      <svg className="full-width crop block" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <rect width={width} height={height} fill={background} />
        {zones.map(({ key, left, top, width: wide, height: high, rotation = 0, background_color, isEmpty = false }) => (
          <rect
            key={key}
            className="layout-picture-zone"
            data-empty={isEmpty}
            x={left}
            y={top}
            width={wide}
            height={high}
            {...(background_color == null ? {} : { style: { fill: background_color } })}
            transform={`rotate(${rotation} ${left + wide / 2} ${top + high / 2})`}
          />
        ))}
      </svg>
    </span>
  );
}
