// Picture files that are a trial: large, turned, moving, hostile, broken.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { colors, type Rgb } from "./screen.ts";

/** Writes them all into `folder`. */
export async function writeDifficultPictures(folder: string): Promise<void> {
  const jpeg = await halves(7_680, 4_320).jpeg().toBuffer();
  const put = (name: string, bytes: Buffer | string): Promise<void> => writeFile(join(folder, name), bytes);
  const frames = await Promise.all((["red", "green"] as const).map((name) => plain(colors[name], 1_600, 900)));
  await Promise.all([
    put("8k.jpg", jpeg),
    put("truncated.jpg", jpeg.subarray(0, Math.floor(jpeg.length / 2))),
    put("empty.png", ""),
    put("mislabelled.jpg", await plain(colors.green, 320, 180)),
    put("huge.png", giant(20_000)),
    // Stored lying on its side: EXIF orientation 6 has it turned clockwise to be seen.
    put("turned.jpg", await halves(4_000, 3_000).withMetadata({ orientation: 6 }).jpeg().toBuffer()),
    put(
      "moving.gif",
      await sharp(frames, { join: { animated: true } })
        .gif({ delay: [200, 200], loop: 0 })
        .toBuffer(),
    ),
    put("script.svg", hostileSvg),
  ]);
}

/** Red on the left, blue on the right. */
function halves(width: number, height: number) {
  const half = (rgb: Rgb) => ({ create: { width: width / 2, height, channels: 3 as const, background: css(rgb) } });
  return sharp(half(colors.red))
    .extend({ right: width / 2, background: css(colors.blue) })
    .withMetadata();
}

function plain(rgb: Rgb, width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: css(rgb) } })
    .png()
    .toBuffer();
}

function css([r, g, b]: Rgb): { r: number; g: number; b: number } {
  return { r, g, b };
}

/** A black PNG of `side` × `side` pixels in a few kilobytes: one bit a pixel. */
function giant(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1; // bits a pixel; the rest is 0: greyscale, deflate, no interlace
  const rows = Buffer.alloc(side * (1 + Math.ceil(side / 8)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const hostileSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 90">
  <rect width="160" height="90" fill="rgb(30,180,60)"/>
  <script>fetch("/media/red.png?from-svg"); document.documentElement.firstElementChild.setAttribute("fill", "red")</script>
  <image href="/media/red.png?from-svg" width="160" height="90" onload="fetch('/media/red.png?from-svg')"/>
  <foreignObject width="160" height="90"><iframe xmlns="http://www.w3.org/1999/xhtml" src="/media/red.png?from-svg"></iframe></foreignObject>
</svg>`;
