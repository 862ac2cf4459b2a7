// A picture: loaded, decoded and painted before it is due, and never kept larger than its zone can show.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { downscale } from "./downscale.ts";
import { diagnoseFailure, type Item, ItemFailure, prepareTimeoutMs, simpleItem, type ItemContext, withTimeout } from "../item.ts";

// Up to this many times the pixels of the zone a picture is drawn from the file: scaling would save too little.
const worthScaling = 1.6;
// Pictures of so few pixels are drawn pixel by pixel: made large, smoothing leaves nothing of them but a blur.
const maxSharpPixels = 16;
// What decoding once may take: 4 bytes a pixel, for a moment. An 8K photo is 33 megapixels.
const maxMegapixels = 120;
const megapixelsPerGigabyte = 40;

// A drawing keeps its proportions whatever box it is given, unless its address says otherwise; pixels take no notice.
const stretched = "#svgView(preserveAspectRatio(none))";

/** An image item. */
export function createImage(item: Extract<SceneItem, { type: "image" }>, around: ItemContext): Item {
  const element = createElement("div", "item picture");
  const picture = new Picture(item.src, item.fit, element);
  return simpleItem(
    element,
    around,
    (signal) => picture.load(around, signal),
    () => picture.release(),
  );
}

/** A picture file inside an element that is as large as its zone. */
export class Picture {
  readonly #src: string;
  readonly #fit: SceneFit;
  readonly #parent: HTMLElement;
  readonly #image = createElement("img", "media");
  #isDecoding = false;
  #canvas: HTMLCanvasElement | null = null;

  constructor(src: string, fit: SceneFit, parent: HTMLElement) {
    this.#src = src;
    this.#fit = fit;
    this.#parent = parent;
    this.#image.style.objectFit = fit;
    // Otherwise the compositor may draw the layer first and the picture a few frames later.
    this.#image.decoding = "sync";
    this.#image.draggable = false;
  }

  /** Brings the picture in. @throws ItemFailure `load`, `decode`, `unsupported` (too large for this box) or `timeout`. */
  load(around: ItemContext, signal: AbortSignal): Promise<void> {
    const late = (): ItemFailure => new ItemFailure("timeout", `not decoded within ${prepareTimeoutMs} ms`);
    return withTimeout(this.#bringIn(around, signal), prepareTimeoutMs, signal, late);
  }

  release(): void {
    // Taken away while it is decoded, its source would leave the promise pending for ever, and the element in memory.
    if (!this.#isDecoding) letGo(this.#image);
    // A canvas of no size gives its memory back at once.
    if (this.#canvas !== null) this.#canvas.width = this.#canvas.height = 0;
  }

  async #bringIn(around: ItemContext, signal: AbortSignal): Promise<void> {
    const image = this.#image;
    // Its size is known before it is decoded: nothing paints an element outside the document.
    await loaded(image, this.#fit === "fill" ? `${this.#src}${stretched}` : this.#src);
    const { naturalWidth, naturalHeight } = image;
    const shown = this.#shownSize(around);
    // Drawings are not made of pixels: Chromium draws them smooth in any case.
    if (Math.max(naturalWidth, naturalHeight) <= maxSharpPixels) image.style.imageRendering = "pixelated";
    if (naturalWidth * naturalHeight > shown.width * shown.height * worthScaling) {
      refuseHuge(naturalWidth, naturalHeight);
      const scaled = await downscale(this.#src, shown, signal).catch(async (error: unknown) => {
        if (signal.aborted) throw error;
        throw await diagnoseFailure(this.#src, "decode", String(error));
      });
      if (scaled.is === "bitmap") {
        letGo(image);
        this.#draw(scaled.bitmap, signal);
        return;
      }
    }
    this.#parent.append(image);
    this.#isDecoding = true;
    try {
      await image.decode();
    } catch (error) {
      throw await diagnoseFailure(this.#src, "decode", String(error));
    } finally {
      this.#isDecoding = false;
      if (signal.aborted) letGo(image);
    }
  }

  /** The pixels the picture covers on the glass, as its fit has it, cut-off parts included. */
  #shownSize({ width, height }: ItemContext): { width: number; height: number } {
    const { naturalWidth, naturalHeight } = this.#image;
    const scale = deviceScaleOf(this.#parent);
    const across = (width * scale) / Math.max(1, naturalWidth);
    const down = (height * scale) / Math.max(1, naturalHeight);
    const [x, y] =
      this.#fit === "fill" ? [across, down] : this.#fit === "cover" ? alike(Math.max(across, down)) : alike(Math.min(across, down));
    return { width: Math.max(1, Math.round(naturalWidth * x)), height: Math.max(1, Math.round(naturalHeight * y)) };
  }

  #draw(bitmap: ImageBitmap, signal: AbortSignal): void {
    if (signal.aborted) return bitmap.close();
    const canvas = createElement("canvas", "media");
    canvas.style.objectFit = this.#fit;
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext("bitmaprenderer")!.transferFromImageBitmap(bitmap);
    this.#canvas = canvas;
    this.#parent.append(canvas);
  }
}

type SceneFit = Extract<SceneItem, { type: "image" }>["fit"];

/** Device pixels per layout pixel at an element in the document, whichever way its stage is turned. */
export function deviceScaleOf(element: HTMLElement): number {
  const { width, height } = element.getBoundingClientRect();
  const area = element.offsetWidth * element.offsetHeight;
  return (area > 0 ? Math.sqrt((width * height) / area) : 1) * devicePixelRatio;
}

/**
 * Frees the file and its picture. Emptied, not removed: Chromium 156 never frees an image outside the document whose
 * `src` was removed, nor what hears its events.
 */
function letGo(image: HTMLImageElement): void {
  image.src = "";
}

function alike(scale: number): [number, number] {
  return [scale, scale];
}

function refuseHuge(width: number, height: number): void {
  // `deviceMemory` is in gigabytes; engines that do not tell it count as large.
  const { deviceMemory = 8 } = navigator as Navigator & { deviceMemory?: number };
  const most = Math.min(maxMegapixels, deviceMemory * megapixelsPerGigabyte);
  if (width * height <= most * 1_000_000) return;
  const detail = `${width} × ${height} pixels; this player takes ${most} megapixels. Scale the picture down before the upload`;
  throw new ItemFailure("unsupported", detail);
}

function loaded(image: HTMLImageElement, src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    image.addEventListener("load", () => resolve(), { once: true });
    image.addEventListener(
      "error",
      () => {
        diagnoseFailure(src, "decode", "the picture does not decode").then(reject, reject);
      },
      { once: true },
    );
    image.src = src;
  });
}
