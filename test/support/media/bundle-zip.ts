// Creates zips of HTML bundles, valid ones and hostile ones that no packer would create (APPNOTE.TXT 6.3, sections 4.3.7 and 4.3.12).
import { crc32, deflateRawSync } from "node:zlib";

/** A file of the zip. */
export interface ZipFile {
  name: string;
  bytes: Buffer | string;
  /** Unix mode; a symbolic link is 0o120777. */
  mode?: number;
  /** The length in the directory, if it is to be wrong. */
  claimedSize?: number;
}

export function zip(files: readonly ZipFile[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, mode = 0o100_644, claimedSize } of files) {
    const raw = Buffer.from(bytes);
    const packed = deflateRawSync(raw, { level: 9 });
    const title = Buffer.from(name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0); // version needed
    about.writeUInt16LE(0x0800, 2); // names in UTF-8
    about.writeUInt16LE(8, 4); // deflate
    about.writeUInt32LE(crc32(raw), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(claimedSize ?? raw.length, 18);
    about.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), about, title, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 3]), about, tail, title]));
    bodies.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, listed, end]);
}
