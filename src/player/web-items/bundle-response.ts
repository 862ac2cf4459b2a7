// The response for a bundle's file: its path, its media type, and the policy that limits the bundle.
import { extname } from "node:path";

const mediaTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".htm": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
  ".xml": "text/xml; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".ico": "image/x-icon",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mp3": "audio/mpeg",
  ".ogg": "audio/ogg",
  ".wav": "audio/wav",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".ttf": "font/ttf",
  ".otf": "font/otf",
};

/** The media type of a file in a bundle. A folder stands for its `index.html`. */
export function mediaTypeOf(path: string): string {
  const name = path === "" || path.endsWith("/") ? "index.html" : path;
  return mediaTypes[extname(name).toLowerCase()] ?? "application/octet-stream";
}

/** The Content-Security-Policy of a bundle: it may load its own files and fetch from the origins in `network`, nothing else. */
export function contentPolicyOf(network: readonly string[], framedBy: string): string {
  const sources = ["'self'", ...network.map((origin) => origin.replace(/\/$/, ""))].join(" ");
  return [
    `default-src ${sources} data: blob:`,
    `script-src ${sources} 'unsafe-inline' 'unsafe-eval' blob:`,
    `style-src ${sources} 'unsafe-inline'`,
    "frame-src 'self' data: blob:",
    "form-action 'self'",
    "base-uri 'self'",
    "object-src 'none'",
    "webrtc 'block'",
    `frame-ancestors 'self' ${framedBy}`,
  ].join("; ");
}

/** The path of a file in the bundle; null if the URL is malformed. */
export function bundlePathOf(url: string): string | null {
  try {
    return decodeURIComponent(new URL(url, "http://bundle").pathname).slice(1);
  } catch {
    return null;
  }
}
