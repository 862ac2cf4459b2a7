// A value in two durable files in different folders, so that either file alone is enough to restore it.
import { basename, join, dirname } from "node:path";
import { Fault, isFault } from "../fault.ts";
import { DurableFile, type DurableRead } from "./durable-file.ts";
import type { ParseRecord } from "./record.ts";
import { isReadFailure } from "./system-error.ts";

/** Name of the folder beside a mirrored file that has its copy. */
const copyFolder = "copies";

/** For a value that is written rarely and cannot be fetched or created again. */
export class MirroredFile<T> {
  readonly path: string;
  readonly #main: DurableFile<T>;
  readonly #copy: DurableFile<T>;

  constructor(path: string, parse: ParseRecord<T>) {
    this.path = path;
    this.#main = new DurableFile(path, parse);
    this.#copy = new DurableFile(join(dirname(path), copyFolder, basename(path)), parse);
  }

  /**
   * The newest readable value. `recovered`: a file was damaged or out of date, or the main file was missing;
   * {@link write} repairs it. `unread`: the disk failed to read one of the files, which may be newer.
   * @throws Fault `file-corrupt` when no generation of either file can be read and at least one is damaged; the system's error when no
   * file has a value and the disk failed to read one: the value may be in that one.
   */
  async read(): Promise<DurableRead<T>> {
    const [main, copy] = [await readGenerations(this.#main), await readGenerations(this.#copy)];
    // The main file is written first and removed last, so it decides unless its newest generation is damaged or missing.
    const best = [main, copy].find((each) => each.is === "found" && !each.isRecovered) ?? [main, copy].find((each) => each.is === "found");
    const unread = main.is === "unread" ? main : copy.is === "unread" ? copy : undefined;
    if (best?.is === "found" && unread !== undefined) return { is: "found", value: best.value, isRecovered: false, unread: unread.cause };
    if (unread !== undefined) throw unread.cause;
    if (best?.is === "found") {
      const isWhole = (each: Generations<T>): boolean => each.is === "found" && !each.isRecovered && isSame(each.value, best.value);
      // An older version wrote no copy. {@link write} adds it.
      return { is: "found", value: best.value, isRecovered: !(isWhole(main) && (copy.is === "absent" || isWhole(copy))) };
    }
    const damage = main.is === "damaged" ? main : copy;
    if (damage.is !== "damaged") return { is: "absent" };
    throw new Fault("file-corrupt", `${this.path} and its copy cannot be read`, { cause: damage.cause });
  }

  async exists(): Promise<boolean> {
    return (await this.#main.exists()) && (await this.#copy.exists());
  }

  /** Replaces the value in both files. Resolves once both would survive power loss. */
  async write(value: T): Promise<void> {
    await this.#main.write(value);
    await this.#copy.write(value);
  }

  /** Gives all damaged generations of both files other names. */
  async setAside(): Promise<void> {
    await this.#main.setAside();
    await this.#copy.setAside();
  }

  /** Removes the value. After a power cut in between, the main file is still there. */
  async remove(): Promise<void> {
    await this.#copy.remove();
    await this.#main.remove();
  }
}

/** `damaged`: the content was read and is none. `unread`: the disk failed. */
type Generations<T> = DurableRead<T> | { is: "damaged" | "unread"; cause: unknown };

async function readGenerations<T>(file: DurableFile<T>): Promise<Generations<T>> {
  try {
    return await file.read();
  } catch (cause) {
    if (isReadFailure(cause)) return { is: "unread", cause };
    if (!isFault(cause, "file-corrupt")) throw cause;
    return { is: "damaged", cause };
  }
}

/** Both were parsed by the same schema, so equal values have equal texts. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
