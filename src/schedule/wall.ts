// Decides which zones of a layout are on one display of a video wall. Pure.
import type { DesiredLayout } from "../protocol/device/desired-state.ts";
import type { Zone } from "../protocol/operator/resources.ts";
import type { Wall } from "../protocol/content/wall.ts";

type Box = Pick<Zone, "left" | "top" | "width" | "height">;

/**
 * True if any part of `zone` is on the display. A zone that is not is neither loaded nor counted as played there. Its sound
 * comes from the displays that show it.
 */
export function isOnDisplay(zone: Zone, layout: Pick<DesiredLayout, "width" | "height">, wall: Wall | null): boolean {
  if (wall === null) return true;
  const box = boundingBox(zone);
  // The layout fits into the wall and is centered.
  const scale = Math.min(wall.wall_width / layout.width, wall.wall_height / layout.height);
  const left = box.left * scale + (wall.wall_width - layout.width * scale) / 2;
  const top = box.top * scale + (wall.wall_height - layout.height * scale) / 2;
  return (
    left < wall.left + wall.width &&
    left + box.width * scale > wall.left &&
    top < wall.top + wall.height &&
    top + box.height * scale > wall.top
  );
}

/** The upright box around a zone that is rotated about its center. */
function boundingBox({ left, top, width, height, rotation = 0 }: Zone): Box {
  const radians = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const [w, h] = [width * cos + height * sin, width * sin + height * cos];
  return { left: left + (width - w) / 2, top: top + (height - h) / 2, width: w, height: h };
}
