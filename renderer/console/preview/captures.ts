// What a preview shows in place of a web page, a bundle or a stream: the part of the screen's newest picture in which it was, with its age.
import { preview } from "../i18n/en/preview.ts";
import { formatAge } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import type { SceneZone, Stage } from "../../../src/protocol/scene.ts";
import type { ScenePreparation } from "./scene.ts";

const text = texts(preview);

/** A picture of the screen, and what was on it. */
export interface Capture {
  /** The path of the picture. */
  src: string;
  takenAt: number;
  /** The items that were on the screen. */
  itemIds: ReadonlySet<string>;
}

const captured = { web: "webCapture", html: "bundleCapture", stream: "streamCapture" } as const;
const missing = { web: "webOnly", html: "bundleOnly", stream: "streamOnly" } as const;
const whole = { left: 0, top: 0, width: 1, height: 1 };

/** @param size of the screen, whose whole picture the capture is */
export function captureFrom(capture: Capture | null, size: { width: number; height: number }): ScenePreparation["captureOf"] {
  return (item, zone, stage) => {
    const crop = cropOf(zone, stage, size);
    if (capture === null || crop === null || !capture.itemIds.has(item.item_id))
      return { src: null, crop: whole, label: text(missing[item.type]) };
    const age = formatAge(new Date(capture.takenAt), new Date());
    return { src: capture.src, crop, label: text(captured[item.type], { age }) };
  };
}

/** The zone's place on the screen, as shares; null where the picture does not show the upright, whole zone. */
function cropOf({ left, top, width, height, rotation = 0 }: SceneZone, stage: Stage, size: { width: number; height: number }) {
  if (stage.wall !== undefined || rotation !== 0) return null;
  const scale = Math.min(size.width / stage.width, size.height / stage.height);
  const crop = {
    left: (left * scale + (size.width - stage.width * scale) / 2) / size.width,
    top: (top * scale + (size.height - stage.height * scale) / 2) / size.height,
    width: (width * scale) / size.width,
    height: (height * scale) / size.height,
  };
  const isInside = crop.left >= 0 && crop.top >= 0 && crop.left + crop.width <= 1.0001 && crop.top + crop.height <= 1.0001;
  return isInside ? { ...crop, width: Math.min(1, crop.width), height: Math.min(1, crop.height) } : null;
}
