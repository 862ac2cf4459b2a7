// The size of a JPEG or PNG, read from its header: without a library, because most players never load one.

const jpegStart = 0xffd8;
const pngStart = 0x89504e47;

/** Null if the bytes are neither a JPEG nor a PNG. */
export function imageSize(bytes: Buffer): { width: number; height: number } | null {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === pngStart) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== jpegStart) return null;
  // A JPEG is a row of segments: a marker, a length, and data. The one that starts the frame has the size.
  for (let at = 2; at + 9 <= bytes.length;) {
    const marker = bytes[at + 1]!;
    if (bytes[at] !== 0xff) return null;
    if (isFrameStart(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** True if a marker is one of SOF0 to SOF15. The other three of that range are tables. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
