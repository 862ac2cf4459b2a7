// Traces every change that this process makes through node:fs/promises below a folder, with its bytes, in the order of completion.
import { readFileSync } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, resolve } from "node:path";

/**
 * One change. Paths are absolute. Files have numbers, because names change. `covers`: a sync makes durable only what was complete when
 * it began, which is the entries before this index.
 */
export type TraceEntry =
  /** Names in a folder that change together: path to file, "folder", or null for none. */
  | { is: "names"; folder: string; names: readonly { path: string; to: number | "folder" | null }[] }
  | { is: "truncate"; file: number }
  | { is: "write"; file: number; offset: number; bytes: Buffer }
  | { is: "sync-file"; file: number; covers: number }
  | { is: "sync-folder"; folder: string; covers: number };

/** Patches node:fs/promises until it is disposed of. Two traces cannot run at the same time. */
export class DiskTrace implements Disposable {
  readonly entries: TraceEntry[] = [];
  readonly #root: string;
  readonly #real = { open: fs.open, rename: fs.rename, rm: fs.rm, link: fs.link, mkdir: fs.mkdir, writeFile: fs.writeFile };
  /** The files that exist now, by path. */
  readonly #files = new Map<string, number>();
  /** What this process believes to be in each file. */
  readonly #contents: Buffer[] = [];

  constructor(root: string) {
    this.#root = resolve(root);
    Object.assign(fs, {
      open: this.#open,
      rename: this.#rename,
      rm: this.#rm,
      link: this.#link,
      mkdir: this.#mkdir,
      writeFile: this.#writeFile,
    });
    syncBuiltinESMExports();
  }

  [Symbol.dispose](): void {
    Object.assign(fs, this.#real);
    syncBuiltinESMExports();
  }

  readonly #open: typeof fs.open = async (path, flags = "r", ...mode) => {
    const name = this.#traced(path);
    const handle = await this.#real.open(path, flags, ...mode);
    if (name === null) return handle;
    if (flags === "r") return this.#files.has(name) ? handle : this.#traceFolder(handle, name);
    if (flags !== "w" && flags !== "a") throw new Error(`the trace does not know the flag ${String(flags)}`);
    const existing = this.#files.get(name);
    const file = existing ?? this.#contents.push(Buffer.alloc(0)) - 1;
    if (existing === undefined) this.#name([{ path: name, to: file }]);
    else if (flags === "w") {
      this.entries.push({ is: "truncate", file });
      this.#contents[file] = Buffer.alloc(0);
    }
    return this.#traceFile(handle, file);
  };

  readonly #writeFile: typeof fs.writeFile = async (path, ...rest) => {
    if (this.#traced(path) !== null) throw new Error("the trace sees only writes through handles");
    await this.#real.writeFile(path, ...rest);
  };

  readonly #rename: typeof fs.rename = async (from, to) => {
    await this.#real.rename(from, to);
    const [before, after] = [this.#traced(from), this.#traced(to)];
    if (before === null || after === null) return;
    this.#name([
      { path: after, to: this.#files.get(before)! },
      { path: before, to: null },
    ]);
  };

  readonly #rm: typeof fs.rm = async (path, options) => {
    await this.#real.rm(path, options);
    const name = this.#traced(path);
    if (name !== null && this.#files.has(name)) this.#name([{ path: name, to: null }]);
  };

  readonly #link: typeof fs.link = async (from, to) => {
    await this.#real.link(from, to);
    const [existing, added] = [this.#traced(from), this.#traced(to)];
    if (existing !== null && added !== null) this.#name([{ path: added, to: this.#files.get(existing)! }]);
  };

  readonly #mkdir = async (path: string, options?: { recursive?: boolean }): Promise<string | undefined> => {
    const first = await this.#real.mkdir(path, { ...options, recursive: true });
    if (this.#traced(path) === null || first === undefined) return first;
    const created: string[] = [];
    for (let each = resolve(path); each.length >= first.length; each = dirname(each)) created.unshift(each);
    for (const each of created) this.#name([{ path: each, to: "folder" }]);
    return first;
  };

  #traceFolder(handle: FileHandle, folder: string): FileHandle {
    const sync = handle.sync.bind(handle);
    const traced = async (): Promise<void> => {
      const covers = this.entries.length;
      await sync();
      this.entries.push({ is: "sync-folder", folder, covers });
    };
    return Object.assign(handle, { sync: traced });
  }

  #traceFile(handle: FileHandle, file: number): FileHandle {
    const truncateReally = handle.truncate.bind(handle);
    const written = <A extends unknown[], R>(write: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        try {
          return await write(...args);
        } finally {
          this.#recordWrite(handle, file);
        }
      };
    };
    const synced = (sync: () => Promise<void>) => async (): Promise<void> => {
      const covers = this.entries.length;
      await sync();
      this.entries.push({ is: "sync-file", file, covers });
    };
    const truncate = async (): Promise<void> => {
      await truncateReally();
      this.entries.push({ is: "truncate", file });
      this.#contents[file] = Buffer.alloc(0);
    };
    return Object.assign(handle, {
      truncate,
      write: written(handle.write.bind(handle) as (...args: unknown[]) => Promise<unknown>),
      writev: written(handle.writev.bind(handle) as (...args: unknown[]) => Promise<unknown>),
      writeFile: written(handle.writeFile.bind(handle)),
      appendFile: written(handle.appendFile.bind(handle)),
      sync: synced(handle.sync.bind(handle)),
      datasync: synced(handle.datasync.bind(handle)),
    });
  }

  /** Finds what a write changed by reading the file: its bytes may come from a stream. */
  #recordWrite(handle: FileHandle, file: number): void {
    const before = this.#contents[file]!;
    const after = readFileSync(`/proc/self/fd/${handle.fd}`);
    this.#contents[file] = after;
    let offset = 0;
    while (offset < before.length && before[offset] === after[offset]) offset += 1;
    if (offset < after.length) this.entries.push({ is: "write", file, offset, bytes: after.subarray(offset) });
  }

  /** Changes names, which have to be in one folder. */
  #name(names: readonly { path: string; to: number | "folder" | null }[]): void {
    const folder = dirname(names[0]!.path);
    if (names.some(({ path }) => dirname(path) !== folder)) throw new Error("the trace does not know renames between folders");
    for (const { path, to } of names) {
      if (typeof to === "number") this.#files.set(path, to);
      else this.#files.delete(path);
    }
    this.entries.push({ is: "names", folder, names });
  }

  /** The absolute path if it is below the traced folder, else null. */
  #traced(path: unknown): string | null {
    const absolute = resolve(String(path));
    return absolute === this.#root || absolute.startsWith(`${this.#root}/`) ? absolute : null;
  }
}
