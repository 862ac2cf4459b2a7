// Creates zip files for tests, valid and hostile: the fields of the directory can be wrong.
import { crc32, deflateRawSync } from "node:zlib";

/** A file of a zip. Missing fields are as an ordinary zip program writes them. */
export interface ZipPart {
  name: string;
  bytes: Buffer;
  /** Unix mode, such as 0o120777 for a symbolic link. */
  mode?: number;
  /** The unpacked size in the directory, if it is to be wrong. */
  claimedSize?: number;
  crc?: number;
}

/** A zip of `parts`, deflated. */
export function zipOf(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, mode = 0o100644, claimedSize = bytes.length, crc = crc32(bytes) } of parts) {
    const packed = deflateRawSync(bytes);
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from("504b0304", "hex"), common, nameBytes, packed]);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(mode * 65_536, 6);
    more.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("504b0102", "hex"), Buffer.from([20, 3]), common, more, nameBytes]));
    files.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("504b0506", 0, "hex");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, list, end]);
}
