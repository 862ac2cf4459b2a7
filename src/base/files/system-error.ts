// Recognizes errors of the operating system, such as those of a full, read-only or broken disk.
import { hasErrorCode } from "../fault.ts";

/** True if a system call failed: ENOSPC, EROFS, EIO and the like. Errors in this program's own code are not system errors. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}

/**
 * True if the disk, or the system, failed to read a file: EIO, EACCES, EMFILE, ENOMEM and the like. The file may be whole and may be
 * readable later, unlike one that is missing, or that is a folder.
 */
export function isReadFailure(error: unknown): error is NodeJS.ErrnoException {
  return isSystemError(error) && !hasErrorCode(error, "ENOENT", "EISDIR");
}
