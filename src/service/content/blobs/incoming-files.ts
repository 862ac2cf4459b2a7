// Receives files into a local folder and hashes them, before a blob store takes them.
import { createHash } from "node:crypto";
import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { randomText } from "../../people/token-secrets.ts";
import { writeStream } from "../file-writer.ts";
import { tooLarge, type BlobName, type ReceivedFile } from "./blob-store.ts";

export class IncomingFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the folder, creates it if necessary, and deletes files that an earlier process received only in part. */
  static async open(folder: string): Promise<IncomingFiles> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
    return new IncomingFiles(folder);
  }

  /** The path of a new file. */
  newPath(): string {
    return join(this.#folder, randomText(20));
  }

  /** {@link BlobStore.receive} */
  async receive(bytes: AsyncIterable<Uint8Array>, maxBytes: number, onProgress?: (sizeBytes: number) => void): Promise<ReceivedFile> {
    const path = this.newPath();
    const discard = () => rm(path, { force: true });
    const hash = createHash("sha256");
    const file = await open(path, "wx", 0o600);
    const onBytes = (sizeBytes: number) => {
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      onProgress?.(sizeBytes);
    };
    try {
      const sizeBytes = await writeStream(file, bytes, { at: 0, hash, onBytes });
      return { path, sha256: hash.digest("hex"), sizeBytes, [Symbol.asyncDispose]: discard };
    } catch (error) {
      await discard();
      throw error;
    } finally {
      await file.close();
    }
  }

  /** {@link BlobStore.receiveFile} */
  async receiveFile(path: string): Promise<ReceivedFile> {
    return { ...(await this.adopt(path)), [Symbol.asyncDispose]: () => rm(path, { force: true }) };
  }

  /** {@link BlobStore.adopt} */
  async adopt(path: string, known?: BlobName): Promise<ReceivedFile> {
    if (known !== undefined) return { ...known, path, [Symbol.asyncDispose]: async () => undefined };
    const hash = createHash("sha256");
    let sizeBytes = 0;
    const file = await open(path, "r+");
    try {
      await file.sync();
      for await (const part of file.createReadStream({ autoClose: false, highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>) {
        hash.update(part);
        sizeBytes += part.length;
      }
    } finally {
      await file.close();
    }
    return { path, sha256: hash.digest("hex"), sizeBytes, [Symbol.asyncDispose]: async () => undefined };
  }
}
