// Converts a capture of the screen to the format and size that a screenshot command asks for.
import type { Capture } from "../host.ts";

const types = { jpeg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;

/** An image ready for upload. */
export interface Picture {
  bytes: Buffer;
  mimeType: (typeof types)[keyof typeof types];
}

/** Converts a capture, and scales it down if it is wider than `maxWidth` pixels. A capture in the right format and without `maxWidth` is returned unchanged. */
export async function convertPicture(capture: Capture, format: keyof typeof types, maxWidth: number | undefined): Promise<Picture> {
  const mimeType = types[format];
  if (capture.mimeType === mimeType && maxWidth === undefined) return { bytes: capture.bytes, mimeType };
  // Load sharp only when it is needed: libvips takes 30 MB that most screens never use.
  const { default: sharp } = await import("sharp");
  const picture = sharp(capture.bytes);
  if (maxWidth !== undefined) picture.resize({ width: maxWidth, withoutEnlargement: true });
  // Effort 0 is twice as fast as the default and only a few per cent larger. A video may be playing meanwhile.
  const options = format === "webp" ? { quality: 85, effort: 0 } : format === "jpeg" ? { quality: 85 } : {};
  return { bytes: await picture.toFormat(format, options).toBuffer(), mimeType };
}
