// A value in memory with its file: it is in use at once, even while the disk cannot store it, and is written as soon as that works.
import { basename } from "node:path";
import type { DurableRead } from "../../base/files/durable-file.ts";
import { isReadFailure } from "../../base/files/system-error.ts";
import { isFault } from "../../base/fault.ts";
import type { DiskHealth } from "./disk-health.ts";

/** The file of a value: a `DurableFile` or a `MirroredFile`. */
export interface ValueFile<T> {
  readonly path: string;
  read(): Promise<DurableRead<T>>;
  exists(): Promise<boolean>;
  write(value: T): Promise<void>;
  remove(): Promise<void>;
  setAside(): Promise<void>;
}

/** The optional behaviour of a store. */
export interface ValueOptions<T> {
  /**
   * Merges the value that was set while the file could not be read into the stored one. By default the newer value replaces the stored one.
   */
  merge?: (stored: T, since: T) => T;
}

export class StoredValue<T> {
  readonly #file: ValueFile<T>;
  readonly #disk: DiskHealth;
  readonly #merge: (stored: T, since: T) => T;
  #value: T | null;
  #isStored: boolean;
  /** `yes`: nothing is written over the file. The value that it had when it could be read at last is merged with the one set meanwhile. */
  #isUnread: "yes" | "no" | { had: T | null } = "no";

  private constructor(file: ValueFile<T>, disk: DiskHealth, value: T | null, isStored: boolean, { merge }: ValueOptions<T>) {
    this.#file = file;
    this.#disk = disk;
    this.#merge = merge ?? ((_stored, since) => since);
    this.#value = value;
    this.#isStored = isStored;
  }

  /**
   * Reads the file, and repairs and reports a damaged one. If the disk fails to read it, the value is null until whoever listens to
   * {@link DiskHealth.onReadAgain} opens it again; a value that is set meanwhile is written then.
   * @param ifLost the consequence if nothing of it can be read, for the report.
   */
  static async open<T>(file: ValueFile<T>, disk: DiskHealth, ifLost: string, options: ValueOptions<T> = {}): Promise<StoredValue<T>> {
    try {
      return await StoredValue.read(file, disk, ifLost, options);
    } catch (error) {
      if (!isReadFailure(error)) throw error;
      const stored = new StoredValue<T>(file, disk, null, true, options);
      stored.#isUnread = "yes";
      disk.unreadable(basename(file.path), error, () => stored.#readLate());
      return stored;
    }
  }

  /** The same for a value without which nothing can go on. @throws the system's error if the disk fails to read it. */
  static async read<T>(file: ValueFile<T>, disk: DiskHealth, ifLost: string, options: ValueOptions<T> = {}): Promise<StoredValue<T>> {
    const name = basename(file.path);
    try {
      const read = await file.read();
      if (read.is === "absent") return new StoredValue<T>(file, disk, null, true, options);
      const stored = new StoredValue<T>(file, disk, read.value, !read.isRecovered, options);
      if (read.isRecovered) disk.fileDamaged(name, "using its copy or its previous generation");
      // The file that could not be read stays as it is.
      if (read.unread !== undefined) disk.unreadable(name, read.unread, () => readWhole(file));
      await stored.save();
      return stored;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      disk.fileDamaged(name, ifLost, error);
      await disk.attempt(name, () => file.setAside());
      return new StoredValue<T>(file, disk, null, true, options);
    }
  }

  /** Null: there is none. */
  get value(): T | null {
    return this.#value;
  }

  /** True while the disk fails to read the file, so that the value is not known. */
  get isUnread(): boolean {
    return this.#isUnread === "yes";
  }

  /** Replaces the value; null removes it. Resolves once it is durable, or once the disk has failed to store it: see {@link save}. */
  async set(value: T | null): Promise<void> {
    this.#value = value;
    this.#isStored = false;
    await this.save();
  }

  /** Writes the value if the last write failed or the file was deleted meanwhile. */
  async save(): Promise<void> {
    const value = this.#value;
    if (this.#isStored && (value === null || (await this.#file.exists()))) return;
    const name = basename(this.#file.path);
    if (value === null) {
      this.#isStored = await this.#disk.attempt(name, () => this.#file.remove());
      if (this.#isStored) this.#isUnread = "no";
      if (this.#isStored) this.#disk.forgetUnread(name);
      return;
    }
    if (this.#isUnread === "yes") return;
    const had = this.#isUnread === "no" ? null : this.#isUnread.had;
    this.#isStored = await this.#disk.attempt(name, () => this.#file.write(had === null ? value : this.#merge(had, value)));
  }

  async #readLate(): Promise<void> {
    const read = await this.#file.read();
    const had = read.is === "found" ? read.value : null;
    this.#isUnread = { had };
    if (this.#isStored) this.#value = had;
    else await this.save();
  }
}

/** Reads a file and its copy. @throws the system's error if the disk fails to read one of them. */
async function readWhole<T>(file: ValueFile<T>): Promise<void> {
  const read = await file.read();
  if (read.is === "found" && read.unread !== undefined) throw read.unread;
}
