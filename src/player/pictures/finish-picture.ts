// Makes a picture that may leave the player from the browser's capture: upright, private areas black, scaled and encoded.
import { Fault } from "../../base/fault.ts";
import type { Rotation } from "../../protocol/content/orientation.ts";
import type { Redaction } from "../../protocol/device/screenshot-settings.ts";
import type { Capture, CaptureOptions } from "../host.ts";
import { imageSize } from "./image-size.ts";
import { loadSharp } from "./load-sharp.ts";

export type PictureFormat = "jpeg" | "png" | "webp";

/** The picture that is asked for. */
export interface PictureRequest {
  format: PictureFormat;
  /** Of JPEG and WebP, 1 to 100. */
  quality: number;
  /** A wider picture is scaled down to it; undefined: full size. */
  maxWidth?: number | undefined;
}

/** The rotation of the display, and the areas that no picture may show. */
export interface PictureRules {
  /** Degrees clockwise by which the page turns its content, so that people see it upright. */
  rotation: Rotation;
  /** In percent of the upright picture. */
  redact: readonly Redaction[];
}

/** A picture that may leave the player. */
export interface Picture {
  bytes: Buffer;
  mimeType: `image/${PictureFormat}`;
  width: number;
  height: number;
}

const limitS = 5;
const black = { r: 0, g: 0, b: 0 };

/** The browser's part of a request. If the picture needs no change, the browser encodes it in the requested format. */
export function captureFor({ format, quality }: PictureRequest, rules: PictureRules): CaptureOptions | undefined {
  if (format === "png") return { format: "png", quality: 100 };
  return format === "jpeg" && isUnchanged(rules) ? { format: "jpeg", quality } : undefined;
}

/**
 * The picture that is asked for. A capture that needs no change is returned as it is.
 * @throws Fault `not-redacted` if a rectangle cannot be blackened, and `page-dead` for a capture that is no image.
 */
export async function finishPicture(capture: Capture, request: PictureRequest, rules: PictureRules): Promise<Picture> {
  const { format, maxWidth = Number.POSITIVE_INFINITY } = request;
  const mimeType = `image/${format}` as const;
  const captured = imageSize(capture.bytes);
  if (captured === null) throw new Fault("page-dead", "the browser returned a picture that is no image");
  if (capture.mimeType === mimeType && isUnchanged(rules) && captured.width <= maxWidth) {
    return { bytes: capture.bytes, mimeType, ...captured };
  }
  try {
    return await convert(capture, captured, request, rules);
  } catch (cause) {
    if (rules.redact.length === 0) throw cause;
    const detail = "the parts that no picture may show could not be blackened, so there is no picture";
    throw new Fault("not-redacted", `${detail}. If this happens again, change the screen's redaction or report it`, { cause });
  }
}

async function convert(
  { bytes }: Capture,
  captured: { width: number; height: number },
  { format, quality, maxWidth }: PictureRequest,
  { rotation, redact }: PictureRules,
): Promise<Picture> {
  const sharp = await loadSharp();
  const turn = (360 - rotation) % 360;
  const isTurned = turn % 180 !== 0;
  const upright = isTurned ? { width: captured.height, height: captured.width } : captured;
  const width = Math.min(upright.width, maxWidth ?? upright.width);
  const height = Math.max(1, Math.round((upright.height * width) / upright.width));
  const picture = sharp(bytes).timeout({ seconds: limitS });
  if (turn !== 0) picture.rotate(turn);
  if (width < upright.width) picture.resize({ width, height, fit: "fill" });
  // Applied to the scaled picture, so that scaling cannot mix the pixels under a rectangle into those beside it.
  const areas = redact.map((rectangle) => areaOf(rectangle, width, height)).filter((area) => area.width > 0 && area.height > 0);
  picture.composite(areas.map(({ left, top, ...size }) => ({ input: { create: { ...size, channels: 3, background: black } }, left, top })));
  // Effort 0 is twice as fast as the default and only a few per cent larger. A video may be playing meanwhile.
  const options = format === "webp" ? { quality, effort: 0 } : format === "jpeg" ? { quality } : {};
  const { data, info } = await picture.toFormat(format, options).toBuffer({ resolveWithObject: true });
  if (info.width !== width || info.height !== height)
    throw new TypeError(`the picture is ${info.width}×${info.height}, not ${width}×${height}`);
  return { bytes: data, mimeType: `image/${format}`, width, height };
}

function isUnchanged({ rotation, redact }: PictureRules): boolean {
  return rotation === 0 && redact.length === 0;
}

/** The pixels that a rectangle touches, within the picture. One more on each side: encoding mixes neighbours. */
function areaOf(rectangle: Redaction, width: number, height: number) {
  const left = Math.max(0, Math.floor((rectangle.left * width) / 100) - 1);
  const top = Math.max(0, Math.floor((rectangle.top * height) / 100) - 1);
  const right = Math.min(width, Math.ceil(((rectangle.left + rectangle.width) * width) / 100) + 1);
  const bottom = Math.min(height, Math.ceil(((rectangle.top + rectangle.height) * height) / 100) + 1);
  return { left, top, width: right - left, height: bottom - top };
}
