// Finds out from its bytes whether a picture file is animated, where the browser has no decoder that says so.

/** True if the file has more than one picture: APNG, animated GIF, WebP or AVIF. A file that cannot be read is not animated. */
export function isAnimatedFile(bytes: Uint8Array): boolean {
  const isAt = (offset: number, text: string): boolean => textAt(bytes, offset, text.length) === text;
  if (isAt(1, "PNG")) return hasAnimationChunk(bytes);
  if (isAt(0, "GIF8")) return countControls(bytes) > 1;
  // The second bit of the flags in the extended header.
  if (isAt(0, "RIFF") && isAt(8, "WEBP")) return isAt(12, "VP8X") && (bytes[20]! & 2) !== 0;
  if (!isAt(4, "ftyp")) return false;
  const brands = textAt(bytes, 8, Math.min(256, new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)) - 8);
  return brands.includes("avis");
}

/** An APNG has a chunk `acTL` before its first picture. */
function hasAnimationChunk(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= bytes.length; at += view.getUint32(at) + 12) {
    const type = textAt(bytes, at + 4, 4);
    if (type === "acTL") return true;
    if (type === "IDAT") return false;
  }
  return false;
}

/** How many pictures of a GIF have a graphic control extension, which every picture of an animation has. */
function countControls(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 13; at + 2 < bytes.length; at += 1) if (bytes[at] === 0x21 && bytes[at + 1] === 0xf9 && bytes[at + 2] === 4) count += 1;
  return count;
}

function textAt(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + Math.max(0, length)));
}
