// Reads a tar archive (POSIX ustar and pax, GNU long names) entry by entry, without trusting it.
import { Fault } from "../fault.ts";

export type TarEntry =
  | { is: "folder"; path: string }
  | { is: "file"; path: string; isExecutable: boolean; size: number; content: AsyncIterable<Buffer> }
  | { is: "link"; path: string; target: string };

const blockBytes = 512;
// Names and pax records are small. More is an attempt to fill memory.
const longestNameBytes = 64 * 1024;

/**
 * The archive's entries in order. A file's content has to be read before the next entry.
 * @throws Fault `file-corrupt` for a damaged archive, a path outside of it, or an entry of another kind.
 */
export async function* readTar(archive: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(archive);
  let extension: { path?: string; linkpath?: string; size?: number } = {};
  for (;;) {
    const header = await bytes.take(blockBytes);
    if (header === null || header.every((byte) => byte === 0)) return;
    checkSum(header);
    const type = String.fromCharCode(header[156]!);
    const size = extension.size ?? octal(header.subarray(124, 136));
    if (type === "x" || type === "g" || type === "L" || type === "K") {
      if (size > longestNameBytes) throw corrupt("a name is too long");
      const data = await bytes.takeAll(size);
      await bytes.takeAll(padding(size));
      if (type === "x") extension = { ...extension, ...paxRecords(data) };
      else if (type === "L") extension.path = text(data);
      else if (type === "K") extension.linkpath = text(data);
      continue;
    }
    const prefix = header.subarray(257, 262).toString() === "ustar" && header[263] === 0x30 ? text(header.subarray(345, 500)) : "";
    const short = text(header.subarray(0, 100));
    const path = safePath(extension.path ?? (prefix === "" ? short : `${prefix}/${short}`));
    const target = extension.linkpath ?? text(header.subarray(157, 257));
    extension = {};
    if (type === "5") {
      if (path !== "") yield { is: "folder", path };
    } else if (type === "2") yield { is: "link", path, target: safeTarget(path, target) };
    else if (type === "0" || type === "\0") {
      const content = bytes.stream(size);
      yield { is: "file", path, isExecutable: (octal(header.subarray(100, 108)) & 0o100) !== 0, size, content };
      for await (const _ of content); // skips the bytes that the caller did not read
      await bytes.takeAll(padding(size));
    } else throw corrupt(`${path} is of the unknown kind ${JSON.stringify(type)}`);
  }
}

class ByteReader {
  readonly #parts: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(archive: AsyncIterable<Buffer>) {
    this.#parts = archive[Symbol.asyncIterator]();
  }

  /** Null at the end of the archive. */
  async take(count: number): Promise<Buffer | null> {
    while (this.#rest.length < count) {
      const next = await this.#parts.next();
      if (next.done === true) {
        if (this.#rest.length === 0 && count > 0) return null;
        throw corrupt("it ends too early");
      }
      this.#rest = Buffer.concat([this.#rest, next.value]);
    }
    const bytes = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return bytes;
  }

  async takeAll(count: number): Promise<Buffer> {
    const bytes = count === 0 ? Buffer.alloc(0) : await this.take(count);
    if (bytes === null) throw corrupt("it ends too early");
    return bytes;
  }

  /** The next `size` bytes in parts. Each part is read once. */
  stream(size: number): AsyncIterable<Buffer> {
    let remaining = size;
    const next = async (): Promise<Buffer> => {
      if (this.#rest.length === 0) {
        const following = await this.#parts.next();
        if (following.done === true) throw corrupt("it ends too early");
        this.#rest = following.value;
      }
      const part = this.#rest.subarray(0, remaining);
      this.#rest = this.#rest.subarray(part.length);
      remaining -= part.length;
      return part;
    };
    return {
      async *[Symbol.asyncIterator]() {
        while (remaining > 0) yield await next();
      },
    };
  }
}

/** The path without `./` at its start. @throws Fault for one that leaves the archive's root. */
function safePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || parts.includes("..") || /[\0\\]/.test(path)) throw corrupt(`${path} is outside of it`);
  return parts.join("/");
}

/** The target of the link at `path`. @throws Fault for one that leaves the archive's root. */
function safeTarget(path: string, target: string): string {
  let depth = path.split("/").length - 1;
  for (const part of target.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) break;
  }
  if (target === "" || target.startsWith("/") || depth < 0 || target.includes("\0"))
    throw corrupt(`${path} links to ${target}, outside of it`);
  return target;
}

function paxRecords(data: Buffer): { path?: string; linkpath?: string; size?: number } {
  const records: Record<string, string> = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.subarray(at, space).toString());
    if (space < 0 || !Number.isInteger(length) || length <= space - at) throw corrupt("a pax record is damaged");
    const [key = "", ...value] = data
      .subarray(space + 1, at + length - 1)
      .toString()
      .split("=");
    records[key] = value.join("=");
    at += length;
  }
  const { path, linkpath, size } = records;
  if (size !== undefined && !/^\d{1,15}$/.test(size)) throw corrupt("a size is not a number");
  return {
    ...(path !== undefined && { path }),
    ...(linkpath !== undefined && { linkpath }),
    ...(size !== undefined && { size: Number(size) }),
  };
}

function checkSum(header: Buffer): void {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  if (sum !== octal(header.subarray(148, 156))) throw corrupt("a header is damaged");
}

function octal(field: Buffer): number {
  const digits = text(field).trim();
  if (!/^[0-7]*$/.test(digits)) throw corrupt("a number is damaged");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

function text(field: Buffer): string {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString();
}

function padding(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes;
}

function corrupt(what: string): Fault {
  return new Fault("file-corrupt", `The bundle's archive is refused: ${what}`);
}
