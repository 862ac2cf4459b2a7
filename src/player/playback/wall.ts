// Which zones of a layout a display of a video wall has a part of. Pure.
import type { DesiredLayout } from "../../protocol/device/desired-state.ts";
import type { Zone } from "../../protocol/operator/resources.ts";
import type { Wall } from "../../protocol/content/wall.ts";

type Box = Pick<Zone, "left" | "top" | "width" | "height">;

/**
 * Whether any of `zone` lies on the display. One that does not is neither loaded nor counted as played there; its sound
 * comes from the displays that show it.
 */
export function isOnDisplay(zone: Zone, layout: Pick<DesiredLayout, "width" | "height">, wall: Wall | null): boolean {
  if (wall === null) return true;
  const box = turned(zone);
  // The layout is whole and in the middle of the wall.
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

/** The upright box around a zone that is turned about its middle. */
function turned({ left, top, width, height, rotation = 0 }: Zone): Box {
  const radians = (rotation * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const [w, h] = [width * cos + height * sin, width * sin + height * cos];
  return { left: left + (width - w) / 2, top: top + (height - h) / 2, width: w, height: h };
}
