// Reads the picture of an Xvfb from its memory-mapped framebuffer (-fbdir, an XWD file), without the X protocol.
import { closeSync, openSync, readSync } from "node:fs";

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

// Big-endian words of the XWD header (XWDFile.h).
const headerBytes = 100;
const word = { headerSize: 0, width: 16, height: 20, bytesPerLine: 48, colours: 76 };
const colourBytes = 12;
const pixelBytes = 4;

/** An open framebuffer of depth 24. A read may return a torn frame. */
export class Framebuffer implements Disposable {
  readonly width: number;
  readonly height: number;
  /** Bytes of one row; a pixel takes four: blue, green, red, unused. */
  readonly stride: number;
  readonly #file: number;
  readonly #start: number;

  /** @param path of the file Xvfb writes: `<fbdir>/Xvfb_screen0`. */
  constructor(path: string) {
    this.#file = openSync(path, "r");
    const header = Buffer.alloc(headerBytes);
    readSync(this.#file, header, 0, headerBytes, 0);
    this.width = header.readUInt32BE(word.width);
    this.height = header.readUInt32BE(word.height);
    this.stride = header.readUInt32BE(word.bytesPerLine);
    this.#start = header.readUInt32BE(word.headerSize) + header.readUInt32BE(word.colours) * colourBytes;
  }

  /** The bytes of one row. Pass `into` (of `stride` bytes) to reuse a buffer. */
  row(y: number, into: Buffer = Buffer.allocUnsafe(this.stride)): Buffer {
    readSync(this.#file, into, 0, this.stride, this.#start + y * this.stride);
    return into;
  }

  pixel(x: number, y: number): Rgb {
    const bytes = Buffer.allocUnsafe(pixelBytes);
    readSync(this.#file, bytes, 0, pixelBytes, this.#start + y * this.stride + x * pixelBytes);
    return [bytes[2]!, bytes[1]!, bytes[0]!];
  }

  /** The whole picture's bytes, row by row. */
  picture(): Buffer {
    const bytes = Buffer.allocUnsafe(this.stride * this.height);
    readSync(this.#file, bytes, 0, bytes.length, this.#start);
    return bytes;
  }

  /** The whole picture as red, green, blue per pixel: `sharp(rgb, {raw: {width, height, channels: 3}})`. */
  rgb(): Buffer {
    const bytes = this.picture();
    const out = Buffer.allocUnsafe(this.width * this.height * 3);
    let to = 0;
    for (let y = 0; y < this.height; y++) {
      for (let from = y * this.stride, end = from + this.width * pixelBytes; from < end; from += pixelBytes) {
        out[to++] = bytes[from + 2]!;
        out[to++] = bytes[from + 1]!;
        out[to++] = bytes[from]!;
      }
    }
    return out;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
