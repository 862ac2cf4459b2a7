// A value in a file that survives power loss: write to a temporary file, fsync, rename, fsync the folder; keep the previous generation.
import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, rm, link } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { Fault, hasErrorCode } from "../fault.ts";
import { isAccessible } from "./is-accessible.ts";
import { type ParseRecord, recordText } from "./record.ts";

/** The result of a read. `recovered` means that the newest generation was damaged or missing and the previous one was used. */
export type DurableRead<T> = { is: "absent" } | { is: "found"; value: T; recovered: boolean };

/**
 * A JSON value stored durably at `path` (mode 0600). Writes are atomic and serialized: a reader sees the old value or the
 * new one, never a part. A checksum detects bit rot and truncation.
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

  /** @throws Fault `file-corrupt` when the file and its previous generation are both unreadable. */
  async read(): Promise<DurableRead<T>> {
    const causes: unknown[] = [];
    for (const [path, recovered] of [
      [this.path, false],
      [`${this.path}.previous`, true],
    ] as const) {
      try {
        const text = await readFile(path, "utf8");
        return { is: "found", value: this.#parse(deserialize(text)), recovered };
      } catch (error) {
        if (!hasErrorCode(error, "ENOENT")) causes.push(error);
      }
    }
    if (causes.length === 0) return { is: "absent" };
    throw new Fault("file-corrupt", `${this.path} and its previous generation cannot be read`, {
      cause: causes[0],
    });
  }

  /** The generation before the newest one; null when it is missing or damaged. */
  async readPrevious(): Promise<T | null> {
    const text = await readFile(`${this.path}.previous`, "utf8").catch(() => null);
    if (text === null) return null;
    try {
      return this.#parse(deserialize(text));
    } catch {
      return null; // damaged: there is nothing to return to
    }
  }

  /** Whether the newest generation is on the disk, damaged or not. */
  exists(): Promise<boolean> {
    return isAccessible(this.path);
  }

  /**
   * Replaces the value. Resolves once the new value would survive power loss.
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
    } catch (error) {
      // A part of a file must not take up space on a full disk. A read-only disk keeps it, and the first error says why.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await this.#keepPrevious();
    await rename(temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  async #keepPrevious(): Promise<void> {
    // A damaged file must not replace the good previous generation.
    const current = await readFile(this.path, "utf8").catch(() => undefined);
    if (current === undefined) return;
    try {
      this.#parse(deserialize(current));
    } catch {
      return; // damaged: read() reports it; the previous generation is kept
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
  for (let created = resolve(folder); created.length >= first.length; created = dirname(created)) await syncFolder(dirname(created));
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
