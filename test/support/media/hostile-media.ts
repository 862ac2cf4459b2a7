// Creates files that are small but very expensive to examine.
import { crc32, deflateSync } from "node:zlib";

/** An SVG of 2.3 kB that draws ten thousand times `copies` translucent circles: each group repeats the one before it ten times. */
export function hostileSvg(copies = 10): Buffer {
  const uses = (level: number): string =>
    Array.from({ length: 10 }, (_, x) => `<use href="#u${level}" x="${x}"/>`)
      .slice(0, level === 4 ? copies : 10)
      .join("");
  const groups = [0, 1, 2, 3, 4].map((level) => `<g id="u${level + 1}">${uses(level)}</g>`).join("");
  const circle = `<circle id="u0" r="1000" cx="500" cy="500" opacity=".5"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000"><defs>${circle}${groups}</defs><use href="#u5"/></svg>`;
  return Buffer.from(svg);
}

/** A square PNG of one colour, some tens of kilobytes; interlaced, it has to be decoded as a whole. @param edge in pixels. */
export function pngBomb({ isInterlaced = false, edge = 16_384 } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  // One bit a pixel, shades of grey, and the interlacing of Adam7 (PNG specification, 8.1).
  header.set([1, 0, 0, 0, isInterlaced ? 1 : 0], 8);
  const passes = [
    [8, 8],
    [8, 8],
    [4, 8],
    [4, 4],
    [2, 4],
    [2, 2],
    [1, 2],
  ] as const;
  const rows = (across: number, down: number): number => (edge / down) * (1 + Math.ceil(edge / across / 8));
  const bytes = isInterlaced ? passes.reduce((sum, [across, down]) => sum + rows(across, down), 0) : rows(1, 1);
  const data = deflateSync(Buffer.alloc(bytes), { level: 1 });
  const chunks = [chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([frame, body, sum]);
}

/** A PDF of some hundred kilobytes whose table of contents unpacks to two hundred megabytes. */
export function pdfBomb(): Buffer {
  const table = deflateSync(Buffer.alloc(200_000_000), { level: 1 });
  const head = `%PDF-1.5\n`;
  const object = `1 0 obj\n<< /Type /XRef /W [1 4 2] /Size 28000000 /Root 2 0 R /Filter /FlateDecode /Length ${table.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head + object), table, Buffer.from(`\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`)]);
}
