// The worker of downscale.ts: decodes one file and returns a small bitmap.
import { isAnimatedFile } from "./animated.ts";

/** Width and height in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

const mayBeAnimated = /^image\/(?:gif|webp|avif|png|apng)$/;

addEventListener("message", ({ data }: MessageEvent<{ src: string; size: ImageSize }>) => {
  createBitmap(data.src, data.size).then(
    (bitmap) => postMessage({ bitmap }, { transfer: bitmap === null ? [] : [bitmap] }),
    (error: unknown) => postMessage({ error: String(error) }),
  );
});

/** The bitmap with its EXIF orientation applied; null for an animated file or an SVG. */
async function createBitmap(src: string, { width, height }: ImageSize): Promise<ImageBitmap | null> {
  const response = await fetch(src);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const blob = await response.blob();
  if (blob.type === "image/svg+xml") return null;
  if (mayBeAnimated.test(blob.type) && (await isAnimated(blob))) return null;
  // Scaled on a canvas: Chromium 156 ignores the orientation when it scales while decoding or from the bitmap.
  const whole = await createImageBitmap(blob, { imageOrientation: "from-image" });
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingQuality = "high";
  context.drawImage(whole, 0, 0, width, height);
  whole.close();
  return canvas.transferToImageBitmap();
}

async function isAnimated(blob: Blob): Promise<boolean> {
  // Browsers have the decoder only in secure contexts, and a sandboxed page is in none.
  if (!("ImageDecoder" in self)) return isAnimatedFile(new Uint8Array(await blob.arrayBuffer()));
  if (!(await ImageDecoder.isTypeSupported(blob.type))) return false;
  const decoder = new ImageDecoder({ data: blob.stream(), type: blob.type });
  try {
    await decoder.tracks.ready;
    return decoder.tracks.selectedTrack?.animated === true;
  } finally {
    decoder.close();
  }
}
