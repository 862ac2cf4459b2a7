// Compares a bundle with its signed size and hash, before anything reads its content.
import { stat } from "node:fs/promises";
import { Fault, hasErrorCode } from "../fault.ts";
import { hashFile } from "../files/hash-file.ts";
import type { SignedTarget } from "./verify.ts";

/**
 * Verifies the file at `path`. @throws Fault `metadata-missing`: it is not there. `file-corrupt`: its size or SHA-256 differs.
 */
export async function verifyTarget({ name, sizeBytes, sha256 }: SignedTarget, path: string, signal?: AbortSignal): Promise<void> {
  const stats = await stat(path).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT")) throw new Fault("metadata-missing", `The bundle ${name} is not there. Download it again`);
    throw error;
  });
  // Compared first, so that a file that is too long costs no reading.
  if (stats.size !== sizeBytes) throw new Fault("file-corrupt", `The bundle ${name} has ${stats.size} bytes instead of ${sizeBytes}`);
  const { hash } = await hashFile(path, { ...(signal !== undefined && { signal }) });
  if (hash.digest("hex") !== sha256) throw new Fault("file-corrupt", `The bundle ${name} does not have its signed SHA-256`);
}
