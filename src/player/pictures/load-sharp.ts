// Loads sharp when a picture first needs it: libvips takes 30 MB that most screens never use.
import type Sharp from "sharp";

/** One thread and no cache: a picture may wait, playback may not, and no two captures are alike. */
export async function loadSharp(): Promise<typeof Sharp> {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}
