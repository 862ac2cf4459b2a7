// Creates pictures and videos for tests: plain colours, and videos in which every frame carries its number.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import sharp from "sharp";
import type { Framebuffer, Rgb } from "../browser/framebuffer.ts";
import { temporaryFolder } from "../folder.ts";
import { cachedMedia } from "./media-cache.ts";

/** The six hexadecimal digits of a colour. */
export function hexOf(color: Rgb): string {
  return color.map((value) => value.toString(16).padStart(2, "0")).join("");
}

/** A PNG of one colour. */
export function plainImage([r, g, b]: Rgb, width = 640, height = 360): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: { r, g, b } } })
    .png()
    .toBuffer();
}

// A frame has 16 cells: light for 1, dark for 0. The first two are always light and dark, the last is a parity bit.
const cells = 16;
const cellPixels = 40;
const light = 235;
const dark = 16;

/** An H.264 video of `seconds` at `fps`, 640x360, in which every frame shows its number as 16 upright bars. */
export function numberedVideo(seconds: number, fps = 30): Promise<Buffer> {
  const size = `${cells * cellPixels}x360`;
  const input = ["-f", "rawvideo", "-pix_fmt", "gray", "-s", size, "-r", String(fps), "-i", "-"];
  const output = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", String(fps), "-movflags", "+faststart"];
  return cachedMedia(["numbered video", seconds, ...input, ...output], () =>
    runFfmpeg([...input, ...output], "mp4", async (stdin) => {
      for (let frame = 0; frame < seconds * fps; frame += 1) {
        const row = Buffer.concat(barsOf(frame).map((bar) => Buffer.alloc(cellPixels, bar ? light : dark)));
        const picture = Buffer.concat(Array.from({ length: 360 }, () => row));
        if (!stdin.write(picture)) await once(stdin, "drain");
      }
    }),
  );
}

/** The file that ffmpeg creates from `argv`; `extension` decides its format. */
export async function createWithFfmpeg(argv: readonly string[], extension: string): Promise<Buffer> {
  const inputs = argv.filter((_, index) => argv[index - 1] === "-i").filter((input) => existsSync(input));
  const contents = await Promise.all(inputs.map((input) => readFile(input)));
  return cachedMedia([...argv, extension, ...contents], () => runFfmpeg(argv, extension));
}

/** @param feed writes what ffmpeg reads from its standard input. */
async function runFfmpeg(
  argv: readonly string[],
  extension: string,
  feed: (stdin: Writable) => Promise<void> = async () => {},
): Promise<Buffer> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, `media.${extension}`);
  const ffmpeg = spawn("ffmpeg", ["-v", "error", ...argv, path], { stdio: ["pipe", "inherit", "inherit"] });
  const ended = once(ffmpeg, "close");
  await feed(ffmpeg.stdin);
  ffmpeg.stdin.end();
  const [code] = (await ended) as [number];
  if (code !== 0) throw new Error(`ffmpeg exited with ${code}`);
  return await readFile(path);
}

/** A PDF of `pages` empty pages. */
export function pdfOf(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, page) => `${page + 3} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>"),
  ];
  let text = "%PDF-1.4\n";
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = text.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  return Buffer.from(`${text}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
}

/** The number of the video's frame on screen; null when the screen shows something else. */
export function frameOnScreen(framebuffer: Framebuffer, y = Math.floor(framebuffer.height / 2)): number | null {
  return frameInRow(framebuffer.row(y), framebuffer.width);
}

/** Like {@link frameOnScreen}, for one row of the screen with four bytes a pixel. */
export function frameInRow(row: Buffer, width: number): number | null {
  const bars: boolean[] = [];
  for (let cell = 0; cell < cells; cell += 1) {
    const at = 4 * Math.floor(((cell + 0.5) * width) / cells);
    const luma = (row[at + 2]! * 77 + row[at + 1]! * 150 + row[at]! * 29) >> 8;
    if (luma > 105 && luma < 150) return null;
    bars.push(luma >= 150);
  }
  const frame = bars.slice(2, 15).reduce((sum, bar) => sum * 2 + (bar ? 1 : 0), 0);
  const whole = barsOf(frame);
  return bars.every((bar, cell) => bar === whole[cell]) ? frame : null;
}

function barsOf(frame: number): boolean[] {
  const bits = Array.from({ length: 13 }, (_, place) => ((frame >> (12 - place)) & 1) === 1);
  const parity = bits.filter(Boolean).length % 2 === 1;
  return [true, false, ...bits, parity];
}
