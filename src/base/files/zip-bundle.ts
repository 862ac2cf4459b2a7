// A zip that holds a small web site: looked over whole before anything of it is used, then read file by file, never unpacked.
import { stat } from "node:fs/promises";
import { Transform, type Readable } from "node:stream";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { Fault, reasonOf } from "../fault.ts";

/** How much a bundle may hold. */
export interface BundleLimits {
  files: number;
  /** Unpacked, all files together. */
  bytes: number;
  /** Unpacked to packed. Text packs at 20 to 1 at the very most; deflate's own limit, which bombs use, is 1,032. */
  ratio: number;
}

const defaultLimits: BundleLimits = { files: 5_000, bytes: 1024 ** 3, ratio: 150 };
// Below this the ratio says nothing: a few kilobytes of one letter harm nobody.
const harmlessBytes = 16 * 1024 ** 2;
const linkType = 0o120_000;
const typeMask = 0o170_000;

/** Bytes of a file from `start` to `end`, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** An open bundle. Its owner disposes it. */
export class Bundle implements Disposable {
  readonly #zip: ZipFile;
  readonly #files: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, files: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#files = files;
  }

  /**
   * Opens the zip at `path` and reads its directory.
   * @throws Fault `unsupported` saying why it is refused: no zip, no index.html, names that lead out of it, links,
   * encryption, or more than the limits allow.
   */
  static async open(path: string, limits = defaultLimits): Promise<Bundle> {
    const { size } = await stat(path);
    const zip = await openPromise(path, { autoClose: false }).catch((error: unknown) => {
      throw new Fault("unsupported", `it is not a zip that can be read (${reasonOf(error)}): pack it again`);
    });
    try {
      return new Bundle(zip, await readDirectory(zip, size, limits));
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  /** How long the file behind a path such as `js/app.js` is; null when there is none. `` and `folder/` mean their index.html. */
  sizeOf(path: string): number | null {
    return this.#find(path)?.uncompressedSize ?? null;
  }

  /** The file's bytes, or a span of them. The stream fails when they are not what the directory announced. */
  async read(path: string, span: ByteRange | null): Promise<Readable> {
    const entry = this.#find(path);
    if (entry === undefined) throw new Fault("asset-missing", `the bundle has no ${path}`);
    const whole = await this.#zip.openReadStreamPromise(entry);
    return span === null ? whole : cut(whole, span);
  }

  [Symbol.dispose](): void {
    this.#zip.close();
  }

  #find(path: string): Entry | undefined {
    return this.#files.get(path === "" || path.endsWith("/") ? `${path}index.html` : path);
  }
}

async function readDirectory(zip: ZipFile, packedBytes: number, limits: BundleLimits): Promise<Map<string, Entry>> {
  const refuse = (reason: string): never => {
    throw new Fault("unsupported", reason);
  };
  const files = new Map<string, Entry>();
  let bytes = 0;
  if (zip.entryCount > limits.files) refuse(`it holds ${zip.entryCount} files, more than ${limits.files}`);
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName } = entry;
      if (fileName.endsWith("/")) continue;
      if (entry.isEncrypted() || !entry.canDecodeFileData()) refuse(`${fileName} is encrypted or packed in an unusual way: use plain zip`);
      if (((entry.externalFileAttributes >>> 16) & typeMask) === linkType) refuse(`${fileName} is a link: pack the file itself`);
      if (files.has(fileName)) refuse(`it holds ${fileName} twice`);
      bytes += entry.uncompressedSize;
      if (bytes > limits.bytes) refuse(`unpacked it is larger than ${Math.round(limits.bytes / 1024 ** 2)} MB`);
      if (bytes > harmlessBytes && bytes > packedBytes * limits.ratio)
        refuse("it unpacks to far more than a web page needs, as a zip bomb does");
      files.set(fileName, entry);
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    // Names that are absolute or lead out of the zip end up here too.
    refuse(`its directory is not sound (${reasonOf(error)})`);
  }
  if (!files.has("index.html")) refuse("it has no index.html at its top: pack what is in the folder, not the folder");
  return files;
}

/** Packed bytes have no middle to jump to, so what comes before the span is read and dropped. */
function cut(whole: Readable, { start, end }: ByteRange): Readable {
  let at = 0;
  const part = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const from = Math.max(0, start - at);
      const to = Math.min(chunk.length, end + 1 - at);
      at += chunk.length;
      if (to > from) this.push(chunk.subarray(from, to));
      done();
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
