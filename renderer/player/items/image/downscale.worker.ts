// The worker behind downscale.ts: one file in, one small bitmap out.

/** Width and height in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

const mayMove = /^image\/(?:gif|webp|avif|png|apng)$/;

addEventListener("message", ({ data }: MessageEvent<{ src: string; size: ImageSize }>) => {
  work(data.src, data.size).then(
    (bitmap) => postMessage({ bitmap }, { transfer: bitmap === null ? [] : [bitmap] }),
    (error: unknown) => postMessage({ error: String(error) }),
  );
});

/** The bitmap, its EXIF orientation applied; null for a file that moves or has no pixels of its own. */
async function work(src: string, { width, height }: ImageSize): Promise<ImageBitmap | null> {
  const response = await fetch(src);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const blob = await response.blob();
  if (blob.type === "image/svg+xml") return null;
  if (mayMove.test(blob.type) && (await moves(blob))) return null;
  // Drawn, not scaled while decoding or from the bitmap: there Chromium 156 forgets the orientation.
  const whole = await createImageBitmap(blob, { imageOrientation: "from-image" });
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingQuality = "high";
  context.drawImage(whole, 0, 0, width, height);
  whole.close();
  return canvas.transferToImageBitmap();
}

async function moves(blob: Blob): Promise<boolean> {
  if (!(await ImageDecoder.isTypeSupported(blob.type))) return false;
  const decoder = new ImageDecoder({ data: blob.stream(), type: blob.type });
  try {
    await decoder.tracks.ready;
    return decoder.tracks.selectedTrack?.animated === true;
  } finally {
    decoder.close();
  }
}
