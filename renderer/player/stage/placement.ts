// Where a stage is placed on the display: whole and centred, or the part that this display of a video wall shows. Pure.
import type { Stage } from "../../../src/protocol/scene.ts";

interface Size {
  width: number;
  height: number;
}

/** All in whole CSS pixels, except the scale. */
export interface Placement {
  /** The part of the display that shows the stage; the rest stays black. */
  visibleArea: Size & { left: number; top: number };
  /** The stage's upper left corner, relative to that of the visible area. */
  left: number;
  top: number;
  /** CSS pixels per stage pixel. */
  scale: number;
}

/** As large as the display allows. A part with other proportions than the display is centred, never stretched. */
export function placementOf({ width, height, wall }: Pick<Stage, "width" | "height" | "wall">, display: Size): Placement {
  if (wall === undefined) {
    const scale = Math.min(display.width / width, display.height / height);
    const left = Math.round((display.width - width * scale) / 2);
    const top = Math.round((display.height - height * scale) / 2);
    return { visibleArea: { left: 0, top: 0, ...display }, left, top, scale };
  }
  const toDisplay = Math.min(display.width / wall.width, display.height / wall.height);
  const area = { width: Math.round(wall.width * toDisplay), height: Math.round(wall.height * toDisplay) };
  const onWall = Math.min(wall.wall_width / width, wall.wall_height / height);
  return {
    visibleArea: { left: Math.round((display.width - area.width) / 2), top: Math.round((display.height - area.height) / 2), ...area },
    left: Math.round(((wall.wall_width - width * onWall) / 2 - wall.left) * toDisplay),
    top: Math.round(((wall.wall_height - height * onWall) / 2 - wall.top) * toDisplay),
    scale: onWall * toDisplay,
  };
}
