// Finds the part of a screen's picture in which a zone was. Pure.
import type { SceneZone, Stage } from "../../../src/protocol/scene.ts";

interface Size {
  width: number;
  height: number;
}

/** A part of a picture, as shares of its width and height. */
export interface Crop {
  left: number;
  top: number;
  width: number;
  height: number;
}

// Pictures are scaled to whole pixels.
const likeness = 0.02;

/**
 * Where a zone is in the newest picture of a screen; null where it does not show the upright, whole zone.
 * @param screen its size as people see it, upright, as pictures are @param picture the size of the picture
 */
export function captureCrop(zone: SceneZone, stage: Stage, screen: Size, picture: Size): Crop | null {
  if (stage.wall !== undefined || (zone.rotation ?? 0) !== 0) return null;
  // Taken when the screen stood otherwise.
  if (Math.abs((picture.width * screen.height) / (picture.height * screen.width) - 1) > likeness) return null;
  const scale = Math.min(screen.width / stage.width, screen.height / stage.height);
  const crop = {
    left: (zone.left * scale + (screen.width - stage.width * scale) / 2) / screen.width,
    top: (zone.top * scale + (screen.height - stage.height * scale) / 2) / screen.height,
    width: (zone.width * scale) / screen.width,
    height: (zone.height * scale) / screen.height,
  };
  const isInside = crop.left >= 0 && crop.top >= 0 && crop.left + crop.width <= 1.0001 && crop.top + crop.height <= 1.0001;
  return isInside ? { ...crop, width: Math.min(1, crop.width), height: Math.min(1, crop.height) } : null;
}
