// Files on disk, named by the SHA-256 of their bytes. A file is either whole and synced under its name, or not there.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { syncFolder } from "../base/durable-file.ts";
import { randomText } from "./access.ts";
import { Refusal } from "./problem.ts";

/** Bytes that came in and lie in a temporary file: to be kept under their hash, or to be dropped by disposing. */
export interface Received extends AsyncDisposable {
  path: string;
  sha256: string;
  sizeBytes: number;
}

export class Blobs {
  readonly #folder: string;
  readonly #incoming: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, "incoming");
  }

  /** Opens the folder, made if need be, and clears what an earlier process left half received. */
  static async open(folder: string): Promise<Blobs> {
    const blobs = new Blobs(folder);
    await mkdir(blobs.#incoming, { recursive: true, mode: 0o700 });
    for (const name of await readdir(blobs.#incoming)) await rm(join(blobs.#incoming, name), { force: true });
    return blobs;
  }

  /** Writes `bytes` to a temporary file, synced. @throws Refusal 413 above `mostBytes`; nothing is left behind then. */
  async receive(bytes: Readable, mostBytes: number): Promise<Received> {
    const path = join(this.#incoming, randomText(20));
    const discard = () => rm(path, { force: true });
    const hash = createHash("sha256");
    let sizeBytes = 0;
    const file = await open(path, "wx", 0o600);
    try {
      for await (const part of bytes as AsyncIterable<Buffer>) {
        sizeBytes += part.length;
        if (sizeBytes > mostBytes) throw tooLarge(mostBytes);
        hash.update(part);
        await file.writeFile(part);
      }
      await file.sync();
    } catch (error) {
      await discard();
      throw error;
    } finally {
      await file.close();
    }
    return { path, sha256: hash.digest("hex"), sizeBytes, [Symbol.asyncDispose]: discard };
  }

  /** Keeps what came in under its hash. Equal bytes that are there already stay as they are. */
  async keep(received: Received): Promise<void> {
    const folder = join(this.#folder, received.sha256.slice(0, 2));
    const path = this.#path(received.sha256);
    const present = await stat(path).catch(() => null);
    if (present?.size === received.sizeBytes) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(received.path, path);
    await syncFolder(folder);
    await syncFolder(this.#folder);
  }

  /** Opens the bytes from `start` to `end`, both included. */
  read(sha256: string, start: number, end: number): Readable {
    return createReadStream(this.#path(sha256), { start, end });
  }

  /** Removes the file; one that is not there is fine. */
  async remove(sha256: string): Promise<void> {
    await rm(this.#path(sha256), { force: true });
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256);
  }
}

/** Refuses a body above `mostBytes`. */
export function tooLarge(mostBytes: number): Refusal {
  return new Refusal("too-large", `The body is larger than the ${mostBytes} bytes that are taken here`);
}
