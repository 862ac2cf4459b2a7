// The built files of a page in the forms that a client accepts: compressed at their first request, and kept.
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { acceptsCoding } from "../responses/content-coding.ts";

/** A compressed file. */
export interface CompressedFile {
  type: string;
  coding: "br" | "gzip";
  bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
};
// A shorter file fits into one packet anyway.
const smallestLength = 1_024;
// Better levels take several times as long for a few percent.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };
const compress = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, brotliOptions),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 6 }),
} as const;

export class CompressedFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  /** By the coding and the name. Null: the file is so short that it is sent as it is. */
  readonly #kept = new Map<string, Promise<Buffer | null>>();

  private constructor(folder: string, names: ReadonlySet<string>) {
    this.#folder = folder;
    this.#names = names;
  }

  /** @param folder whose files do not change */
  static async open(folder: string): Promise<CompressedFiles> {
    return new CompressedFiles(folder, new Set(await readdir(folder)));
  }

  /** A file in the best form that the header `Accept-Encoding` accepts; null: it is to be sent as it is, or does not exist. */
  async find(name: string, accepted: string | readonly string[] | undefined): Promise<CompressedFile | null> {
    const type = types[extname(name)];
    const coding = (["br", "gzip"] as const).find((each) => acceptsCoding(accepted, each));
    if (type === undefined || coding === undefined || !this.#names.has(name)) return null;
    const key = `${coding} ${name}`;
    const kept = this.#kept.get(key) ?? this.#compress(name, coding);
    this.#kept.set(key, kept);
    const bytes = await kept;
    return bytes === null ? null : { type, coding, bytes };
  }

  async #compress(name: string, coding: "br" | "gzip"): Promise<Buffer | null> {
    const bytes = await readFile(join(this.#folder, name));
    return bytes.length < smallestLength ? null : compress[coding](bytes);
  }
}
