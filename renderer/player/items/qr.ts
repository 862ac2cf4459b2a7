// A QR code whose modules are whole pixels of the glass: readers then see edges, not greys.
import { contrastOf, minContrast } from "../../../src/protocol/content/qr-legibility.ts";
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { createElement } from "../dom.ts";
import { drawQr } from "../qr.ts";
import { deviceScaleOf } from "./image/image.ts";
import { type Item, ItemFailure, simpleItem, type ItemContext } from "./item.ts";

// Fewer pixels of the glass for a module are not told apart by a phone's camera from where people stand.
const minModulePixels = 3;

/** A QR item. */
export function createQr(item: Extract<SceneItem, { type: "qr" }>, around: ItemContext): Item {
  const element = createElement("div", "item qrcode");
  element.style.backgroundColor = item.background_color;
  return simpleItem(element, around, () => {
    const { svg, modules } = draw(item);
    const scale = deviceScaleOf(element);
    const room = Math.min(around.width, around.height);
    // A code with more modules than pixels is not readable in any way; it is drawn all the same.
    const modulePixels = Math.max(1, Math.floor((room * scale) / modules));
    const side = (modulePixels * modules) / scale;
    const detail = reasonUnreadable(item, modulePixels);
    if (detail !== null) around.onFlaw({ code: "qr-unreadable", detail });
    svg.style.width = svg.style.height = `${side}px`;
    svg.style.left = `${Math.round(((around.width - side) / 2) * scale) / scale}px`;
    svg.style.top = `${Math.round(((around.height - side) / 2) * scale) / scale}px`;
    element.append(svg);
  });
}

/** Why no camera can read it, and what to do; null when one can. */
function reasonUnreadable(item: Extract<SceneItem, { type: "qr" }>, modulePixels: number): string | null {
  if (modulePixels < minModulePixels)
    return `a module of the code is ${modulePixels} pixel${modulePixels === 1 ? "" : "s"} wide, cameras need ${minModulePixels}: shorten data, lower error_correction or enlarge the zone`;
  const contrast = contrastOf(item.color, item.background_color);
  if (contrast < minContrast)
    return `color and background_color have a contrast of ${contrast.toFixed(1)}, cameras need ${minContrast}: choose colours further apart`;
  return null;
}

function draw(item: Extract<SceneItem, { type: "qr" }>): ReturnType<typeof drawQr> {
  const { color, background_color: background, quiet_zone: quietModules, error_correction: correction } = item;
  try {
    return drawQr(item.data, { color, background, quietModules, correction });
  } catch (error) {
    throw new ItemFailure("unsupported", `${String(error)}: shorten data or lower error_correction`);
  }
}
