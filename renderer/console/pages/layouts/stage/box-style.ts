// Where something of a layout lies on the stage, however large the stage is.
import type { CSSProperties } from "react";
import type { Box, Size } from "../model/edited-layout.ts";

/** The style of a rectangle. The stage always runs from left to right, as screens do. */
export function boxStyleOf({ left, top, width, height }: Box, layout: Size): CSSProperties {
  return {
    insetInlineStart: `${(100 * left) / layout.width}%`,
    insetBlockStart: `${(100 * top) / layout.height}%`,
    inlineSize: `${(100 * width) / layout.width}%`,
    blockSize: `${(100 * height) / layout.height}%`,
  };
}
