// Streams plain files into and out of a tar file (POSIX ustar; sizes above 8 GiB in base 256, like GNU and BSD tar).
// Not tar-stream: it accepts an archive that is cut off between two files, and installs 15 packages.
import type { FileHandle } from "node:fs/promises";
import { Fault } from "../../../base/fault.ts";

const block = 512;
const maxNameLength = 100;
const maxOctal = 0o77777777777;

/** A file in an archive. Read all its bytes before you ask for the next file. */
export interface ArchivedFile {
  name: string;
  sizeBytes: number;
  bytes: AsyncIterable<Buffer>;
}

/** Appends a file. @throws TypeError unless `bytes` has exactly `sizeBytes` bytes. */
export async function writeTarFile(out: FileHandle, name: string, sizeBytes: number, bytes: AsyncIterable<Buffer>): Promise<void> {
  await writeAll(out, headerOf(name, sizeBytes));
  let written = 0;
  for await (const part of bytes) {
    written += part.length;
    await writeAll(out, part);
  }
  if (written !== sizeBytes) throw new TypeError(`${name} has ${written} bytes instead of ${sizeBytes}`);
  await writeAll(out, Buffer.alloc(paddingOf(sizeBytes)));
}

/** Writes the end of the archive. */
export async function endTar(out: FileHandle): Promise<void> {
  await writeAll(out, Buffer.alloc(2 * block));
}

/** The files of an archive, in order. @throws Fault `file-corrupt` when it is truncated or no archive of plain files. */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<ArchivedFile> {
  const source = new ByteReader(stream);
  for (;;) {
    const header = await source.take(block);
    if (header.every((byte) => byte === 0)) return;
    const { name, sizeBytes } = readHeader(header);
    let left = sizeBytes;
    const bytes = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await source.some(left);
        left -= part.length;
        yield part;
      }
    };
    yield { name, sizeBytes, bytes: bytes() };
    if (left > 0) throw new TypeError(`${name} was not read completely`);
    await source.take(paddingOf(sizeBytes));
  }
}

function headerOf(name: string, sizeBytes: number): Buffer {
  if (!/^[\x21-\x7e]+$/.test(name) || name.length > maxNameLength) throw new TypeError(`${name} is no valid name in a tar file`);
  const header = Buffer.alloc(block);
  header.write(name, 0, "latin1");
  header.write("0000600\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  if (sizeBytes <= maxOctal) header.write(`${sizeBytes.toString(8).padStart(11, "0")}\0`, 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(sizeBytes), 128);
  }
  header.write("00000000000\0", 136);
  // Type: plain file.
  header.write("0", 156);
  header.write("ustar\0" + "00", 257);
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function readHeader(header: Buffer): { name: string; sizeBytes: number } {
  const text = (from: number, to: number) => header.toString("latin1", from, to).replace(/[\0 ].*$/s, "");
  if (Number.parseInt(text(148, 156), 8) !== checksum(header))
    throw new Fault("file-corrupt", "the archive is damaged: a header's checksum is wrong");
  const kind = String.fromCharCode(header[156]!);
  if (kind !== "0" && kind !== "\0")
    throw new Fault("file-corrupt", "the archive contains something other than plain files: it is no backup");
  const sizeBytes = header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 136), 8);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0) throw new Fault("file-corrupt", "the archive is damaged: a size is invalid");
  return { name: text(0, maxNameLength), sizeBytes };
}

/** The sum of a header's bytes, with the checksum field counted as spaces. */
function checksum(header: Buffer): number {
  let sum = 0;
  for (const [place, byte] of header.entries()) sum += place >= 148 && place < 156 ? 0x20 : byte;
  return sum;
}

function paddingOf(sizeBytes: number): number {
  return (block - (sizeBytes % block)) % block;
}

async function writeAll(out: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await out.write(bytes, at)).bytesWritten;
}

/** Reads a stream in pieces of a requested size. */
class ByteReader {
  readonly #parts: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#parts = stream[Symbol.asyncIterator]();
  }

  /** At least one byte, at most `max`. */
  async some(max: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#parts.next();
      if (done) throw new Fault("file-corrupt", "the archive is truncated");
      this.#rest = value;
    }
    const part = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  /** Exactly `count` bytes. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = count; left > 0;) {
      const part = await this.some(left);
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }
}
