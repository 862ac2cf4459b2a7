// Writes renderer/player/fonts/last-resort.ttf: a font that draws every character as an empty box. Run it after a change of this file.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootFolder } from "../src/main/folders.ts";

// Units of the em square. The box stands on the baseline and is as high as a capital letter.
const unitsPerEm = 1_000;
const ascent = 1_000;
const descent = -250;
const advance = 640;
const box = { left: 60, bottom: 0, right: 580, top: 714, line: 60 };
// Seconds from 1904 to 2026-01-01: the same bytes whenever the file is written.
const written = 3_850_070_400n;
const name = "Last Resort";

/** Big-endian fields, one after the other. Letters as in the OpenType specification: 2 and 4 are bytes, q is a long date. */
function bytes(...fields: readonly (readonly [2 | 4 | 8, number | bigint])[]): Buffer {
  return Buffer.concat(
    fields.map(([size, value]) => {
      const field = Buffer.alloc(size);
      if (size === 8) field.writeBigUInt64BE(BigInt(value));
      else field.writeUIntBE(Number(value) < 0 ? Number(value) + 2 ** (8 * size) : Number(value), 0, size);
      return field;
    }),
  );
}

const u16 = (...values: readonly number[]): Buffer => bytes(...values.map((value) => [2, value] as const));
const u32 = (...values: readonly number[]): Buffer => bytes(...values.map((value) => [4, value] as const));

/** The box: an outer square and an inner one in the other direction. Coordinates are differences from the point before. */
function boxGlyph(): Buffer {
  const { left, bottom, right, top, line } = box;
  const points = [
    [left, bottom],
    [left, top],
    [right, top],
    [right, bottom],
    [left + line, bottom + line],
    [right - line, bottom + line],
    [right - line, top - line],
    [left + line, top - line],
  ] as const;
  const differences = (axis: 0 | 1): number[] => points.map((point, at) => point[axis] - (at === 0 ? 0 : points[at - 1]![axis]));
  const onCurve = Buffer.alloc(points.length, 1);
  const glyph = [u16(2, left, bottom, right, top, 3, 7, 0), onCurve, u16(...differences(0)), u16(...differences(1))];
  return padded(Buffer.concat(glyph));
}

function padded(table: Buffer): Buffer {
  return Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
}

function tables(): Map<string, Buffer> {
  const glyph = boxGlyph();
  // Format 13: many characters, one glyph. Everything that is visible but the surrogates.
  const groups = [0x21, 0xd7ff, 1, 0xe000, 0x10ffff, 1];
  const map = Buffer.concat([u16(13, 0), u32(16 + 4 * groups.length, 0, groups.length / 3, ...groups)]);
  const texts = [name, "Regular", `signage-player ${name}`, name, "Version 1.0", "LastResort"].map((text) =>
    Buffer.from(text, "utf16le").swap16(),
  );
  const records = texts.map((text, id) => {
    const before = texts.slice(0, id).reduce((sum, { length }) => sum + length, 0);
    return u16(3, 1, 0x409, id + 1, text.length, before);
  });
  const os2 = [
    u16(4, advance, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0),
    Buffer.alloc(10), // PANOSE: any
    u32(0, 0, 0, 0),
    Buffer.from("NONE"),
    u16(0x40, 0x21, 0xffff, ascent, descent, 0, ascent, -descent),
    u32(1, 0),
    u16(536, 714, 0, 0x20, 1),
  ];
  const bounds = [box.left, box.bottom, box.right, box.top];
  const head = [u32(0x10000, 0x10000, 0, 0x5f0f3cf5), u16(3, unitsPerEm), bytes([8, written], [8, written]), u16(...bounds, 0, 8, 2, 0, 0)];
  return new Map([
    ["OS/2", Buffer.concat(os2)],
    ["cmap", Buffer.concat([u16(0, 1, 3, 10), u32(12), map])],
    ["glyf", Buffer.concat([glyph, glyph])],
    ["head", Buffer.concat(head)],
    ["hhea", Buffer.concat([u32(0x10000), u16(ascent, descent, 0, advance, box.left, 60, box.right, 1, 0, 0, 0, 0, 0, 0, 0, 1)])],
    ["hmtx", u16(advance, box.left, box.left)],
    ["loca", u16(0, glyph.length / 2, glyph.length)],
    ["maxp", Buffer.concat([u32(0x10000), u16(2, 8, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)])],
    ["name", Buffer.concat([u16(0, records.length, 6 + 12 * records.length), ...records, ...texts])],
    ["post", Buffer.concat([u32(0x30000, 0), u16(-100, 50), u32(0, 0, 0, 0, 0)])],
  ]);
}

function checksum(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0;
  return sum;
}

/** The file: its directory, then the tables in the order of their names. */
function font(): Buffer {
  const all = [...tables()];
  const power = 2 ** Math.floor(Math.log2(all.length));
  const directory = [u32(0x10000), u16(all.length, 16 * power, Math.log2(power), 16 * (all.length - power))];
  let offset = 12 + 16 * all.length;
  for (const [tag, table] of all) {
    directory.push(Buffer.from(tag), u32(checksum(padded(table)), offset, table.length));
    offset += padded(table).length;
  }
  const file = Buffer.concat([...directory, ...all.map(([, table]) => padded(table))]);
  const headAt = file.indexOf(Buffer.from("head")) + 8;
  file.writeUInt32BE((0xb1b0afba - checksum(file) + 2 ** 32) % 2 ** 32, file.readUInt32BE(headAt) + 8);
  return file;
}

await writeFile(join(rootFolder, "renderer/player/fonts/last-resort.ttf"), font());
