// A real disk of a few megabytes that a test can fill, make read-only and repair: a tmpfs, which only root can mount.
import { execFile } from "node:child_process";
import { mkdtemp, open, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface SmallDisk extends AsyncDisposable {
  path: string;
  /** Leaves no byte free. */
  fill(): Promise<void>;
  /** Frees what {@link fill} took. */
  free(): Promise<void>;
  setReadOnly(isReadOnly: boolean): Promise<void>;
  resize(megabytes: number): Promise<void>;
}

/** Null when this user may not mount one. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | null> {
  const path = await mkdtemp(join(tmpdir(), "signage-disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "none", path]);
  } catch {
    await rmdir(path);
    return null; // not root, or a container without the right to mount
  }
  const filler = join(path, "filler");
  return {
    path,
    async fill() {
      const file = await open(filler, "a");
      try {
        for (let size = 2 ** 20; size >= 1;)
          size = await file.write(Buffer.alloc(size)).then(
            ({ bytesWritten }) => bytesWritten,
            () => Math.floor(size / 2),
          );
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler, { force: true }),
    async setReadOnly(isReadOnly) {
      await run("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, path]);
    },
    async resize(size) {
      await run("mount", ["-o", `remount,size=${size}m`, path]);
    },
    async [Symbol.asyncDispose]() {
      // Lazily, because a program that a failed test left behind may still use it.
      await run("umount", ["-l", path]);
      await rmdir(path);
    },
  };
}
