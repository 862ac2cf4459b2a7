// A QR code whose modules are whole pixels of the glass: readers then see edges, not greys.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { make } from "../dom.ts";
import { drawQr } from "../qr.ts";
import { glassScale } from "./image.ts";
import { type Item, ItemFailure, stillItem, type Surroundings } from "./item.ts";

/** A QR item. */
export function createQr(item: Extract<SceneItem, { type: "qr" }>, around: Surroundings): Item {
  const element = make("div", "item qrcode");
  element.style.backgroundColor = item.background_color;
  return stillItem(element, around, () => {
    const { svg, modules } = draw(item);
    const scale = glassScale(element);
    const room = Math.min(around.width, around.height);
    // A code with more modules than pixels is not readable in any way; it is drawn all the same.
    const side = (Math.max(1, Math.floor((room * scale) / modules)) * modules) / scale;
    svg.style.width = svg.style.height = `${side}px`;
    svg.style.left = `${Math.round(((around.width - side) / 2) * scale) / scale}px`;
    svg.style.top = `${Math.round(((around.height - side) / 2) * scale) / scale}px`;
    element.append(svg);
  });
}

function draw(item: Extract<SceneItem, { type: "qr" }>): ReturnType<typeof drawQr> {
  const { color, background_color: background, quiet_zone: quietModules, error_correction: correction } = item;
  try {
    return drawQr(item.data, { color, background, quietModules, correction });
  } catch (error) {
    throw new ItemFailure("unsupported", `${String(error)}: shorten data or lower error_correction`);
  }
}
