// Recognizes errors of the operating system, such as those of a full, read-only or broken disk.

/** Whether a system call failed: ENOSPC, EROFS, EIO and the like. Errors in this program's own code are not system errors. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
}
