// Records the program's calls of node:fs/promises, in order: writes, syncs and renames. Or makes them fail.
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** One successful call; `write` and `sync` are calls of handles from `open`. */
export type DiskCall =
  | { is: "write" | "sync"; path: string }
  | { is: "rename"; from: string; path: string }
  | { is: "remove" | "link"; path: string };

/** Records the calls, in the order in which they end, until it is disposed of. The calls work as usual. */
export function recordDiskCalls(): { calls: DiskCall[] } & Disposable {
  const calls: DiskCall[] = [];
  const real = { open: fs.open, rename: fs.rename, rm: fs.rm, link: fs.link };
  const open: typeof fs.open = async (path, ...how) => {
    const handle = await real.open(path, ...how);
    const [sync, datasync, writeFile] = [handle.sync.bind(handle), handle.datasync.bind(handle), handle.writeFile.bind(handle)];
    const record = (is: "write" | "sync"): void => void calls.push({ is, path: String(path) });
    return Object.assign(handle, {
      sync: () => sync().then(() => record("sync")),
      datasync: () => datasync().then(() => record("sync")),
      writeFile: (...what: Parameters<typeof writeFile>) => writeFile(...what).then(() => record("write")),
    });
  };
  const rename: typeof fs.rename = async (from, to) => {
    await real.rename(from, to);
    calls.push({ is: "rename", from: String(from), path: String(to) });
  };
  const rm: typeof fs.rm = async (path, options) => {
    await real.rm(path, options);
    calls.push({ is: "remove", path: String(path) });
  };
  const link: typeof fs.link = async (from, to) => {
    await real.link(from, to);
    calls.push({ is: "link", path: String(to) });
  };
  Object.assign(fs, { open, rename, rm, link });
  syncBuiltinESMExports();
  return {
    calls,
    [Symbol.dispose]() {
      Object.assign(fs, real);
      syncBuiltinESMExports();
    },
  };
}

/** Makes every change of the disk fail with `code`, such as EIO, also through files that are open already, until it is disposed of. */
export async function breakDisk(code: string): Promise<Disposable> {
  const fail = async (): Promise<never> => {
    throw Object.assign(new Error(`${code}: simulated`), { code, syscall: "write" });
  };
  const { open, rename, rm, link, mkdir } = fs;
  const probe = await open("/dev/null");
  const handles = Object.getPrototypeOf(probe) as Pick<typeof probe, "write" | "writev" | "writeFile" | "appendFile" | "sync" | "datasync">;
  await probe.close();
  const { write, writev, writeFile, appendFile, sync, datasync } = handles;
  const openToRead: typeof fs.open = (path, flags = "r", ...mode) => (flags === "r" ? open(path, flags, ...mode) : fail());
  Object.assign(fs, { open: openToRead, rename: fail, rm: fail, link: fail, mkdir: fail });
  Object.assign(handles, { write: fail, writev: fail, writeFile: fail, appendFile: fail, sync: fail, datasync: fail });
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]() {
      Object.assign(fs, { open, rename, rm, link, mkdir });
      Object.assign(handles, { write, writev, writeFile, appendFile, sync, datasync });
      syncBuiltinESMExports();
    },
  };
}
