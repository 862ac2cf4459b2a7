// Decodes uncompressed Windows bitmaps (BITMAPCOREHEADER, BITMAPINFOHEADER and later versions), which libvips cannot read.
import { checkEdges } from "./image.ts";
import { badFile } from "../bad-file.ts";

/** Decoded pixels, from the top row to the bottom row. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
  channels: 3 | 4;
}

const [rgb, bitfields, alphaBitfields] = [0, 3, 6];

/** @throws ProblemError 422 for a compressed bitmap, RangeError for a truncated one. */
export function decodeBmp(bytes: Buffer): Pixels {
  const headerSize = bytes.readUInt32LE(14);
  const isCore = headerSize === 12;
  const width = isCore ? bytes.readUInt16LE(18) : bytes.readInt32LE(18);
  const storedHeight = isCore ? bytes.readInt16LE(20) : bytes.readInt32LE(22);
  const bits = bytes.readUInt16LE(isCore ? 24 : 28);
  const compression = isCore ? rgb : bytes.readUInt32LE(30);
  const height = Math.abs(storedHeight);
  if (width < 1 || height < 1) throw new Error("it has no size");
  checkEdges(width, height);
  if (compression !== rgb && compression !== bitfields && compression !== alphaBitfields) {
    throw badFile("The BMP picture is compressed: save it without compression, or as PNG");
  }
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw new Error(`it has ${bits} bits a pixel`);
  const stride = Math.ceil((width * bits) / 32) * 4;
  const start = bytes.readUInt32LE(10);
  if (start + stride * height > bytes.length) throw new RangeError("rows are missing");
  const colorAt = bits <= 8 ? paletteReader(bytes, headerSize, isCore, bits) : maskReader(bytes, compression, headerSize, bits);
  const channels = bits > 8 && colorAt.hasAlpha ? 4 : 3;
  const data = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y += 1) {
    // With a positive height the bottom row comes first.
    const row = start + stride * (storedHeight > 0 ? height - 1 - y : y);
    for (let x = 0; x < width; x += 1) colorAt.read(row, x, data, (y * width + x) * channels);
  }
  return { data, width, height, channels };
}

interface Reader {
  hasAlpha: boolean;
  read(row: number, x: number, into: Buffer, at: number): void;
}

function paletteReader(bytes: Buffer, headerSize: number, isCore: boolean, bits: number): Reader {
  const entry = isCore ? 3 : 4;
  const mask = (1 << bits) - 1;
  return {
    hasAlpha: false,
    read(row, x, into, at) {
      const place = x * bits;
      const index = (bytes[row + (place >> 3)]! >> (8 - bits - (place & 7))) & mask;
      const color = 14 + headerSize + index * entry;
      for (let channel = 0; channel < 3; channel += 1) into[at + channel] = bytes[color + 2 - channel] ?? 0;
    },
  };
}

function maskReader(bytes: Buffer, compression: number, headerSize: number, bits: number): Reader {
  const defaultMasks = bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0];
  const hasAlphaMask = headerSize >= 56 || compression === alphaBitfields;
  const readMasks = (): number[] => [54, 58, 62].map((at) => bytes.readUInt32LE(at)).concat(hasAlphaMask ? bytes.readUInt32LE(66) : 0);
  const masks = compression === rgb ? defaultMasks : readMasks();
  const size = bits / 8;
  const hasAlpha = masks[3] !== 0;
  return {
    hasAlpha,
    read(row, x, into, at) {
      const value = bytes.readUIntLE(row + x * size, size);
      for (let channel = 0; channel < (hasAlpha ? 4 : 3); channel += 1) {
        const mask = masks[channel]!;
        // `&` returns a signed number. The channel value is a fraction of its mask, regardless of the mask's position and width.
        into[at + channel] = mask === 0 ? 0 : Math.round((((value & mask) >>> 0) / mask) * 255);
      }
    },
  };
}
