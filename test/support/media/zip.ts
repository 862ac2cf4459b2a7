// Creates zips, valid ones and hostile ones that no packer would create (APPNOTE.TXT 6.3, sections 4.3.7 and 4.3.12).
import { crc32, deflateRawSync } from "node:zlib";

/** A file of a zip. Missing fields are as an ordinary zip program writes them. */
export interface ZipFile {
  name: string;
  bytes: Buffer | string;
  /** Unix mode, such as 0o120777 for a symbolic link. */
  mode?: number;
  /** The unpacked size in the directory, if it is to be wrong. */
  claimedSize?: number;
  crc?: number;
}

/** A zip of `files`, deflated. */
export function zipOf(files: readonly ZipFile[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, mode = 0o100_644, claimedSize, crc } of files) {
    const raw = Buffer.from(bytes);
    const packed = deflateRawSync(raw, { level: 9 });
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version needed
    common.writeUInt16LE(0x800, 2); // names in UTF-8
    common.writeUInt16LE(8, 4); // deflate
    common.writeUInt32LE(crc ?? crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize ?? raw.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), common, nameBytes, packed]);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(mode * 65_536, 6);
    more.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("504b0102", "hex"), Buffer.from([20, 3]), common, more, nameBytes]));
    bodies.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("504b0506", 0, "hex");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, list, end]);
}
