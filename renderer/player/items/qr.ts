// A QR code item. Each module is a whole number of device pixels, so that scanners see sharp edges.
import { contrastOf, minContrast } from "../../../src/protocol/content/qr-legibility.ts";
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { createElement } from "../dom.ts";
import { drawQr } from "../qr.ts";
import { deviceScaleOf } from "./image/image.ts";
import { type Item, ItemFailure, simpleItem, type ItemContext } from "./item.ts";

// A phone's camera cannot distinguish smaller modules at the usual viewing distance.
const minModulePixels = 3;

/** Creates a QR code item. */
export function createQr(item: Extract<SceneItem, { type: "qr" }>, context: ItemContext): Item {
  const element = createElement("div", "item qrcode");
  element.style.backgroundColor = item.background_color;
  return simpleItem(element, context, () => {
    const { svg, modules } = draw(item);
    const scale = deviceScaleOf(element);
    const available = Math.min(context.width, context.height);
    // A code with more modules than pixels is unreadable; it is drawn anyway.
    const modulePixels = Math.max(1, Math.floor((available * scale) / modules));
    const side = (modulePixels * modules) / scale;
    const detail = reasonUnreadable(item, modulePixels);
    if (detail !== null) context.onFlaw({ code: "qr-unreadable", detail });
    svg.style.width = svg.style.height = `${side}px`;
    svg.style.left = `${Math.round(((context.width - side) / 2) * scale) / scale}px`;
    svg.style.top = `${Math.round(((context.height - side) / 2) * scale) / scale}px`;
    element.append(svg);
  });
}

/** The reason that no camera can read the code, and the remedy; null when it is readable. */
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
