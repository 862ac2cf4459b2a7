// The stand-in for a web page, a bundle or a stream: its part of the screen's newest picture, with the age of the picture.
import { formatAge } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { captureCrop } from "./capture-crop.ts";
import type { ScenePreparation } from "./scene.ts";

const text = texts("preview");

/** A picture of the screen, and the items that were on it. */
export interface Capture {
  /** The path of the picture. */
  src: string;
  width: number;
  height: number;
  takenAt: number;
  /** The items that were on the screen. */
  itemIds: ReadonlySet<string>;
}

const whole = { left: 0, top: 0, width: 1, height: 1 };

/** @param screen its size as people see it, upright */
export function captureFrom(capture: Capture | null, screen: { width: number; height: number }): ScenePreparation["captureOf"] {
  return (item, captions, zone, stage) => {
    const crop = capture === null ? null : captureCrop(zone, stage, screen, capture);
    if (capture === null || crop === null || !capture.itemIds.has(item.item_id))
      return { src: null, crop: whole, label: text(captions.none) };
    const age = formatAge(new Date(capture.takenAt), new Date());
    return { src: capture.src, crop, label: text(captions.picture, { age }) };
  };
}
