// Examines raster pictures by decoding every pixel, so that no broken file reaches a screen.
import { open } from "node:fs/promises";
import { ProblemError } from "../../http/problem.ts";
import { badFile, errorSummary } from "../bad-file.ts";
import type { MediaInfo } from "../job-protocol.ts";
import { mediaInfo } from "../media-info.ts";
import { maxEdge } from "./sizes.ts";

/** @throws ProblemError 422 for a picture that is too large, truncated or broken. */
export async function examineImage(path: string, mimeType: string): Promise<MediaInfo> {
  const { default: sharp } = await import("sharp");
  const options = { limitInputPixels: maxEdge ** 2, failOn: "truncated" } as const;
  try {
    // Reads only the header, so a size above the limit does no harm.
    const { autoOrient } = await sharp(path, { ...options, limitInputPixels: false }).metadata();
    checkEdges(autoOrient.width, autoOrient.height);
    await sharp(path, { ...options, animated: mimeType !== "image/avif" }).stats();
    return mediaInfo("image", mimeType, { width: autoOrient.width, height: autoOrient.height });
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    if (/pixel limit/i.test(errorSummary(cause))) {
      throw badFile("The picture's frames together have more pixels than 16384 × 16384: make it smaller or shorter, or a video", cause);
    }
    if (mimeType === "image/avif" && (await isSequence(path))) {
      throw badFile("The file is an animated AVIF: convert it to an animated WebP or to an MP4 or WebM video", cause);
    }
    throw badFile(`The picture cannot be decoded (${errorSummary(cause)}): it may be truncated; export it again`, cause);
  }
}

/** True if an AVIF is an image sequence: its major brand (ISO/IEC 14496-12, 4.3) is `avis`. */
async function isSequence(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 8);
    return buffer.toString("latin1", 0, bytesRead) === "avis";
  } finally {
    await file.close();
  }
}

/** @throws ProblemError 422 for a picture with a side above the limit. */
export function checkEdges(width: number, height: number): void {
  if (width <= maxEdge && height <= maxEdge) return;
  throw badFile(
    `The picture has ${width} × ${height} pixels; the limit is ${maxEdge} per side: make it smaller; a 4K screen shows 3840 × 2160`,
  );
}
