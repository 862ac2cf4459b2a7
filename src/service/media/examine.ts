// Looks at what was uploaded: the bytes decide what it is, and only what a screen can show comes in.
import { open, stat } from "node:fs/promises";
import { examineBundle } from "./formats/bundle.ts";
import { examineDocument } from "./formats/document.ts";
import { examineImage } from "./formats/image.ts";
import { convertPicture } from "./formats/convert.ts";
import { badFile, convertedTypes, mediaTypes, type Media } from "./media.ts";
import { examineSvg } from "./formats/svg.ts";
import { examineSound, examineVideo } from "./formats/video.ts";

// Equal: names for the same thing that browsers, tools and the detector use.
const otherNames: Record<string, string> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/apng": "image/png",
  "image/vnd.mozilla.apng": "image/png",
  "image/x-png": "image/png",
  "image/svg": "image/svg+xml",
  "video/x-m4v": "video/mp4",
  "audio/mp3": "audio/mpeg",
  "audio/x-m4a": "audio/mp4",
  "audio/m4a": "audio/mp4",
  "audio/x-aac": "audio/aac",
  "audio/aacp": "audio/aac",
  "audio/wave": "audio/wav",
  "audio/x-wav": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "audio/x-flac": "audio/flac",
  "audio/opus": "audio/ogg",
  "video/ogg": "audio/ogg",
  "application/ogg": "audio/ogg",
  "image/heic-sequence": "image/heic",
  "image/heif-sequence": "image/heif",
  "image/x-ms-bmp": "image/bmp",
  "image/x-bmp": "image/bmp",
  "application/x-pdf": "application/pdf",
  "application/x-zip-compressed": "application/zip",
};
const allowed =
  "JPEG, PNG, WebP, AVIF, GIF and SVG pictures, HEIC, TIFF and BMP pictures (converted), MP4 and WebM videos, MP3, AAC, Ogg, WAV and FLAC sound, PDF and zip bundles are taken";

/**
 * What the file at `path` is. `claimed` is the Content-Type it came with; a specific type must be right. What no browser shows is
 * converted into a file at `to`. `onType` hears the
 * type that the bytes show before they are read any further. Runs in a media process only: hostile bytes may cost anything.
 * @throws Refusal 422 saying what is wrong with it and what to do.
 */
export async function examine(
  path: string,
  claimed: string | undefined,
  to: string | null,
  onType: (mimeType: string) => void,
): Promise<Media> {
  if ((await stat(path)).size === 0) throw badFile("The file is empty: send its bytes as the body");
  const found = await typeOf(path);
  onType(found);
  const result = await examineAs(path, found, to);
  const said = nameOf(claimed);
  if (isSpecific(said) && said !== result.mimeType && said !== found) {
    throw badFile(`The bytes are ${result.mimeType}, not ${said} as Content-Type says: correct one of them`);
  }
  return result;
}

function examineAs(path: string, mimeType: string, to: string | null): Promise<Media> {
  if (to !== null && convertedTypes.includes(mimeType)) return convertPicture(path, mimeType, to);
  if (mimeType === "image/svg+xml") return examineSvg(path);
  if (mimeType === "application/pdf") return examineDocument(path);
  if (mimeType === "application/zip") return examineBundle(path);
  if (mimeType.startsWith("image/")) return examineImage(path, mimeType);
  return mimeType.startsWith("video/") ? examineVideo(path, mimeType) : examineSound(path, mimeType);
}

// Office Open XML, OpenDocument and the binary files of older Office.
const officeTypes =
  /^application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-(?:powerpoint|word|excel|visio))|x-cfb|rtf|vnd\.apple)/;

/** The type that the bytes show. @throws Refusal 422 when it is none that a screen can show. */
async function typeOf(path: string): Promise<string> {
  const { FileTypeParser } = await import("file-type");
  const found = await new FileTypeParser().fromFile(path);
  const mime = found === undefined ? undefined : nameOf(found.mime);
  if (mime !== undefined && (mediaTypes.includes(mime) || convertedTypes.includes(mime))) return mime;
  if (mime !== undefined && officeTypes.test(mime)) {
    throw badFile("The file is a presentation or a text document: export it as PDF and upload that");
  }
  const start = await beginning(path);
  if ((mime === undefined || mime === "application/xml") && /<svg[\s>]/i.test(start)) return "image/svg+xml";
  if (mime === undefined && /^\s*(?:<!doctype html|<html[\s>])/i.test(start)) {
    throw badFile("The bytes are an HTML page: put it as index.html, with all it needs, into a zip file and upload that");
  }
  throw badFile(`The bytes are ${mime ?? "nothing that is known here"}. ${allowed}`);
}

/** A media type without its parameters, by the name that is used here; empty where there is none. */
function nameOf(type: string | undefined): string {
  const plain = type?.split(";")[0]!.trim().toLowerCase() ?? "";
  return otherNames[plain] ?? plain;
}

function isSpecific(type: string): boolean {
  return /^(image|video|audio)\/[^*]/.test(type) || ["application/pdf", "application/zip", "text/html"].includes(type);
}

async function beginning(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
