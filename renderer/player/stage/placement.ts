// Where a stage lies on the glass: whole and in the middle, or of a wall the part that this display shows. Pure.
import type { Stage } from "../../../src/protocol/scene.ts";

interface Size {
  width: number;
  height: number;
}

/** All in CSS pixels, on whole ones. */
export interface Placement {
  /** What is seen of the glass; the rest stays black. */
  visibleArea: Size & { left: number; top: number };
  /** Of the stage's corner, from that of the part. */
  left: number;
  top: number;
  /** Glass pixels to a stage pixel. */
  scale: number;
}

/** As large as the glass allows. A part of another shape than the glass stands in its middle, never stretched. */
export function placementOf({ width, height, wall }: Pick<Stage, "width" | "height" | "wall">, glass: Size): Placement {
  if (wall === undefined) {
    const scale = Math.min(glass.width / width, glass.height / height);
    const left = Math.round((glass.width - width * scale) / 2);
    const top = Math.round((glass.height - height * scale) / 2);
    return { visibleArea: { left: 0, top: 0, ...glass }, left, top, scale };
  }
  const toGlass = Math.min(glass.width / wall.width, glass.height / wall.height);
  const part = { width: Math.round(wall.width * toGlass), height: Math.round(wall.height * toGlass) };
  const onWall = Math.min(wall.wall_width / width, wall.wall_height / height);
  return {
    visibleArea: { left: Math.round((glass.width - part.width) / 2), top: Math.round((glass.height - part.height) / 2), ...part },
    left: Math.round(((wall.wall_width - width * onWall) / 2 - wall.left) * toGlass),
    top: Math.round(((wall.wall_height - height * onWall) / 2 - wall.top) * toGlass),
    scale: onWall * toGlass,
  };
}
