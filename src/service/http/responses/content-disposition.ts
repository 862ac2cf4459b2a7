// The Content-Disposition header of a file (RFC 6266, RFC 8187). The file name never contains a path.
import { removeHiddenCharacters } from "../../../protocol/text.ts";

/** The file extension of each media type that assets can have. */
export const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/gif": "gif",
  "image/svg+xml": "svg",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "audio/mpeg": "mp3",
  "audio/aac": "aac",
  "audio/mp4": "m4a",
  "audio/webm": "weba",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "audio/flac": "flac",
  "application/pdf": "pdf",
  "application/zip": "zip",
};
const otherEndings: Record<string, readonly string[]> = {
  "image/jpeg": ["jpeg"],
  "video/mp4": ["m4v"],
  "audio/ogg": ["oga", "opus"],
  "audio/mp4": ["mp4"],
};

/** The header's value. Only raster images, video and audio are inline: other types could run scripts in a browser. */
export function contentDisposition(name: string | null, mimeType: string): string {
  const isInert = /^(?:image|video|audio)\//.test(mimeType) && mimeType !== "image/svg+xml";
  const kind = isInert ? "inline" : "attachment";
  if (name === null) return kind;
  const safe = safeName(name, mimeType);
  const plain = safe.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(safe).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}; filename="${plain}"${plain === safe ? "" : `; filename*=UTF-8''${encoded}`}`;
}

/** Removes path separators, invisible characters except the joiners of emoji, and leading dots; adds the type's extension. */
function safeName(name: string, mimeType: string): string {
  const plain = removeHiddenCharacters(name)
    .replace(/[\p{Cf}--[\u200c\u200d]]/gv, "")
    .replace(/[/\\:*?<>|]/g, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  const base = plain === "" ? "file" : plain;
  const ending = extensions[mimeType];
  if (ending === undefined) return base;
  const has = base.toLowerCase().split(".").at(-1)!;
  return base.includes(".") && (has === ending || otherEndings[mimeType]?.includes(has)) ? base : `${base}.${ending}`;
}
