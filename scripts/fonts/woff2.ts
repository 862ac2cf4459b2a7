// Reads WOFF2 fonts (https://www.w3.org/TR/WOFF2/): lists the characters of one, and leaves a table out. Noto Color Emoji brings each picture
// twice, and Chromium reads one kind.
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

const headerLength = 48;
// Where the header has the number of tables, and the sizes of the whole file, of the plain font and of the compressed data.
const at = { fileLength: 8, tableCount: 12, fontLength: 16, compressedLength: 20 };
/** The tags in the order of their numbers in the directory, as far as fonts here have them; others are written out. */
const knownTags = (
  "cmap head hhea hmtx maxp name OS/2 post cvt_ fpgm glyf loca prep CFF_ VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE " +
  "GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG_"
).split(" ");
const ownTag = 63;

interface Table {
  tag: string;
  /** Its entry in the directory. */
  entry: Buffer;
  /** Its length in the font. */
  plainLength: number;
  /** Its place in the data. */
  offset: number;
  length: number;
}

/** The characters for which the font has a picture. */
export function charactersOf(font: Buffer): Set<number> {
  const { tables, end } = readDirectory(font);
  const table = tables.find(({ tag }) => tag === "cmap");
  if (table === undefined) throw new Error("the font has no characters");
  const cmap = dataOf(font, end).subarray(table.offset, table.offset + table.length);
  const characters = new Set<number>();
  for (let entry = 4; entry < 4 + 8 * cmap.readUInt16BE(2); entry += 8) {
    const part = cmap.subarray(cmap.readUInt32BE(entry + 4));
    for (const character of charactersOfPart(part)) characters.add(character);
  }
  return characters;
}

// https://learn.microsoft.com/typography/opentype/spec/cmap: the formats of Unicode. The rest repeat them, or are for variants.
function* charactersOfPart(part: Buffer): Generator<number> {
  const format = part.readUInt16BE(0);
  if (format === 4) yield* charactersBySegments(part);
  if (format !== 12) return;
  for (let group = 16; group < 16 + 12 * part.readUInt32BE(12); group += 12) {
    for (let character = part.readUInt32BE(group); character <= part.readUInt32BE(group + 4); character += 1) yield character;
  }
}

function* charactersBySegments(part: Buffer): Generator<number> {
  const bytes = part.readUInt16BE(6);
  for (let segment = 0; segment < bytes; segment += 2) {
    const last = part.readUInt16BE(14 + segment);
    const first = part.readUInt16BE(16 + bytes + segment);
    const delta = part.readUInt16BE(16 + 2 * bytes + segment);
    const offsetAt = 16 + 3 * bytes + segment;
    const offset = part.readUInt16BE(offsetAt);
    for (let character = first; character <= last && character !== 0xffff; character += 1) {
      const glyph = offset === 0 ? character + delta : part.readUInt16BE(offsetAt + offset + 2 * (character - first));
      if ((glyph & 0xffff) !== 0) yield character;
    }
  }
}

function dataOf(font: Buffer, start: number): Buffer {
  return brotliDecompressSync(font.subarray(start, start + font.readUInt32BE(at.compressedLength)));
}

/** The font without the table, or unchanged if it has none. @param tag four letters, with `_` for a space. */
export function withoutTable(font: Buffer, tag: string): Buffer {
  const { tables, end } = readDirectory(font);
  const removed = tables.find((table) => table.tag === tag);
  if (removed === undefined) return font;
  const data = dataOf(font, end);
  const rest = Buffer.concat([data.subarray(0, removed.offset), data.subarray(removed.offset + removed.length)]);
  tables.splice(tables.indexOf(removed), 1);
  const compressed = brotliCompressSync(rest, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_FONT },
  });
  const header = Buffer.from(font.subarray(0, headerLength));
  const entries = tables.map(({ entry }) => entry);
  const padding = Buffer.alloc((4 - (compressed.length % 4)) % 4);
  const whole = Buffer.concat([header, ...entries, compressed, padding]);
  whole.writeUInt16BE(tables.length, at.tableCount);
  whole.writeUInt32BE(whole.length, at.fileLength);
  whole.writeUInt32BE(compressed.length, at.compressedLength);
  // Only a hint for the memory to be reserved: the directory's entry of the table, and the table itself.
  whole.writeUInt32BE(font.readUInt32BE(at.fontLength) - 16 - 4 * Math.ceil(removed.plainLength / 4), at.fontLength);
  return whole;
}

function readDirectory(font: Buffer): { tables: Table[]; end: number } {
  if (font.toString("latin1", 0, 4) !== "wOF2") throw new Error("this is no WOFF2 font");
  const tables: Table[] = [];
  let offset = headerLength;
  let dataOffset = 0;
  const readNumber = (): number => {
    // Seven bits a byte, the highest first; the last byte is below 128.
    for (let number = 0; ;) {
      const byte = font.readUInt8(offset++);
      number = number * 128 + (byte & 127);
      if (byte < 128) return number;
    }
  };
  for (let count = font.readUInt16BE(at.tableCount); count > 0; count -= 1) {
    const start = offset;
    const flags = font.readUInt8(offset++);
    const known = flags & ownTag;
    if (known === ownTag) offset += 4;
    const tag = known === ownTag ? font.toString("latin1", offset - 4, offset) : (knownTags[known] ?? String(known));
    const plainLength = readNumber();
    // `glyf` and `loca` are transformed unless the version says otherwise, all others only if it says so.
    const version = flags >> 6;
    const isTransformed = tag === "glyf" || tag === "loca" ? version !== 3 : version !== 0;
    const length = isTransformed ? readNumber() : plainLength;
    tables.push({ tag, entry: font.subarray(start, offset), plainLength, offset: dataOffset, length });
    dataOffset += length;
  }
  return { tables, end: offset };
}
