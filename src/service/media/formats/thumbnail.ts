// Draws the thumbnail of a picture.
import sharp from "sharp";
import { maxEdge, thumbnailEdge } from "./sizes.ts";

/** An upright WebP of at most {@link thumbnailEdge} pixels per side. */
export function makeThumbnail(source: string | Buffer): Promise<Buffer> {
  return sharp(source, { limitInputPixels: maxEdge ** 2 })
    .autoOrient()
    .resize(thumbnailEdge, thumbnailEdge, { fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
}
