// Draws the small picture that lists of assets show.
import sharp from "sharp";
import { maxEdge, thumbnailEdge } from "./sizes.ts";

/** A WebP of at most {@link thumbnailEdge} pixels along a side, upright. */
export function makeThumbnail(source: string | Buffer): Promise<Buffer> {
  return sharp(source, { limitInputPixels: maxEdge ** 2 })
    .autoOrient()
    .resize(thumbnailEdge, thumbnailEdge, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
