// Converts pictures that no browser shows: HEIC, TIFF and BMP become upright JPEG in sRGB, or PNG if they have transparency.
import { readFile, stat } from "node:fs/promises";
import { deflateSync, crc32 } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { ProblemError } from "../../http/problem.ts";
import { decodeBmp, type Pixels } from "./bmp.ts";
import { checkEdges } from "./image.ts";
import { badFile, errorSummary } from "../bad-file.ts";
import type { MediaInfo } from "../job-protocol.ts";
import { mediaInfo } from "../media-info.ts";
import { maxEdge } from "./sizes.ts";

const maxBytes = 512 * 1_024 * 1_024;
const limits = { limitInputPixels: maxEdge ** 2, failOn: "truncated" } as const;
const names: Record<string, string> = { "image/heic": "HEIC", "image/heif": "HEIF", "image/tiff": "TIFF", "image/bmp": "BMP" };

/** Writes the converted picture to `to`. @throws ProblemError 422 for a picture that is too large or cannot be decoded. */
export async function convertPicture(path: string, mimeType: string, to: string): Promise<MediaInfo> {
  const name = names[mimeType] ?? mimeType;
  try {
    if ((await stat(path)).size > maxBytes) throw badFile(`The ${name} picture is larger than 512 MB: export it as JPEG`);
    const source = await open(path, mimeType);
    const { hasAlpha } = await source.metadata();
    const upright = source.autoOrient().toColourspace("srgb");
    // libvips converts the colours of an embedded profile to sRGB. The output has no profile and no metadata.
    const output = hasAlpha ? upright.png() : upright.jpeg({ quality: 92, chromaSubsampling: "4:4:4" });
    const { width, height } = await output.toFile(to);
    return mediaInfo("image", hasAlpha ? "image/png" : "image/jpeg", { width, height, convertedFrom: mimeType });
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw badFile(
      `The ${name} picture cannot be decoded (${errorSummary(cause)}): it may be truncated; export it again, or as JPEG`,
      cause,
    );
  }
}

async function open(path: string, mimeType: string): Promise<Sharp> {
  if (mimeType === "image/tiff") {
    const { autoOrient } = await sharp(path, { ...limits, limitInputPixels: false }).metadata();
    checkEdges(autoOrient.width, autoOrient.height);
    return sharp(path, limits);
  }
  if (mimeType === "image/bmp") return raw(decodeBmp(await readFile(path)));
  return openHeif(await readFile(path));
}

function raw({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { ...limits, raw: { width, height, channels } });
}

/** The primary picture, rotated and cropped by libheif, with its colour profile. */
async function openHeif(bytes: Buffer): Promise<Sharp> {
  const { default: libheif } = await import("libheif-js/wasm-bundle.js");
  const images = new libheif.HeifDecoder().decode(bytes);
  const image = images.find((each) => each.is_primary()) ?? images[0];
  if (image === undefined) throw new Error("it contains no picture");
  const [width, height] = [image.get_width(), image.get_height()];
  checkEdges(width, height);
  const data = new Uint8ClampedArray(width * height * 4);
  await new Promise<void>((resolve, reject) => {
    image.display({ data, width, height }, (shown) => (shown === null ? reject(new Error("its pixels are broken")) : resolve()));
  });
  const profile = profileOf(bytes);
  let isOpaque = true;
  for (let at = 3; at < data.length && isOpaque; at += 4) isOpaque = data[at] === 255;
  const pixels = raw({ data: Buffer.from(data.buffer), width, height, channels: 4 });
  const decoded = isOpaque ? pixels.removeAlpha() : pixels;
  return profile === null ? sharp(await decoded.png({ compressionLevel: 1 }).toBuffer(), limits) : withProfile(decoded, profile);
}

/** The ICC profile of a HEIF file (ISO/IEC 23008-12, box `colr`); null if it has none. Phones take pictures in Display P3. */
function profileOf(bytes: Buffer): Buffer | null {
  const at = ["colrprof", "colrrICC"].map((box) => bytes.indexOf(box, 0, "latin1")).find((place) => place >= 4);
  if (at === undefined) return null;
  const size = bytes.readUInt32BE(at - 4);
  return size > 140 && at - 4 + size <= bytes.length ? bytes.subarray(at + 8, at - 4 + size) : null;
}

/** Attaches a profile to raw pixels. sharp accepts no profile for raw input, so it is inserted into a PNG. */
async function withProfile(pixels: Sharp, profile: Buffer): Promise<Sharp> {
  const png = await pixels.png({ compressionLevel: 1 }).toBuffer();
  const body = Buffer.concat([Buffer.from("iCCPicc\0\0", "latin1"), deflateSync(profile)]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  // After the signature (8 bytes) and the header chunk (25 bytes).
  return sharp(Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]), limits);
}
