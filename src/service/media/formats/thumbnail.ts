// Draws the small picture that lists of assets show.
import sharp from "sharp";
import { longestEdge, thumbnailEdge } from "./sizes.ts";

/** A WebP of at most {@link thumbnailEdge} pixels along a side, upright. */
export function shrink(source: string | Buffer): Promise<Buffer> {
  return sharp(source, { limitInputPixels: longestEdge ** 2 })
    .autoOrient()
    .resize(thumbnailEdge, thumbnailEdge, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
