// A disk that fails with a code for some files, in this process, until it is healed.
import fs from "node:fs/promises";
import syncFs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Readable } from "node:stream";

/** How a disk or a system fails that loses nothing by it. */
export const failureCodes = ["EIO", "EACCES", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EROFS", "ETIMEDOUT", "ESTALE"] as const;

const readers = ["readFile", "readdir", "stat", "lstat", "access", "opendir", "statfs"] as const;
const syncReaders = ["readFileSync", "readdirSync", "statSync", "lstatSync", "accessSync", "existsSync"] as const;
const metadataReaders = ["stat", "lstat", "access"] as const;
const writers = ["writeFile", "appendFile", "rename", "rm", "unlink", "link", "mkdir", "symlink", "copyFile", "truncate"] as const;

export interface FailingDisk extends Disposable {
  /** How many calls failed. */
  readonly failures: number;
  /** Runs something that the fault does not concern. */
  outside<T>(run: () => Promise<T>): Promise<T>;
  /** Ends the fault, as disposing does. */
  heal(): void;
}

/**
 * Makes reads, or writes, of the paths that `concerns` names fail with `code`. Files that are open already can be used. `metadata`: the
 * bytes can be read, but not the attributes.
 */
export function failDisk(how: "read" | "metadata" | "write" | "both", code: string, concerns: (path: string) => boolean): FailingDisk {
  let failures = 0;
  let isPaused = false;
  const [readsFail, writesFail] = [how === "read" || how === "both", how === "write" || how === "both"];
  const fault = (syscall: string, path: string): Error => {
    failures += 1;
    return Object.assign(new Error(`${code}: simulated, ${syscall} '${path}'`), { code, syscall, path });
  };
  const isOf = (path: unknown): path is string => typeof path === "string" && !isPaused && concerns(path);
  const all = fs as unknown as Record<string, (...rest: unknown[]) => unknown>;
  const allSync = syncFs as unknown as Record<string, (...rest: unknown[]) => unknown>;
  const real = { ...all };
  const realSync = { ...allSync };
  const fail = (name: string): void => {
    all[name] = async (...rest) => {
      const path = rest.find(isOf);
      if (path !== undefined) throw fault(name, path);
      return real[name]!(...rest);
    };
  };
  if (readsFail) readers.forEach(fail);
  if (how === "metadata") metadataReaders.forEach(fail);
  if (writesFail) writers.forEach(fail);
  all["open"] = async (path, flags = "r", ...rest) => {
    const isWrite = typeof flags === "number" ? (flags & (syncFs.constants.O_WRONLY | syncFs.constants.O_RDWR)) !== 0 : flags !== "r";
    if (isOf(path) && (isWrite ? writesFail : readsFail)) throw fault("open", path);
    return real["open"]!(path, flags, ...rest);
  };
  for (const name of readsFail ? syncReaders : []) {
    allSync[name] = (path, ...rest) => {
      if (!isOf(path)) return realSync[name]!(path, ...rest);
      if (name === "existsSync") return false;
      throw fault(name, path);
    };
  }
  if (readsFail) {
    allSync["createReadStream"] = (path, ...rest) => {
      if (!isOf(path)) return realSync["createReadStream"]!(path, ...rest);
      return new Readable({ read: () => undefined }).destroy(fault("open", path));
    };
  }
  syncBuiltinESMExports();
  const heal = (): void => {
    for (const name of [...readers, ...writers, "open"]) all[name] = real[name]!;
    for (const name of [...syncReaders, "createReadStream"]) allSync[name] = realSync[name]!;
    syncBuiltinESMExports();
  };
  return {
    get failures() {
      return failures;
    },
    async outside(run) {
      isPaused = true;
      try {
        return await run();
      } finally {
        isPaused = false;
      }
    },
    heal,
    [Symbol.dispose]: heal,
  };
}
