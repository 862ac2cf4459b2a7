// Brings a capture of the glass into the form that a screenshot command asks for.
import type { Capture } from "../host.ts";

const types = { jpeg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;

/** A picture ready for upload. */
export interface Picture {
  bytes: Buffer;
  mimeType: (typeof types)[keyof typeof types];
}

/** Converts and, where it is wider than `maxWidth` pixels, scales down. A capture that already fits is passed on as it is. */
export async function convertPicture(capture: Capture, format: keyof typeof types, maxWidth: number | undefined): Promise<Picture> {
  const mimeType = types[format];
  if (capture.mimeType === mimeType && maxWidth === undefined) return { bytes: capture.bytes, mimeType };
  // Loaded at the first need only: libvips costs 30 MB that most screens never use.
  const { default: sharp } = await import("sharp");
  const picture = sharp(capture.bytes);
  if (maxWidth !== undefined) picture.resize({ width: maxWidth, withoutEnlargement: true });
  // Effort 0: twice as fast as the default for a few per cent of size, while a video is playing (measuring.md, section 4).
  const options = format === "webp" ? { quality: 85, effort: 0 } : format === "jpeg" ? { quality: 85 } : {};
  return { bytes: await picture.toFormat(format, options).toBuffer(), mimeType };
}
