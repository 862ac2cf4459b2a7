// A zip file with a small web site: checked completely before use, then read file by file without unpacking it.
import { stat } from "node:fs/promises";
import { Transform, type Readable } from "node:stream";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { Fault, reasonOf } from "../fault.ts";
import type { ByteRange } from "../http/byte-range.ts";

/** Limits of a bundle's content. */
export interface BundleLimits {
  files: number;
  /** Unpacked size of all files together. */
  bytes: number;
  /** Largest ratio of unpacked to packed size. Text reaches 20; deflate's maximum, which zip bombs use, is 1,032. */
  ratio: number;
}

const defaultLimits: BundleLimits = { files: 5_000, bytes: 1024 ** 3, ratio: 150 };
// The ratio is not checked below this size: a small file of repeated letters is harmless.
const harmlessBytes = 16 * 1024 ** 2;
const linkType = 0o120_000;
const typeMask = 0o170_000;

/** An open bundle. The caller disposes it. */
export class Bundle implements Disposable {
  readonly #zip: ZipFile;
  readonly #files: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, files: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#files = files;
  }

  /**
   * Opens the zip at `path` and checks its directory.
   * @throws Fault `unsupported` with the reason: not a zip, no index.html, paths outside the zip, links, encryption, or
   * a limit exceeded.
   */
  static async open(path: string, limits = defaultLimits): Promise<Bundle> {
    const { size } = await stat(path);
    const zip = await openPromise(path, { autoClose: false }).catch((error: unknown) => {
      throw new Fault("unsupported", `it is not a readable zip file (${reasonOf(error)}): pack it again`);
    });
    try {
      return new Bundle(zip, await readDirectory(zip, size, limits));
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  /** Size of the file at a path such as `js/app.js`; null when it does not exist. `` and `folder/` mean their index.html. */
  sizeOf(path: string): number | null {
    return this.#find(path)?.uncompressedSize ?? null;
  }

  /** The file's bytes, or a range of them. The stream fails when the file does not match the zip's directory. */
  async read(path: string, range: ByteRange | null): Promise<Readable> {
    const entry = this.#find(path);
    if (entry === undefined) throw new Fault("asset-missing", `the bundle has no ${path}`);
    const whole = await this.#zip.openReadStreamPromise(entry);
    return range === null ? whole : cutRange(whole, range);
  }

  [Symbol.dispose](): void {
    this.#zip.close();
  }

  #find(path: string): Entry | undefined {
    return this.#files.get(path === "" || path.endsWith("/") ? `${path}index.html` : path);
  }
}

async function readDirectory(zip: ZipFile, packedBytes: number, limits: BundleLimits): Promise<Map<string, Entry>> {
  const reject = (reason: string): never => {
    throw new Fault("unsupported", reason);
  };
  const files = new Map<string, Entry>();
  let bytes = 0;
  if (zip.entryCount > limits.files) reject(`it holds ${zip.entryCount} files, more than ${limits.files}`);
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (fileName.endsWith("/")) continue;
      if (entry.isEncrypted() || !entry.canDecodeFileData())
        reject(`${fileName} is encrypted or uses an unusual compression: use a plain zip`);
      if (((entry.externalFileAttributes >>> 16) & typeMask) === linkType) reject(`${fileName} is a link: pack the file itself`);
      if (files.has(fileName)) reject(`it holds ${fileName} twice`);
      bytes += entry.uncompressedSize;
      if (bytes > limits.bytes) reject(`unpacked it is larger than ${Math.round(limits.bytes / 1024 ** 2)} MB`);
      if (bytes > harmlessBytes && bytes > packedBytes * limits.ratio)
        reject("it unpacks to far more than a web page needs, as a zip bomb does");
      files.set(fileName, entry);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    // Absolute paths and paths outside the zip also end here.
    reject(`its directory is damaged (${reasonOf(error)})`);
  }
  if (!files.has("index.html")) reject("it has no index.html at its top level: pack the folder's content, not the folder");
  return files;
}

/** Compressed data cannot be read from the middle, so the bytes before the range are read and dropped. */
function cutRange(whole: Readable, { start, end }: ByteRange): Readable {
  let at = 0;
  const part = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      const from = Math.max(0, start - at);
      const to = Math.min(chunk.length, end + 1 - at);
      at += chunk.length;
      if (to > from) this.push(chunk.subarray(from, to));
      callback();
      if (at > end) {
        whole.unpipe(this);
        whole.destroy();
        this.end();
      }
    },
  });
  whole.on("error", (error) => part.destroy(error));
  part.on("close", () => whole.destroy());
  return whole.pipe(part);
}
