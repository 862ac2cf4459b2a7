// A value in memory with its file: it is in use at once, even while the disk cannot store it, and is written as soon as that works.
import { basename } from "node:path";
import type { DurableRead } from "../../base/files/durable-file.ts";
import { isSystemError } from "../../base/files/system-error.ts";
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

export class StoredValue<T> {
  readonly #file: ValueFile<T>;
  readonly #disk: DiskHealth;
  #value: T | null;
  #isStored: boolean;

  private constructor(file: ValueFile<T>, disk: DiskHealth, value: T | null, isStored: boolean) {
    this.#file = file;
    this.#disk = disk;
    this.#value = value;
    this.#isStored = isStored;
  }

  /** Reads the file, and repairs and reports a damaged one. @param ifLost what happens if nothing of it can be read, for the report. */
  static async open<T>(file: ValueFile<T>, disk: DiskHealth, ifLost: string): Promise<StoredValue<T>> {
    try {
      const read = await file.read();
      if (read.is === "absent") return new StoredValue<T>(file, disk, null, true);
      const stored = new StoredValue<T>(file, disk, read.value, !read.recovered);
      if (read.recovered) disk.fileDamaged(basename(file.path), "using its copy or its previous generation");
      await stored.save();
      return stored;
    } catch (error) {
      if (!isFault(error, "file-corrupt")) throw error;
      disk.fileDamaged(basename(file.path), ifLost, error);
      // What could only not be read now may be readable at the next start.
      if (!isSystemError(error.cause)) await disk.attempt(basename(file.path), () => file.setAside());
      return new StoredValue<T>(file, disk, null, true);
    }
  }

  /** Null: there is none. */
  get value(): T | null {
    return this.#value;
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
    const change = (): Promise<void> => (value === null ? this.#file.remove() : this.#file.write(value));
    this.#isStored = await this.#disk.attempt(basename(this.#file.path), change);
  }
}
