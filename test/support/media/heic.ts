// Creates HEIC pictures like those of phones: one HEVC frame in a HEIF file (ISO/IEC 23008-12), rotated by a property.
import { createWithFfmpeg } from "./media.ts";

/** @param turns quarter turns, anticlockwise. @param profile an ICC profile. */
export async function heicOf(
  pngPath: string,
  { width, height, turns = 0, profile }: { width: number; height: number; turns?: number; profile?: Buffer },
): Promise<Buffer> {
  const encode = [
    "-c:v",
    "libx265",
    "-frames:v",
    "1",
    "-crf",
    "8",
    "-pix_fmt",
    "yuv444p",
    "-tag:v",
    "hvc1",
    "-x265-params",
    "log-level=none:info=0",
  ];
  const mp4 = await createWithFfmpeg(["-i", pngPath, ...encode], "mp4");
  const hvcC = boxIn(mp4, "hvcC");
  const frame = boxIn(mp4, "mdat").subarray(8);
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  const properties = [
    hvcC,
    box("ispe", size),
    box("irot", Buffer.from([turns])),
    ...(profile === undefined ? [] : [box("colr", Buffer.from("prof"), profile)]),
  ];
  const associations = properties.map((_, index) => (index === 0 ? 0x80 : 0) + index + 1);
  const parts = (location: number): Buffer[] => [
    full("hdlr", Buffer.from("00000000", "hex"), Buffer.from("pict"), Buffer.alloc(13)),
    full("pitm", Buffer.from("0001", "hex")),
    full("iinf", Buffer.from("0001", "hex"), box("infe", Buffer.from("0200000000010000", "hex"), Buffer.from("hvc1\0"))),
    box(
      "iprp",
      box("ipco", ...properties),
      full("ipma", Buffer.from("00000001000101", "hex").subarray(0, 6), Buffer.from([associations.length, ...associations])),
    ),
    full("iloc", Buffer.from("44000001000100000001", "hex"), words(location, frame.length)),
  ];
  const head = box("ftyp", Buffer.from("heic\0\0\0\0mif1heic"));
  const meta = (location: number): Buffer => full("meta", ...parts(location));
  const location = head.length + meta(0).length + 8;
  return Buffer.concat([head, meta(location), box("mdat", frame)]);
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([words(body.length + 8), Buffer.from(type), body]);
}

/** A box with a version and flags, all zero. */
function full(type: string, ...parts: Buffer[]): Buffer {
  return box(type, Buffer.alloc(4), ...parts);
}

function words(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * index);
  return bytes;
}

/** The first box of a type, header included. */
function boxIn(bytes: Buffer, type: string): Buffer {
  const at = bytes.indexOf(type, 0, "latin1") - 4;
  return bytes.subarray(at, at + bytes.readUInt32BE(at));
}
