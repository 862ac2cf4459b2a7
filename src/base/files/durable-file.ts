// A value in a file that survives power loss: write to a temporary file, fsync, rename, fsync the folder; keep the previous generation.
import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, rm, link } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Fault, hasErrorCode } from "../fault.ts";
import { isMissing } from "./is-accessible.ts";
import { type ParseRecord, recordText } from "./record.ts";
import { isReadFailure } from "./system-error.ts";

/**
 * The result of a read. `recovered` means that the newest generation was damaged or missing and the previous one was used. `unread`: the
 * error of a copy that could not be read, and so may be newer than the value.
 */
export type DurableRead<T> = { is: "absent" } | { is: "found"; value: T; isRecovered: boolean; unread?: unknown };

/**
 * A JSON value stored durably at `path` (mode 0600). Writes are atomic and serialized: a reader sees the old value or the
 * new one, never a part. A checksum detects bit rot and truncation. A disk that fails to read the file says nothing about its content:
 * then no other generation is used, and none is replaced.
 */
export class DurableFile<T> {
  readonly path: string;
  readonly #parse: ParseRecord<T>;
  #writing: Promise<void> = Promise.resolve();

  /** @param parse validates the stored JSON and returns the value, such as a zod schema's `parse`. */
  constructor(path: string, parse: ParseRecord<T>) {
    this.path = path;
    this.#parse = parse;
  }

  /**
   * @throws Fault `file-corrupt` when the file and its previous generation are both damaged; the system's error when the disk fails to
   * read one that is needed.
   */
  async read(): Promise<DurableRead<T>> {
    const causes: unknown[] = [];
    for (const [path, isRecovered] of [
      [this.path, false],
      [`${this.path}.previous`, true],
    ] as const) {
      try {
        const text = await readFile(path, "utf8");
        return { is: "found", value: this.#parse(deserialize(text)), isRecovered };
      } catch (error) {
        if (isReadFailure(error)) throw error;
        if (!hasErrorCode(error, "ENOENT")) causes.push(error);
      }
    }
    if (causes.length === 0) return { is: "absent" };
    throw new Fault("file-corrupt", `${this.path} and its previous generation are damaged`, {
      cause: causes[0],
    });
  }

  /** The generation before the newest one; null when it is missing or damaged. @throws the system's error when the disk fails. */
  async readPrevious(): Promise<T | null> {
    try {
      return this.#parse(deserialize(await readFile(`${this.path}.previous`, "utf8")));
    } catch (error) {
      if (isReadFailure(error)) throw error;
      return null; // missing or damaged: there is nothing to return to
    }
  }

  /** True if the newest generation is on the disk, damaged or not. One that a failing disk hides counts as there. */
  async exists(): Promise<boolean> {
    return !(await isMissing(this.path));
  }

  /**
   * Replaces the value. Resolves once the new value would survive power loss. Rejects if the disk fails to read the present one.
   * @throws Fault `record-unreadable` for a value that {@link read} would refuse: nothing is written then.
   */
  write(value: T): Promise<void> {
    const next = this.#writing.then(() => this.#replace(value));
    this.#writing = next.catch(() => undefined);
    return next;
  }

  /** Removes the value and its previous generation. */
  remove(): Promise<void> {
    const next = this.#writing.then(async () => {
      await rm(`${this.path}.previous`, { force: true });
      await rm(this.path, { force: true });
      // A folder that was deleted contains nothing to remove.
      await syncFolder(dirname(this.path)).catch((error: unknown) => {
        if (!hasErrorCode(error, "ENOENT")) throw error;
      });
    });
    this.#writing = next.catch(() => undefined);
    return next;
  }

  /** Gives a damaged file and its previous generation other names, so that they are not read again but can be examined. */
  async setAside(): Promise<void> {
    for (const path of [this.path, `${this.path}.previous`]) {
      await rename(path, `${path}.damaged`).catch((error: unknown) => {
        if (!hasErrorCode(error, "ENOENT")) throw error;
      });
    }
  }

  async #replace(value: T): Promise<void> {
    const text = withChecksum(recordText(value, this.#parse, basename(this.path)));
    await makeFolder(dirname(this.path));
    const temporary = `${this.path}.new`;
    try {
      await writeSynced(temporary, text, "w");
      await this.#keepPrevious();
    } catch (error) {
      // A part of a file must not take up space on a full disk. A read-only disk keeps it, and the first error says why.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await rename(temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  async #keepPrevious(): Promise<void> {
    try {
      this.#parse(deserialize(await readFile(this.path, "utf8")));
    } catch (error) {
      // A file that the disk only fails to read may be whole: it is not replaced.
      if (isReadFailure(error)) throw error;
      return; // missing or damaged: read() reports it. It must not replace the good previous generation
    }
    await rm(`${this.path}.previous`, { force: true });
    await link(this.path, `${this.path}.previous`);
  }
}

/** Writes and syncs a file that only its owner may read. @param flag `wx` fails if the file exists; `w` replaces its content. */
export async function writeSynced(path: string, content: string | AsyncIterable<Buffer>, flag: "w" | "wx"): Promise<void> {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a folder and its missing parents (mode 0700) so that they survive power loss. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // A folder's name is stored in its parent, so the parent has to be synced.
  for (let path = resolve(folder); path.length >= first.length; path = dirname(path)) await syncFolder(dirname(path));
}

/** Makes a rename or a removal in `folder` durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

// The first line is the SHA-256 of the rest, which detects truncation and bit rot before the JSON is parsed.
function withChecksum(json: string): string {
  const body = `${json}\n`;
  return `${createHash("sha256").update(body).digest("hex")}\n${body}`;
}

function deserialize(text: string): unknown {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  if (end !== 64 || createHash("sha256").update(body).digest("hex") !== text.slice(0, end)) {
    throw new Fault("file-corrupt", "the checksum does not match");
  }
  return JSON.parse(body);
}
