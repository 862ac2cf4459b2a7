// An image item: loaded, decoded and painted before it is shown, and never kept larger than its zone can show.
import type { SceneItem } from "../../../../src/protocol/scene.ts";
import { createElement } from "../../dom.ts";
import { downscale } from "./downscale.ts";
import { withShippedFonts } from "./svg-fonts.ts";
import { diagnoseFailure, type Item, ItemFailure, prepareTimeoutMs, simpleItem, type ItemContext, withTimeout } from "../item.ts";

// A picture with up to this many times the pixels of its zone is not scaled down: that would save too little memory.
const worthScaling = 1.6;
// Pictures of at most this width and height are enlarged without smoothing, which would leave only a blur.
const maxSharpPixels = 16;
// The limit for decoding a picture at its full size, at 4 bytes a pixel. An 8K photo has 33 megapixels.
const maxMegapixels = 120;
const megapixelsPerGigabyte = 40;

// Makes an SVG ignore its proportions and fill its box. Has no effect on bitmaps.
const stretchFragment = "#svgView(preserveAspectRatio(none))";

/** Creates an image item. */
export function createImage(item: Extract<SceneItem, { type: "image" }>, context: ItemContext): Item {
  const element = createElement("div", "item picture");
  const picture = new Picture(item.src, item.fit, element, item.is_svg);
  return simpleItem(
    element,
    context,
    (signal) => picture.load(context, signal),
    () => picture.release(),
  );
}

/** A picture file in an element that is as large as its zone. */
export class Picture {
  #src: string;
  readonly #isSvg: boolean;
  readonly #fit: SceneFit;
  readonly #parent: HTMLElement;
  readonly #image = createElement("img", "media");
  #isDecoding = false;
  #canvas: HTMLCanvasElement | null = null;

  constructor(src: string, fit: SceneFit, parent: HTMLElement, isSvg = false) {
    this.#src = src;
    this.#isSvg = isSvg;
    this.#fit = fit;
    this.#parent = parent;
    this.#image.style.objectFit = fit;
    // Otherwise the compositor may draw the layer some frames before the picture.
    this.#image.decoding = "sync";
    this.#image.draggable = false;
  }

  /** Loads and decodes the picture. @throws ItemFailure `load`, `decode`, `unsupported` (too large for this machine) or `timeout`. */
  load(context: ItemContext, signal: AbortSignal): Promise<void> {
    const createTimeout = (): ItemFailure => new ItemFailure("timeout", `not decoded within ${prepareTimeoutMs} ms`);
    return withTimeout(this.#loadAndDecode(context, signal), prepareTimeoutMs, signal, createTimeout);
  }

  release(): void {
    // Emptying the source during decoding would leave the promise pending forever and the element in memory.
    if (!this.#isDecoding) freeImage(this.#image);
    // A canvas of size 0 frees its memory at once.
    if (this.#canvas !== null) this.#canvas.width = this.#canvas.height = 0;
  }

  async #loadAndDecode(context: ItemContext, signal: AbortSignal): Promise<void> {
    const image = this.#image;
    if (this.#isSvg) this.#src = await this.#withFonts(context, signal);
    // Outside the document the element is not painted, so this finds the size without decoding the picture.
    await loadImage(image, this.#fit === "fill" ? `${this.#src}${stretchFragment}` : this.#src);
    const { naturalWidth, naturalHeight } = image;
    const size = this.#shownSize(context);
    // An SVG stays smooth: Chromium ignores this property for it.
    if (Math.max(naturalWidth, naturalHeight) <= maxSharpPixels) image.style.imageRendering = "pixelated";
    if (naturalWidth * naturalHeight > size.width * size.height * worthScaling) {
      rejectTooLarge(naturalWidth, naturalHeight);
      // An SVG is drawn at the size at which it is shown.
      const result = this.#isSvg
        ? ({ is: "unscaled" } as const)
        : await downscale(this.#src, size, signal).catch(async (error: unknown) => {
            if (signal.aborted) throw error;
            throw await diagnoseFailure(this.#src, "decode", String(error));
          });
      if (result.is === "bitmap") {
        freeImage(image);
        this.#draw(result.bitmap, signal);
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
      if (signal.aborted) freeImage(image);
    }
  }

  /** The address of the picture with the fonts of its text in it; its own if that cannot be made. */
  async #withFonts(context: ItemContext, signal: AbortSignal): Promise<string> {
    try {
      const { src, unknownFonts } = await withShippedFonts(this.#src, signal);
      if (unknownFonts.length > 0) context.onFlaw({ code: "font-missing", detail: unknownFontDetail(unknownFonts) });
      return src;
    } catch (error) {
      if (signal.aborted) throw error;
      context.onFlaw({ code: "font-missing", detail: `the fonts could not be put into the SVG (${String(error)})` });
      return this.#src;
    }
  }

  /** The size of the picture in device pixels as its fit shows it, cropped parts included. */
  #shownSize({ width, height }: ItemContext): { width: number; height: number } {
    const { naturalWidth, naturalHeight } = this.#image;
    const scale = deviceScaleOf(this.#parent);
    const across = (width * scale) / Math.max(1, naturalWidth);
    const down = (height * scale) / Math.max(1, naturalHeight);
    const [x, y] =
      this.#fit === "fill" ? [across, down] : this.#fit === "cover" ? sameScale(Math.max(across, down)) : sameScale(Math.min(across, down));
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

function unknownFontDetail(names: readonly string[]): string {
  return `the SVG names the font ${names.join(", ")}, which the player does not have, and is drawn in another: turn its text into paths, embed the font, or add sans-serif, serif or monospace to its list`;
}

/** Device pixels per layout pixel at an element in the document, regardless of rotation. */
export function deviceScaleOf(element: HTMLElement): number {
  const { width, height } = element.getBoundingClientRect();
  const area = element.offsetWidth * element.offsetHeight;
  return (area > 0 ? Math.sqrt((width * height) / area) : 1) * devicePixelRatio;
}

/**
 * Frees the file and its decoded picture. The `src` is emptied, not removed: Chromium 156 never frees an image outside
 * the document whose `src` was removed, nor its listeners.
 */
function freeImage(image: HTMLImageElement): void {
  image.src = "";
}

function sameScale(scale: number): [number, number] {
  return [scale, scale];
}

function rejectTooLarge(width: number, height: number): void {
  // `deviceMemory` is in gigabytes. Without it, assume a large machine.
  const { deviceMemory = 8 } = navigator as Navigator & { deviceMemory?: number };
  const limit = Math.min(maxMegapixels, deviceMemory * megapixelsPerGigabyte);
  if (width * height <= limit * 1_000_000) return;
  const detail = `${width} × ${height} pixels; this player accepts ${limit} megapixels. Scale the picture down before the upload`;
  throw new ItemFailure("unsupported", detail);
}

function loadImage(image: HTMLImageElement, src: string): Promise<void> {
  // Without the listeners: a freed image reports an error of its empty source.
  const listening = new AbortController();
  return new Promise<void>((resolve, reject) => {
    const { signal } = listening;
    image.addEventListener("load", () => resolve(), { signal });
    image.addEventListener(
      "error",
      () => {
        diagnoseFailure(src, "decode", "the picture cannot be decoded").then(reject, reject);
      },
      { once: true, signal },
    );
    image.src = src;
  }).finally(() => listening.abort());
}
