// Examines an uploaded file. Its bytes decide its type, and only files that screens can show are accepted.
import { open, stat } from "node:fs/promises";
import { examineBundle } from "./formats/bundle.ts";
import { examineDocument } from "./formats/document.ts";
import { examineImage } from "./formats/image.ts";
import { convertPicture } from "./formats/convert.ts";
import { badFile } from "./bad-file.ts";
import type { MediaInfo } from "./job-protocol.ts";
import { convertedTypes, mediaTypes } from "./media-info.ts";
import { examineSvg } from "./formats/svg.ts";
import { examineSound, examineVideo } from "./formats/video.ts";

// Other names of media types, as browsers, tools and the type detector use them.
const aliases: Record<string, string> = {
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
  "Send JPEG, PNG, WebP, AVIF, GIF or SVG pictures, HEIC, TIFF or BMP pictures (converted), MP4 or WebM videos, MP3, AAC, Ogg, WAV or FLAC audio, PDF documents or zip bundles";

/**
 * Examines the file at `path`. `claimed` is the Content-Type of the upload; if it is specific, it must be right. A picture that no
 * browser shows is converted into a file at `to`. Calls `onType` as soon as the type is known. Runs only in a media process, since
 * hostile bytes may take any amount of time and memory.
 * @throws ProblemError 422 that names the fault of the file and its remedy.
 */
export async function examine(
  path: string,
  claimed: string | undefined,
  to: string | null,
  onType: (mimeType: string) => void,
): Promise<MediaInfo> {
  if ((await stat(path)).size === 0) throw badFile("The file is empty: send its bytes as the body");
  const detected = await detectType(path);
  onType(detected);
  const result = await examineAs(path, detected, to);
  const claimedType = normalizeType(claimed);
  if (isSpecific(claimedType) && claimedType !== result.mimeType && claimedType !== detected) {
    throw badFile(`The bytes are ${result.mimeType}, but Content-Type says ${claimedType}: correct one of them`);
  }
  return result;
}

function examineAs(path: string, mimeType: string, to: string | null): Promise<MediaInfo> {
  if (to !== null && convertedTypes.includes(mimeType)) return convertPicture(path, mimeType, to);
  if (mimeType === "image/svg+xml") return examineSvg(path);
  if (mimeType === "application/pdf") return examineDocument(path);
  if (mimeType === "application/zip") return examineBundle(path);
  if (mimeType.startsWith("image/")) return examineImage(path, mimeType);
  return mimeType.startsWith("video/") ? examineVideo(path, mimeType) : examineSound(path, mimeType);
}

// Office Open XML, OpenDocument and the binary formats of older Office versions.
const officeTypes =
  /^application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-(?:powerpoint|word|excel|visio))|x-cfb|rtf|vnd\.apple)/;

/** The media type of the bytes. @throws ProblemError 422 for a type that screens cannot show. */
async function detectType(path: string): Promise<string> {
  const { FileTypeParser } = await import("file-type");
  const found = await new FileTypeParser().fromFile(path);
  const mime = found === undefined ? undefined : normalizeType(found.mime);
  if (mime !== undefined && (mediaTypes.includes(mime) || convertedTypes.includes(mime))) return mime;
  if (mime !== undefined && officeTypes.test(mime)) {
    throw badFile("The file is a presentation or a text document: export it as PDF and upload that");
  }
  const start = await readStart(path);
  if ((mime === undefined || mime === "application/xml") && /<svg[\s>]/i.test(start)) return "image/svg+xml";
  if (mime === undefined && /^\s*(?:<!doctype html|<html[\s>])/i.test(start)) {
    throw badFile("The bytes are an HTML page: put it as index.html, with all files it needs, into a zip file and upload that");
  }
  throw badFile(`The bytes are ${mime ?? "of an unknown type"}. ${allowed}`);
}

/** A media type without parameters and aliases; empty when there is none. */
function normalizeType(type: string | undefined): string {
  const plain = type?.split(";")[0]!.trim().toLowerCase() ?? "";
  return aliases[plain] ?? plain;
}

function isSpecific(type: string): boolean {
  return /^(image|video|audio)\/[^*]/.test(type) || ["application/pdf", "application/zip", "text/html"].includes(type);
}

async function readStart(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4_096), 0, 4_096, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
