// Reads files in a folder of another user, who may exchange them for links or pipes.
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { Fault, hasErrorCode } from "../fault.ts";

/** Opens a plain file. @throws Fault `file-corrupt` for a link or a device; the system's error where there is none. */
export async function openSafely(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK opening a named pipe would wait forever.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
    if (hasErrorCode(error, "ELOOP")) throw new Fault("file-corrupt", `${basename(path)} is a link`);
    throw error;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Fault("file-corrupt", `${basename(path)} is not a file`);
}

/** The content of a small file, at most `maxBytes` + 1 bytes of it; null where there is none. */
export async function readSafely(path: string, maxBytes: number): Promise<Buffer | null> {
  const file = await openSafely(path).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  });
  if (file === null) return null;
  await using _ = file;
  const buffer = Buffer.alloc(maxBytes + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < buffer.length; length += read) {
    ({ bytesRead: read } = await file.read(buffer, length, buffer.length - length));
  }
  return buffer.subarray(0, length);
}
